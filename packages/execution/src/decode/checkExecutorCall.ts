import type { Address } from "@millrace/core";
import { Mismatch, must, same, type WordReader } from "@millrace/protocols";
import type { Permit } from "../Permit.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import { checkExecutorLegs, type Ends } from "./checkExecutorLegs.ts";

interface Entry {
  readonly kind: SwapIntent["kind"];
  readonly hasPermit: boolean;
}

/** Selectors of `executorAbi`. */
const ENTRIES: Readonly<Record<string, Entry>> = {
  "0x5e3532a4": { kind: "exactIn", hasPermit: false }, // swapExactInput
  "0x2b647f0a": { kind: "exactOut", hasPermit: false }, // swapExactOutput
  "0x63f40502": { kind: "exactIn", hasPermit: true }, // swapExactInputWithPermit
  "0x838e8137": { kind: "exactOut", hasPermit: true }, // swapExactOutputWithPermit
};

const WORD_BYTES = 32;
const ORDER_WORDS = 8;
const PERMIT_WORDS = 5;
const FEE_SHIFT = 160n;
const ADDRESS_MASK = (1n << 160n) - 1n;
const NATIVE: Address = "0x0000000000000000000000000000000000000000";

/** A call of our own contract: an order, its paths, and the permit where there is one. */
export function checkExecutorCall(
  intent: SwapIntent,
  permit: Permit | undefined,
  selector: string,
  words: WordReader,
): void {
  const entry = Object.hasOwn(ENTRIES, selector) ? ENTRIES[selector] : undefined;
  if (entry === undefined) throw new Mismatch(`selector: ${selector} is none of the executor's`);
  // Where no more than the least input may go in, an exact output is encoded as an exact input.
  must(
    entry.kind === intent.kind || (entry.kind === "exactIn" && isBound(intent)),
    `kind: the call is of ${entry.kind}, the intent of ${intent.kind}`,
  );
  const ends = checkOrder(intent, words);
  words.offset((ORDER_WORDS + 1 + (entry.hasPermit ? PERMIT_WORDS : 0)) * WORD_BYTES);
  must(entry.hasPermit === (permit !== undefined), "permit: in one of call and order only");
  if (permit !== undefined) checkPermit(intent, permit, words);
  checkPaths(intent, entry.kind, ends, words);
  words.end();
}

/** No more than the recomputed input may go in. */
function isBound(intent: SwapIntent): boolean {
  return intent.amountInMax === intent.amountIn;
}

/**
 * Checks the order and gives the tokens that its paths begin and end with. The order may name a
 * native end as native or as wrapped.
 */
function checkOrder(intent: SwapIntent, words: WordReader): Ends {
  const tokenIn = words.address("token in");
  const tokenOut = words.address("token out");
  if (!intent.isNativeIn || tokenIn !== NATIVE) same("token in", tokenIn, intent.tokenIn);
  if (!intent.isNativeOut || tokenOut !== NATIVE) same("token out", tokenOut, intent.tokenOut);
  same("most in", words.uint(), intent.amountInMax);
  same("least out", words.uint(), intent.amountOutMin);
  same("recipient", words.address("recipient"), intent.recipient);
  checkFee(intent, words.uint());
  same("deadline", words.number("deadline"), intent.deadline);
  const isUnwrapped = words.boolean("native output");
  same("native output", isUnwrapped || tokenOut === NATIVE, intent.isNativeOut);
  must(!isUnwrapped || tokenOut !== NATIVE, "native output: unwrapped, and native before");
  return { tokenIn, tokenOut };
}

function checkFee({ fee }: SwapIntent, word: bigint): void {
  const bps = word >> FEE_SHIFT;
  same("fee in basis points", bps, BigInt(fee?.bps ?? 0));
  if (bps === 0n) return same("fee recipient", word, 0n);
  same("fee recipient", word & ADDRESS_MASK, BigInt(fee!.recipient));
}

/** The nonce is not in the call: the token knows it. */
function checkPermit(intent: SwapIntent, permit: Permit, words: WordReader): void {
  must(!intent.isNativeIn, "permit: the input is native");
  same("permit amount", words.uint(), permit.amount);
  must(permit.amount >= intent.amountInMax, "permit amount: less than the most in");
  same("permit deadline", words.uint(), permit.deadline);
  const { r, s, v } = splitSignature(permit.signature);
  same("permit v", words.number("permit v"), v);
  same("permit r", words.uint(), r);
  same("permit s", words.uint(), s);
}

/** The last byte may be the parity itself, as some wallets give it. */
function splitSignature(signature: string): { r: bigint; s: bigint; v: number } {
  must(/^0x[0-9a-fA-F]{130}$/.test(signature), "permit: no signature of 65 bytes");
  const v = Number.parseInt(signature.slice(130), 16);
  return {
    r: BigInt(signature.slice(0, 66)),
    s: BigInt(`0x${signature.slice(66, 130)}`),
    v: v < 27 ? v + 27 : v,
  };
}

function checkPaths(
  intent: SwapIntent,
  kind: SwapIntent["kind"],
  ends: Ends,
  words: WordReader,
): void {
  const { paths } = intent;
  same("number of paths", words.number("number of paths"), paths.length);
  const offsets = paths.map(() => words.number("an offset"));
  let offset = paths.length * WORD_BYTES;
  let sum = 0n;
  for (let place = 0; place < paths.length; place++) {
    same("an offset", offsets[place]!, offset);
    const name = `path ${place}`;
    const path = paths[place]!;
    const amount = words.uint();
    same(`${name}, amount`, amount, kind === "exactIn" ? path.amountIn : path.amountOut);
    sum += amount;
    words.offset(2 * WORD_BYTES);
    const digits = words.bytes(`${name}, legs`);
    checkExecutorLegs(path, digits, ends, intent.wrappedNative, name);
    // Amount, offset and length precede the legs, which are padded to whole words.
    offset += (3 + Math.ceil(digits.length / (2 * WORD_BYTES))) * WORD_BYTES;
  }
  const side = kind === "exactIn" ? "amountIn" : "amountOut";
  same("amounts of the paths together", sum, intent[side]);
}
