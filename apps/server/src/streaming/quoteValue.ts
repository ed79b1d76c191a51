import type { BlockStamp } from "@millrace/core";
import type { Answer } from "../answers/Answer.ts";

/** The answer to a quote request, without its block. */
export interface QuoteValue {
  /** The JSON text around the stamps; `after` is empty where there are none, as in a problem. */
  readonly before: string;
  readonly after: string;
  /** What the request seeks: `amountOut`, or `amountIn` where the output was given. */
  readonly sought: string | undefined;
}

/**
 * The stamps of a `SwapQuote` as its encoder writes them; the text after them is never a client's.
 */
const STAMPS = /,"blockNumber":"\d+","blockHash":"0x[0-9a-f]{64}","timestamp":\d+/;

/** Takes the stamps out of an answer, as text; undefined in a problem, which has none. */
export function quoteValue(
  { status, body }: Answer,
  exactOutput: boolean,
): { readonly value: QuoteValue; readonly stamps: string | undefined } {
  const found = status === 200 ? STAMPS.exec(body) : null;
  if (found === null) {
    return { value: { before: body, after: "", sought: undefined }, stamps: undefined };
  }
  const [stamps] = found;
  const amount = exactOutput ? AMOUNT_IN.exec(body) : AMOUNT_OUT.exec(body);
  return {
    value: {
      before: body.slice(0, found.index),
      after: body.slice(found.index + stamps.length),
      sought: amount![1],
    },
    stamps,
  };
}

// The quote's own amounts come before those of its steps.
const AMOUNT_IN = /"amountIn":"(\d+)"/;
const AMOUNT_OUT = /"amountOut":"(\d+)"/;

/** The JSON text of a value that holds for a block. */
export function quoteText({ before, after }: QuoteValue, stamp: BlockStamp): string {
  return after === "" ? before : before + stampsOf(stamp) + after;
}

/** The stamps of a quote that holds for a block. */
export const stampsOf = ({ number, hash, timestampMs }: BlockStamp): string =>
  `,"blockNumber":"${number}","blockHash":"${hash}","timestamp":${timestampMs}`;

export const isSameValue = (one: QuoteValue, other: QuoteValue): boolean =>
  one.before === other.before && one.after === other.after;

/** Whether a quote request's answer is a problem, and which. */
export const problemOf = ({ before, after }: QuoteValue): string | undefined =>
  after === "" ? before : undefined;

/**
 * Whether a value differs enough from the last published one: in the amount sought, in basis points
 * of the published amount. A quote and a problem, and two different problems, always do.
 */
export function isWorthPublishing(
  published: QuoteValue,
  value: QuoteValue,
  minChangeBps: number,
): boolean {
  if (isSameValue(published, value)) return false;
  if (minChangeBps === 0 || published.sought === undefined || value.sought === undefined)
    return true;
  const [before, after] = [BigInt(published.sought), BigInt(value.sought)];
  const moved = after > before ? after - before : before - after;
  return Number(moved) * 10_000 >= minChangeBps * Number(before);
}
