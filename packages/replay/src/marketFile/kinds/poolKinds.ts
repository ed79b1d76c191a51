import { balancerV2StablePool, balancerV2WeightedPool, balancerV3Pool } from "./balancerPools.ts";
import { curveStableNgPool, curveStablePool } from "./curvePools.ts";
import type { PoolKind } from "./PoolKind.ts";
import { aerodromeStablePair, pancakeV2Pair, uniswapV2Pair } from "./pairs.ts";
import {
  algebraIntegralPool,
  pancakeV3Pool,
  slipstreamPool,
  uniswapV3Pool,
  uniswapV4Pool,
} from "./tickPools.ts";

/** Every kind of pool that a market file may hold, by its name. */
export const poolKinds: ReadonlyMap<string, PoolKind> = new Map(
  [
    uniswapV2Pair,
    uniswapV3Pool,
    aerodromeStablePair,
    slipstreamPool,
    uniswapV4Pool,
    pancakeV3Pool,
    pancakeV2Pair,
    algebraIntegralPool,
    balancerV2WeightedPool,
    balancerV2StablePool,
    balancerV3Pool,
    curveStablePool,
    curveStableNgPool,
  ].map((kind) => [kind.name, kind]),
);
