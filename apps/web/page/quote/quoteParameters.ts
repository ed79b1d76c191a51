import type { QuoteParameters } from "@millrace/client";
import { smallestUnits } from "../format.ts";
import type { KnownToken } from "../tokens.ts";

/** The form of a quote, as kept in the address. */
export interface QuoteForm {
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** As typed. */
  readonly amount: string;
  readonly isExactOut: boolean;
  readonly maxSplits: number;
  readonly maxHops: number;
}

const SPLITS_DEFAULT = 8;
const HOPS_DEFAULT = 3;
/** With more paths a quote has no explanation. */
export const EXPLAINED_SPLITS_MAX = 8;

export function formOf(query: URLSearchParams): QuoteForm {
  const number = (name: string, usual: number, most: number) => {
    const value = Number(query.get(name) ?? usual);
    return Number.isInteger(value) && value >= 1 && value <= most ? value : usual;
  };
  return {
    tokenIn: query.get("tokenIn") ?? "",
    tokenOut: query.get("tokenOut") ?? "",
    amount: query.get("amount") ?? "",
    isExactOut: query.get("kind") === "exactOut",
    maxSplits: number("maxSplits", SPLITS_DEFAULT, 64),
    maxHops: number("maxHops", HOPS_DEFAULT, 4),
  };
}

export function queryOf(form: QuoteForm): Record<string, string> {
  const { tokenIn, tokenOut, amount, isExactOut, maxSplits, maxHops } = form;
  return {
    ...{ tokenIn, tokenOut, amount },
    ...(isExactOut && { kind: "exactOut" }),
    ...(maxSplits !== SPLITS_DEFAULT && { maxSplits: String(maxSplits) }),
    ...(maxHops !== HOPS_DEFAULT && { maxHops: String(maxHops) }),
  };
}

/** The request of a form, or the reason why it is not complete. */
export function requestOf(
  { tokenIn, tokenOut, amount, isExactOut, maxSplits, maxHops }: QuoteForm,
  tokens: ReadonlyMap<string, KnownToken>,
): QuoteParameters | string {
  if (tokenIn === "" || tokenOut === "") return "Choose two tokens.";
  if (tokenIn.toLowerCase() === tokenOut.toLowerCase()) return "Choose two different tokens.";
  const token = tokens.get((isExactOut ? tokenOut : tokenIn).toLowerCase());
  if (token === undefined) return "Looking the tokens up…";
  const units = smallestUnits(amount, token.decimals);
  if (units === undefined || units === 0n) {
    return `Enter an amount of at most ${token.decimals} decimals.`;
  }
  return {
    ...{ tokenA: tokenIn, tokenB: tokenOut, maxHops, maxSplits, certify: true },
    ...(isExactOut ? { amountOut: String(units) } : { amountIn: String(units) }),
    ...(maxSplits <= EXPLAINED_SPLITS_MAX && { explain: true }),
  } as QuoteParameters;
}
