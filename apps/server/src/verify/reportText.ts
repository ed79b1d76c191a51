import type { VerifyReport } from "@millrace/chain";
import type { NetworkConfig } from "../config/ServerConfig.ts";

const DIFFERENCES_SHOWN = 20;

/** The report of a comparison, for an operator. */
export function reportText(
  { id, name, chainId }: NetworkConfig,
  { stamp, pools, equal, differences }: VerifyReport,
): string {
  const time = new Date(stamp.timestampMs).toISOString();
  const hidden = differences.length - DIFFERENCES_SHOWN;
  const lines = [
    `${id}  ${name}, chain ${chainId}`,
    `  head    ${stamp.number}  ${stamp.hash}  ${time}`,
    `  pools   ${pools}`,
    `  result  ${
      equal
        ? "equal, byte for byte, to a market built from scratch at this head"
        : `NOT equal to a market built from scratch at this head: ${differences.length} differences`
    }`,
    ...differences.slice(0, DIFFERENCES_SHOWN).map((difference) => `    ${difference}`),
    ...(hidden > 0 ? [`    and ${hidden} more`] : []),
  ];
  return `${lines.join("\n")}\n`;
}
