import type { PoolFamily, PoolIndex, TokenPosition } from "@millrace/core";

/** A swap of a route: its pool, and the positions of its tokens there. */
export interface SwappedPair {
  readonly pool: PoolIndex;
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
}

/**
 * `GasShape.repeatedGas` of a route's swaps, in their order. Where a token of the pool has not been
 * moved before, that counts a quarter: its balances are other words of storage.
 */
export function repeatedGasOf(
  swaps: Iterable<SwappedPair>,
  familyOf: (pool: PoolIndex) => Pick<PoolFamily, "typicalGas">,
): number {
  // Bits: positions of tokens that were moved.
  const movedIn = new Map<PoolIndex, number>();
  let gas = 0;
  for (const { pool, positionIn, positionOut } of swaps) {
    const moved = movedIn.get(pool);
    const pair = (1 << positionIn) | (1 << positionOut);
    if (moved !== undefined) {
      const share = (moved & pair) === pair ? 1 : 0.25;
      gas += share * familyOf(pool).typicalGas(pool, positionIn, positionOut, 1n);
    }
    movedIn.set(pool, (moved ?? 0) | pair);
  }
  return gas;
}
