import type { TokenSafety } from "@millrace/api";
import { partText } from "../format.ts";
import { Notice } from "./Notice.tsx";

type Safety = typeof TokenSafety.Type;

interface SafetyProps {
  readonly safety: Safety | undefined;
}

/** A badge beside the name of a taxed or unsellable token; nothing for any other. */
export function SafetyBadge({ safety }: SafetyProps) {
  return isBiting(safety) ? (
    <span class="badge" title={safetyText(safety)}>
      {safety.verdict}
    </span>
  ) : null;
}

/** The same as a whole sentence. */
export function SafetyNotice({ safety }: SafetyProps) {
  return isBiting(safety) ? <Notice kind="warning">{safetyText(safety)}</Notice> : null;
}

const isBiting = (safety: Safety | undefined): safety is Safety =>
  safety?.verdict === "taxed" || safety?.verdict === "unsellable";

/** The verdict on a token, in words. */
export function safetyText(safety: Safety | undefined): string {
  if (safety === undefined) return "Not tried";
  const { verdict, buyTaxBps = 0, sellTaxBps, block } = safety;
  return `${WORDS[verdict](partText(buyTaxBps), sellTaxBps)}: tried on block ${block}`;
}

const WORDS: Readonly<
  Record<Safety["verdict"], (bought: string, soldBps: number | undefined) => string>
> = {
  plain: () => "Transfers move what is asked",
  unknown: () => "Could not be tried",
  unsellable: () => "It can be bought, and not sold",
  taxed: (bought, soldBps) =>
    soldBps === undefined
      ? `Of a purchase ${bought} does not arrive`
      : `Bought, ${bought} of it is missing; sold, ${partText(soldBps)}`,
};
