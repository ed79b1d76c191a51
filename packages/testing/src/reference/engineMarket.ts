import {
  type Address,
  type Curve,
  FEE_IN_STATE,
  type MarketOptions,
  NO_HASH,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type PoolListing,
  type PoolState,
} from "@millrace/core";
import {
  ALGEBRA_INTEGRAL_STEPS,
  curves,
  encodeConcentrated,
  encodeReserves,
  FEE_FIRST,
  FEE_INSIDE,
  UNISWAP_V4_STEPS,
} from "@millrace/protocols";
import { directionFeePips, type StepsBy } from "./concentratedLiquidity.ts";
import type { FamilyPool, PlainMarket, PlainPool } from "./plainMarket.ts";

const FAMILY_NAME = {
  constantProduct: "constant-product",
  concentratedLiquidity: "concentrated-liquidity",
  solidlyStable: "solidly-stable",
} as const;

type FamilyMarket = Omit<PlainMarket, "pools"> & { readonly pools: ReadonlyArray<FamilyPool> };

const STEPS: Readonly<Record<StepsBy, bigint>> = {
  uniswapV4: UNISWAP_V4_STEPS,
  algebraIntegral: ALGEBRA_INTEGRAL_STEPS,
};

const NO_FACTORY: Address = `0x${"00".repeat(20)}`;

/**
 * An engine that holds a plain market. Throws when it leaves anything out. `families` are the real
 * ones, or some that answer like them.
 */
export function engineMarket(
  market: FamilyMarket,
  options: MarketOptions = {},
  families: ReadonlyArray<Curve> = curves,
): OpenMarket {
  const open = openMarket(market.chainId, families, options);
  const tokens = new Set(market.pools.flatMap(({ token0, token1 }) => [token0, token1]));
  const dexes = new Map(market.pools.map(({ dexId, family }) => [dexId, FAMILY_NAME[family]]));
  const { rejected } = open.writer.applyBlock({
    stamp: { number: market.block, hash: NO_HASH, timestampMs: 0 },
    dexes: [...dexes].map(([id, protocol]) => ({ id, name: id, protocol, factory: NO_FACTORY })),
    tokens: [...tokens].map((address) => ({ address, decimals: 18, symbol: "", name: "" })),
    pools: market.pools.map(listingOf),
    removedPools: [],
    states: market.pools.map((pool) => ({ pool: pool.address, state: encodeState(pool) })),
    swaps: [],
    supplies: [],
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected.slice(0, 3))}`);
  return open;
}

/** The constant properties of a pool, as a block lists them. */
export function listingOf(pool: FamilyPool): PoolListing {
  const { address, dexId, token0, token1, feePips } = pool;
  const listing = { address, dexId, tokens: [token0, token1] };
  if (pool.family === "solidlyStable") {
    const constants = BigUint64Array.of(BigInt(pool.decimals0), BigInt(pool.decimals1));
    return { ...listing, feePips: FEE_IN_STATE, parameter: 0, constants };
  }
  const parameter = parameterOf(pool);
  if (pool.family === "constantProduct" || pool.contract === undefined) {
    return { ...listing, feePips, parameter };
  }
  const constants = BigUint64Array.of(STEPS[pool.contract]);
  return { ...listing, feePips: FEE_IN_STATE, parameter, constants };
}

/** A pool's state in its family's encoding. */
export function encodeState(pool: FamilyPool): PoolState {
  if (pool.family === "solidlyStable") {
    return encodeReserves([pool.reserve0, pool.reserve1], pool.feePips);
  }
  if (pool.family === "constantProduct") return encodeReserves([pool.reserve0, pool.reserve1]);
  const ticks = [...pool.ticks].sort(([a], [b]) => a - b);
  if (pool.contract === undefined) return encodeConcentrated({ ...pool, ticks });
  const feesPips = [directionFeePips(pool, true), directionFeePips(pool, false)] as const;
  return encodeConcentrated({ ...pool, ticks, feesPips });
}

export function poolIndexOf({ graph }: OpenMarket, pool: FamilyPool): PoolIndex {
  const index = graph.findPool(pool.address);
  if (index === undefined) throw new Error(`no pool ${pool.address}`);
  return index;
}

function parameterOf(pool: PlainPool): number {
  if (pool.family === "concentratedLiquidity") return pool.tickSpacing;
  return pool.rule === "feeInside" ? FEE_INSIDE : FEE_FIRST;
}
