import type { Address } from "@millrace/core";
import { type LegDecoder, legDecoders, Mismatch, must, same } from "@millrace/protocols";
import type { IntentPath, SwapLeg } from "../SwapIntent.ts";

/** The tokens that each path of an order begins and ends with. */
export interface Ends {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

const DECODERS: ReadonlyMap<string, LegDecoder> = new Map(
  legDecoders.map((decoder) => [decoder.name, decoder]),
);

const BYTE_DIGITS = 2;
const NATIVE: Address = "0x0000000000000000000000000000000000000000";
/** One-byte legs: one unwraps the wrapped token, one wraps the native token. */
const UNWRAPPING = "05";
const WRAPPING = "85";

/** Checks that a path's legs, given in hex digits, are those of the intent and no others. */
export function checkExecutorLegs(
  { legs }: IntentPath,
  digits: string,
  { tokenIn, tokenOut }: Ends,
  wrappedNative: Address,
  name: string,
): void {
  let start = 0;
  let token = tokenIn;
  /** Allows wrapping and unwrapping only where the next token needs it. */
  const comeTo = (next: Address, field: string): void => {
    if (token === next) return;
    const [leg, changed] = token === NATIVE ? [WRAPPING, wrappedNative] : [UNWRAPPING, NATIVE];
    must(token === NATIVE || token === wrappedNative, `${field}: ${token} before ${next}`);
    same(`${field}, wrapping`, digits.slice(start, start + BYTE_DIGITS), leg);
    same(field, changed, next);
    start += BYTE_DIGITS;
    token = changed;
  };
  for (let place = 0; place < legs.length; place++) {
    const leg = legs[place]!;
    const legName = `${name}, leg ${place}`;
    comeTo(leg.tokenIn, `${legName}, token in`);
    start = checkLeg(leg, digits, start, legName);
    token = leg.tokenOut;
  }
  comeTo(tokenOut, `${name}, its end`);
  same(`${name}, length of its legs`, digits.length / BYTE_DIGITS, start / BYTE_DIGITS);
}

/** Gives where the leg ends. */
function checkLeg(leg: SwapLeg, digits: string, start: number, name: string): number {
  const decoder = DECODERS.get(leg.protocol);
  if (decoder === undefined) throw new Mismatch(`${name}, kind: ${leg.protocol} has no leg`);
  const end = start + decoder.byteCount * BYTE_DIGITS;
  must(end <= digits.length, `${name}: the legs end too early`);
  const found = decoder.read(digits.slice(start, end), leg.tokenIn);
  if (found === undefined) throw new Mismatch(`${name}, kind: no leg of ${leg.protocol}`);
  same(`${name}, target`, found.target, leg.key?.manager ?? leg.pool);
  same(`${name}, pool`, found.pool, leg.pool);
  const poolId = leg.key !== undefined && "poolId" in leg.key ? leg.key.poolId : undefined;
  same(`${name}, pool id`, found.poolId ?? "none", poolId ?? "none");
  same(`${name}, direction`, found.zeroForOne, leg.zeroForOne);
  same(`${name}, token out`, found.tokenOut, leg.tokenOut);
  if (found.positionIn !== undefined && found.positionOut !== undefined) {
    same(`${name}, place in`, found.positionIn, leg.positionIn ?? (leg.zeroForOne ? 0 : 1));
    same(`${name}, place out`, found.positionOut, leg.positionOut ?? (leg.zeroForOne ? 1 : 0));
  }
  if (found.feePips !== undefined) same(`${name}, fee`, found.feePips, leg.feePips);
  if (found.parameter !== undefined) same(`${name}, kind`, found.parameter, leg.parameter);
  return end;
}
