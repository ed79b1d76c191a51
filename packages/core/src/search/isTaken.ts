import type { PoolFamily } from "../Curve.ts";
import type { PoolGraph, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";
import type { PoolMask } from "./PoolMask.ts";

/** Whether some unmasked pool of a token can take an amount; if none can, none can take more. */
export function isTaken(
  graph: PoolGraph,
  families: ReadonlyArray<PoolFamily>,
  mask: PoolMask,
  tokenIn: TokenIndex,
  amount: bigint,
): boolean {
  const { poolCurve, slotEnd, slotPool, slotPositions, slotStart } = graph;
  for (let slot = slotStart[tokenIn]!; slot < slotEnd[tokenIn]!; slot++) {
    const pool = slotPool[slot]! as PoolIndex;
    if (mask.blocks(pool)) continue;
    const positions = slotPositions[slot]!;
    const family = families[poolCurve[pool]!]!;
    if (Number(amount) <= family.capacityIn(pool, positions >> 3, positions & 7)) return true;
  }
  return false;
}
