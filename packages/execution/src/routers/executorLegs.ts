import type { Address } from "@millrace/core";
import { type CalldataProtocol, calldataProtocols, NATIVE_ADDRESS } from "@millrace/protocols";
import type { IntentPath, SwapIntent } from "../SwapIntent.ts";

export const EXECUTOR_PROTOCOLS: ReadonlyMap<string, CalldataProtocol> = new Map(
  calldataProtocols.map((protocol) => [protocol.name, protocol]),
);

/** Legs that wrap and unwrap, one byte each. */
const WRAP_LEG = "85";
const UNWRAP_LEG = "05";

/** The tokens of an order as the executor knows them; native and wrapped are two tokens. */
export interface ExecutorEnds {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** A wrapped output is unwrapped after the last path. */
  readonly nativeOut: boolean;
}

/**
 * Wrapping once is cheaper than once per path. So where all paths begin, or end, with the wrapped
 * token, the executor wraps, or unwraps, for the whole order.
 */
export function executorEnds(intent: SwapIntent): ExecutorEnds {
  const { paths, tokenIn, tokenOut, isNativeIn, isNativeOut } = intent;
  const takesNative = isNativeIn && paths.some(({ legs }) => legs[0]?.tokenIn === NATIVE_ADDRESS);
  const givesNative =
    isNativeOut && paths.some(({ legs }) => legs.at(-1)?.tokenOut === NATIVE_ADDRESS);
  return {
    tokenIn: takesNative ? NATIVE_ADDRESS : tokenIn,
    tokenOut: givesNative ? NATIVE_ADDRESS : tokenOut,
    nativeOut: isNativeOut && !givesNative,
  };
}

/** The legs of a path in hex digits, with those that wrap and unwrap between and around them. */
export function executorLegs(
  { legs }: IntentPath,
  { tokenIn, tokenOut }: ExecutorEnds,
  wrappedNative: Address,
): string {
  let digits = "";
  let token = tokenIn;
  const comeTo = (next: Address): void => {
    if (token === NATIVE_ADDRESS && next === wrappedNative) digits += WRAP_LEG;
    if (token === wrappedNative && next === NATIVE_ADDRESS) digits += UNWRAP_LEG;
  };
  for (const leg of legs) {
    comeTo(leg.tokenIn);
    digits += EXECUTOR_PROTOCOLS.get(leg.protocol)!.executorLeg(leg);
    token = leg.tokenOut;
  }
  comeTo(tokenOut);
  return digits;
}
