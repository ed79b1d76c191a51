import type { Permit } from "../Permit.ts";
import type { IntentPath, SwapIntent, SwapLeg } from "../SwapIntent.ts";
import { Mismatch, must, same } from "./Mismatch.ts";
import type { WordReader } from "./WordReader.ts";

interface Entry {
  readonly kind: SwapIntent["kind"];
  readonly hasPermit: boolean;
}

/** Of `executorAbi`. */
const ENTRIES: Readonly<Record<string, Entry>> = {
  "0x2f36eec9": { kind: "exactIn", hasPermit: false }, // swapExactInput
  "0xd3d7c561": { kind: "exactOut", hasPermit: false }, // swapExactOutput
  "0x477bc912": { kind: "exactIn", hasPermit: true }, // swapExactInputWithPermit
  "0xeb8e40ac": { kind: "exactOut", hasPermit: true }, // swapExactOutputWithPermit
};

const WORD_BYTES = 32;
const ORDER_WORDS = 8;
const PERMIT_WORDS = 5;
const LEG_WORDS = 2;

// Where the parts of a leg's word begin.
const FEE_SHIFT = 160n;
const KIND_SHIFT = 184n;
const DIRECTION_SHIFT = 192n;
const ADDRESS_MASK = (1n << 160n) - 1n;
const FEE_MASK = (1n << 24n) - 1n;
const KIND_MASK = (1n << 8n) - 1n;

/** Kinds of legs, by family and the parameter that is its rounding rule. */
const PAIR_FEE_INSIDE = 0n;
const PAIR_FEE_FIRST = 1n;
const CONCENTRATED = 2n;

/** A call of our own contract: an order, its paths, and the permit where there is one. */
export function checkExecutorCall(
  intent: SwapIntent,
  permit: Permit | undefined,
  selector: string,
  words: WordReader,
): void {
  const entry = Object.hasOwn(ENTRIES, selector) ? ENTRIES[selector] : undefined;
  if (entry === undefined) throw new Mismatch(`selector: ${selector} is none of the executor's`);
  // The least input for an exact output, given as exact input, is the same as long as no more may
  // go in.
  must(
    entry.kind === intent.kind || (entry.kind === "exactIn" && isBound(intent)),
    `kind: the call is of ${entry.kind}, the intent of ${intent.kind}`,
  );
  checkOrder(intent, words);
  words.offset((ORDER_WORDS + 1 + (entry.hasPermit ? PERMIT_WORDS : 0)) * WORD_BYTES);
  must(entry.hasPermit === (permit !== undefined), "permit: in one of call and order only");
  if (permit !== undefined) checkPermit(intent, permit, words);
  checkPaths(intent, entry.kind, words);
  words.end();
}

/** No more than the recomputed input may go in. */
function isBound(intent: SwapIntent): boolean {
  return intent.amountInMax === intent.amountIn;
}

function checkOrder(intent: SwapIntent, words: WordReader): void {
  same("token in", words.address("token in"), intent.tokenIn);
  same("token out", words.address("token out"), intent.tokenOut);
  same("most in", words.uint(), intent.amountInMax);
  same("least out", words.uint(), intent.amountOutMin);
  same("recipient", words.address("recipient"), intent.recipient);
  checkFee(intent, words.uint());
  same("deadline", words.number("deadline"), intent.deadline);
  same("native output", words.boolean("native output"), intent.isNativeOut);
}

function checkFee({ fee }: SwapIntent, word: bigint): void {
  const bps = word >> FEE_SHIFT;
  same("fee in basis points", bps, BigInt(fee?.bps ?? 0));
  if (bps === 0n) return same("fee recipient", word, 0n);
  same("fee recipient", word & ADDRESS_MASK, BigInt(fee!.recipient));
}

/** The nonce is the token's to know; it is not in the call. */
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

function checkPaths(intent: SwapIntent, kind: SwapIntent["kind"], words: WordReader): void {
  const { paths } = intent;
  same("number of paths", words.number("number of paths"), paths.length);
  let offset = paths.length * WORD_BYTES;
  for (const { legs } of paths) {
    words.offset(offset);
    // Amount, offset and number of legs go before the legs.
    offset += (3 + legs.length * LEG_WORDS) * WORD_BYTES;
  }
  let sum = 0n;
  for (let place = 0; place < paths.length; place++) {
    sum += checkPath(intent, paths[place]!, kind, `path ${place}`, words);
  }
  const side = kind === "exactIn" ? "amountIn" : "amountOut";
  same("amounts of the paths together", sum, intent[side]);
}

/** Gives the path's amount. */
function checkPath(
  intent: SwapIntent,
  path: IntentPath,
  kind: SwapIntent["kind"],
  name: string,
  words: WordReader,
): bigint {
  const amount = words.uint();
  same(`${name}, amount`, amount, kind === "exactIn" ? path.amountIn : path.amountOut);
  words.offset(2 * WORD_BYTES);
  const { legs } = path;
  same(`${name}, number of legs`, words.number("number of legs"), legs.length);
  // Each leg of the contract takes what the one before gives.
  let tokenIn = intent.tokenIn;
  for (let place = 0; place < legs.length; place++) {
    const leg = legs[place]!;
    const legName = `${name}, leg ${place}`;
    same(`${legName}, token in`, tokenIn, leg.tokenIn);
    checkLegWord(leg, words.uint(), legName);
    tokenIn = words.address(`${legName}, token out`);
    same(`${legName}, token out`, tokenIn, leg.tokenOut);
  }
  same(`${name}, its end`, tokenIn, intent.tokenOut);
  return amount;
}

function checkLegWord(leg: SwapLeg, word: bigint, name: string): void {
  same(`${name}, pool`, word & ADDRESS_MASK, BigInt(leg.pool));
  same(`${name}, fee`, (word >> FEE_SHIFT) & FEE_MASK, BigInt(leg.feePips));
  same(`${name}, kind`, (word >> KIND_SHIFT) & KIND_MASK, kindOf(leg, name));
  same(`${name}, direction`, word >> DIRECTION_SHIFT, leg.zeroForOne ? 1n : 0n);
}

function kindOf({ protocol, parameter }: SwapLeg, name: string): bigint {
  if (protocol === "concentrated-liquidity") return CONCENTRATED;
  must(protocol === "constant-product", `${name}, kind: ${protocol} is none of the executor's`);
  must(parameter === 0 || parameter === 1, `${name}, kind: no rounding rule ${parameter}`);
  return parameter === 0 ? PAIR_FEE_INSIDE : PAIR_FEE_FIRST;
}
