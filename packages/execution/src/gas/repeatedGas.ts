import type { PoolFamily, PoolGraph, PoolIndex, TokenPosition } from "@millrace/core";
import { calldataProtocols } from "@millrace/protocols";

/** A swap of a route: its pool, and the positions of its tokens there. */
export interface SwappedPair {
  readonly pool: PoolIndex;
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
}

export interface SwappedMarket {
  readonly graph: PoolGraph;
  readonly familyOf: (pool: PoolIndex) => Pick<PoolFamily, "typicalGas">;
}

/**
 * `GasShape.repeatedGas` of a route's swaps, in their order. A repeated swap counts a quarter where
 * the pool has not moved one of its tokens before: those balances are other storage slots.
 */
export function repeatedGasOf(
  swaps: Iterable<SwappedPair>,
  { graph, familyOf }: SwappedMarket,
): number {
  // Bits: positions of tokens that were moved.
  const movedIn = new Map<PoolIndex, number>();
  let gas = 0;
  for (const { pool, positionIn, positionOut } of swaps) {
    const moved = movedIn.get(pool);
    const pair = (1 << positionIn) | (1 << positionOut);
    if (moved !== undefined) {
      const share = (moved & pair) === pair ? 1 : 0.25;
      const isManaged = MANAGED.has(graph.dexes[graph.poolDex[pool]!]!.protocol);
      const typicalGas = familyOf(pool).typicalGas(pool, positionIn, positionOut, 1n);
      gas += share * (typicalGas - (isManaged ? UNLOCK : 0));
    }
    movedIn.set(pool, (moved ?? 0) | pair);
  }
  return gas;
}

/** Protocols whose pools one contract holds. */
const MANAGED: ReadonlySet<string> = new Set(
  calldataProtocols.flatMap(({ name, poolKey }) => (poolKey === undefined ? [] : [name])),
);

/** The part of `typicalGas` that the manager uses around every swap (see `swapGas`). */
const UNLOCK = 35_000;
