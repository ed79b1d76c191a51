import { isAddress, isSameAddress } from "./address.ts";
import { isAmount } from "./amount.ts";
import {
  ALL_DEXES,
  DEX_ID_LENGTH_MAX,
  QUOTE_HOPS_MAX,
  QUOTE_SPLITS_MAX,
  type QuoteRequestJson,
} from "./quoteRequest.ts";

/**
 * Reads a request directly from a body's text if it has the usual shape: an object of `tokenA`,
 * `tokenB`, one amount, and optionally `dexId`, `maxHops` and `maxSplits`, each once, in any order,
 * formatted as JSON writers usually do. Undefined for every other body, sound or not;
 * `decodeQuoteRequest` is for those. The result is what that gives for the parsed body (a test
 * compares them), in a fraction of the time.
 */
export function scanQuoteRequest(body: string): QuoteRequestJson | undefined {
  if (body.length > BODY_LENGTH_MAX || body.charCodeAt(0) !== OPEN_BRACE) return undefined;
  let tokenA: string | undefined;
  let tokenB: string | undefined;
  let amountIn: string | undefined;
  let amountOut: string | undefined;
  let dexId: string | undefined;
  let maxHops: number | undefined;
  let maxSplits: number | undefined;
  let at = 0;
  do {
    const key = afterBlank(body, at + 1);
    const keyEnd = body.indexOf('":', key);
    if (keyEnd < 0) return undefined;
    const value = afterBlank(body, keyEnd + 2);
    if (body.charCodeAt(value) === QUOTE) {
      const valueEnd = body.indexOf('"', value + 1);
      if (valueEnd < 0) return undefined;
      const text = body.slice(value + 1, valueEnd);
      at = valueEnd + 1;
      if (isKey(body, key, keyEnd, '"tokenA')) {
        if (tokenA !== undefined || !isAddress(text)) return undefined;
        tokenA = text;
      } else if (isKey(body, key, keyEnd, '"tokenB')) {
        if (tokenB !== undefined || !isAddress(text)) return undefined;
        tokenB = text;
      } else if (isKey(body, key, keyEnd, '"amountIn')) {
        if (amountIn !== undefined || !isAmount(text)) return undefined;
        amountIn = text;
      } else if (isKey(body, key, keyEnd, '"amountOut')) {
        if (amountOut !== undefined || !isAmount(text)) return undefined;
        amountOut = text;
      } else if (isKey(body, key, keyEnd, '"dexId')) {
        if (dexId !== undefined || !isPlainDexId(text)) return undefined;
        dexId = text;
      } else {
        return undefined;
      }
    } else {
      const count = countAt(body, value);
      at = value + (count < 10 ? 1 : 2);
      if (isKey(body, key, keyEnd, '"maxHops')) {
        if (maxHops !== undefined || count > QUOTE_HOPS_MAX) return undefined;
        maxHops = count;
      } else if (isKey(body, key, keyEnd, '"maxSplits')) {
        if (maxSplits !== undefined || count > QUOTE_SPLITS_MAX) return undefined;
        maxSplits = count;
      } else {
        return undefined;
      }
    }
  } while (body.charCodeAt(at) === COMMA);
  if (body.charCodeAt(at) !== CLOSE_BRACE || at !== body.length - 1) return undefined;
  if (tokenA === undefined || tokenB === undefined) return undefined;
  if ((amountIn === undefined) === (amountOut === undefined)) return undefined;
  if (isSameAddress(tokenA, tokenB)) return undefined;
  const request: Mutable<QuoteRequestJson> = {
    tokenA,
    tokenB,
    dexId: dexId ?? ALL_DEXES,
    maxHops: maxHops ?? 3,
    maxSplits: maxSplits ?? 1,
  };
  if (amountIn !== undefined) request.amountIn = amountIn;
  if (amountOut !== undefined) request.amountOut = amountOut;
  return request;
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] };

/** No unpadded body of the usual shape is longer. */
const BODY_LENGTH_MAX = 512;

/** Some writers put one space after a colon and a comma. */
const afterBlank = (text: string, at: number): number =>
  text.charCodeAt(at) === BLANK ? at + 1 : at;

/** Whether the text from `start` to `end` is `key`, which includes the opening quotation mark. */
const isKey = (text: string, start: number, end: number, key: string): boolean =>
  end - start === key.length && text.startsWith(key, start);

/** The number from 1 to 99 at this position; Infinity for anything else. */
function countAt(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  if (!(tens >= 1 && tens <= 9)) return Number.POSITIVE_INFINITY;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return ones >= 0 && ones <= 9 ? 10 * tens + ones : tens;
}

/** Whether a text between quotation marks contains no escapes. */
const isPlainDexId = (text: string): boolean =>
  text === ALL_DEXES || (text.length <= DEX_ID_LENGTH_MAX && PLAIN.test(text));

const PLAIN = /^[ !#-[\]-~]*$/;
const BLANK = " ".charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const ZERO = "0".charCodeAt(0);
const COMMA = ",".charCodeAt(0);
const OPEN_BRACE = "{".charCodeAt(0);
const CLOSE_BRACE = "}".charCodeAt(0);
