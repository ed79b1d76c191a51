import type { Address } from "@millrace/core";
import type { WordReader } from "./WordReader.ts";

/**
 * Decodes a swap of the Universal Router 2.0. It shares no code with the encoders, so that a bug in
 * either shows as a difference.
 */
export interface RouterCommandDecoder {
  /** Its commands, two hex digits each, without the upper bits, which would let them fail. */
  readonly codes: ReadonlyArray<string>;
  /** See `RouterCommand`. */
  readonly dexKey: "v2DexId" | "v3DexId" | "v4DexId";
  readonly isPaidBefore: boolean;
  readonly weighsOutput: boolean;
  /** Throws a `Mismatch` where the input is no swap along a path. */
  readonly read: (code: string, input: WordReader) => DecodedRouterSwap;
}

/** A decoded swap. */
export interface DecodedRouterSwap {
  readonly kind: "exactIn" | "exactOut";
  readonly recipient: Address;
  /** exactIn: what goes in; exactOut: what comes out. */
  readonly amount: bigint;
  /** exactIn: the least out; exactOut: the most in. */
  readonly limit: bigint;
  readonly payerIsUser: boolean;
  /** In the order of the trade. */
  readonly hops: ReadonlyArray<DecodedRouterHop>;
}

export interface DecodedRouterHop {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Where the router finds the pool by its fee, or computes with it. */
  readonly feePips?: number;
  /** Where the call says more of the pool than its fee: as `CalldataLeg.pool`. */
  readonly pool?: Address;
}

const WORD_BYTES = 32;

/** Recipient, amount, limit, path and payer, in this order, the path behind all. */
export function readPathCommand(
  kind: DecodedRouterSwap["kind"],
  input: WordReader,
  readHops: (input: WordReader) => ReadonlyArray<DecodedRouterHop>,
): DecodedRouterSwap {
  const recipient = input.address("swap, to");
  const amount = input.uint();
  const limit = input.uint();
  input.offset(5 * WORD_BYTES);
  const payerIsUser = input.boolean("swap, payer");
  return { kind, recipient, amount, limit, payerIsUser, hops: readHops(input) };
}
