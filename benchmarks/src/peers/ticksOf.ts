import { BOOK_WORDS, bookOf, type PoolGraph, type PoolIndex } from "@millrace/core";

/** An initialised tick, as the peers want it. */
export interface PeerTick {
  readonly index: number;
  readonly liquidityNet: bigint;
  /** At least what net implies; swaps don't read it. */
  readonly liquidityGross: bigint;
}

/** The ticks of a concentrated-liquidity pool, ascending. */
export function ticksOf(graph: PoolGraph, pool: PoolIndex): PeerTick[] {
  const { keys, words } = bookOf(graph, pool);
  return Array.from(keys, (index, position) => {
    const low = BigInt.asUintN(64, words[BOOK_WORDS * position]!);
    const liquidityNet = (words[BOOK_WORDS * position + 1]! << 64n) | low;
    const liquidityGross = liquidityNet < 0n ? -liquidityNet : liquidityNet;
    return { index, liquidityNet, liquidityGross };
  });
}
