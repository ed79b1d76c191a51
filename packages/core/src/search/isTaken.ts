import type { PoolGraph, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";
import type { PoolFamily } from "../Protocol.ts";
import type { PoolMask } from "./PoolMask.ts";

/** Whether some unmasked pool of a token can take an amount of it; if none, none can take more. */
export function isTaken(
  graph: PoolGraph,
  families: ReadonlyArray<PoolFamily>,
  mask: PoolMask,
  tokenIn: TokenIndex,
  amount: bigint,
): boolean {
  const { poolProtocol, slotPool, slotPositions, slotStart } = graph;
  for (let slot = slotStart[tokenIn]!; slot < slotStart[tokenIn + 1]!; slot++) {
    const pool = slotPool[slot]! as PoolIndex;
    if (mask.blocks(pool)) continue;
    const positions = slotPositions[slot]!;
    const family = families[poolProtocol[pool]!]!;
    if (Number(amount) <= family.capacityIn(pool, positions >> 3, positions & 7)) return true;
  }
  return false;
}
