import type { PoolIndex, TokenPosition } from "@millrace/core";
import { type BuiltSwap, repeatedGasOf } from "@millrace/execution";
import type { SwapSender } from "../live/SwapSender.ts";

/** `GasShape.repeatedGas` of a built swap. */
export function repeatedIn({ live }: SwapSender, { intent }: BuiltSwap): number {
  const { graph } = live.engine;
  const swaps = intent.paths
    .flatMap(({ legs }) => legs)
    .map(({ pool, zeroForOne, positionIn, positionOut }) => ({
      pool: graph.findPool(pool)!,
      positionIn: (positionIn ?? (zeroForOne ? 0 : 1)) as TokenPosition,
      positionOut: (positionOut ?? (zeroForOne ? 1 : 0)) as TokenPosition,
    }));
  return repeatedGasOf(swaps, live.engine);
}

/**
 * Whether the devnet's contract is our own and uses different gas than the real ones, whose legs
 * `test/executor/gasOfManyTokens.test.ts` measures.
 */
export function usesOtherGas({ live }: SwapSender, pool: PoolIndex): boolean {
  const { dexes, poolDex } = live.engine.graph;
  return OTHERS.has(dexes[poolDex[pool]!]!.protocol);
}

const OTHERS = new Set(["curve-stable", "curve-crypto", "erc4626", "lido"]);
