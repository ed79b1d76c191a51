import type { TokenSafety, TokenWarning } from "@millrace/api";
import type { Address } from "@millrace/core";
import type { SwapIntent, TokenVerdict, TokenVerdicts } from "@millrace/execution";

type Verdicts = Pick<TokenVerdicts, "of"> | undefined;

/** The member `safety` of a token, where it has a verdict; the address is lower case. */
export function safetyOf(
  verdicts: Verdicts,
  token: Address,
): { readonly safety?: typeof TokenSafety.Encoded } {
  const verdict = verdicts?.of(token);
  return verdict === undefined ? {} : { safety: safety(verdict) };
}

function safety({ kind, ...found }: TokenVerdict): typeof TokenSafety.Encoded {
  const { buyTaxBps, sellTaxBps } = found;
  const block = String(found.blockNumber);
  switch (kind) {
    case "plain":
      return { verdict: kind, block };
    case "untested":
      return { verdict: "unknown", block };
    case "unbuyable":
      // All of a purchase is lost, and there is nothing to sell.
      return { verdict: "taxed", buyTaxBps, block };
    case "taxed":
    case "unsellable":
      return { verdict: kind, buyTaxBps, sellTaxBps, block };
  }
}

/** The warning of a quote about a token that does not transfer as it should; else undefined. */
export function warningOf(
  verdict: TokenVerdict | undefined,
): typeof TokenWarning.Encoded | undefined {
  if (verdict === undefined) return undefined;
  const { kind, token } = verdict;
  if (kind === "plain" || kind === "untested") return undefined;
  return { code: WARNING_CODES[kind], token, detail: wordsOf(verdict) };
}

const WARNING_CODES = {
  taxed: "TOKEN_TAXED",
  unsellable: "TOKEN_UNSELLABLE",
  unbuyable: "TOKEN_UNBUYABLE",
} as const;

function wordsOf({ kind, buyTaxBps, sellTaxBps, detail }: TokenVerdict): string {
  const words =
    kind === "taxed"
      ? `bought, ${percent(buyTaxBps)} of it is missing; sold, ${percent(sellTaxBps)}`
      : kind === "unsellable"
        ? "it can be bought, and not sold"
        : "it cannot be bought";
  return detail === undefined ? words : `${words}: ${detail}`;
}

const percent = (bps: number): string => `${bps / 100} %`;

/** Why the verdict on a token of a swap forbids it; undefined where none does. */
export function tokenRefusal(verdicts: Verdicts, { paths }: SwapIntent): string | undefined {
  for (const { tokenIn, tokenOut } of paths.flatMap(({ legs }) => legs)) {
    const [sold, bought] = [verdicts?.of(tokenIn), verdicts?.of(tokenOut)];
    const refusing =
      sold !== undefined && sold.sellTaxBps > 0
        ? sold
        : bought !== undefined && bought.buyTaxBps > 0
          ? bought
          : undefined;
    if (refusing !== undefined) return `${refusing.token}: ${wordsOf(refusing)}`;
  }
  return undefined;
}
