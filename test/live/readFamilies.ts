import {
  type Engine,
  encodePoolId,
  FEE_IN_STATE,
  type PoolIndex,
  type PoolListing,
  type PoolState,
  poolKey,
} from "@millrace/core";
import {
  type Devnet,
  type FamilyPool,
  FamilyPools,
  type SolidlyState,
  type TicksState,
} from "@millrace/devnet";
import {
  ALGEBRA_INTEGRAL_STEPS,
  concentratedLiquidity,
  constantProduct,
  curves,
  encodeConcentrated,
  encodeReserves,
  FEE_FIRST,
  SLIPSTREAM_STEPS,
  solidlyStable,
  UNISWAP_V4_STEPS,
} from "@millrace/protocols";
import { batched } from "./batched.ts";
import type { Chain } from "./Chain.ts";
import type { FamilyReading } from "./FamilyReading.ts";
import { readManyTokens } from "./readManyTokens.ts";

/** Stands for a fee that a hook sets. */
const DYNAMIC_FEE = 0x800000;
/** Bits of the address of a hook that takes part in swaps. */
const SWAP_HOOKS = 0xccn;
const PIPS = 1_000_000;

/** All pools of the devnet's further families that can be quoted; the chain must stand still. */
export async function readFamilies(
  chain: Chain,
  devnet: Devnet,
): Promise<ReadonlyArray<FamilyReading>> {
  const { families } = devnet;
  if (families === undefined) return [];
  const reader = new FamilyPools(batched(chain), families.contracts);
  const quotable = families.pools.filter(({ fee, hooks = "0x0" }) => {
    return fee !== DYNAMIC_FEE && (BigInt(hooks) & SWAP_HOOKS) === 0n;
  });
  const readings = await Promise.all(
    quotable.map(async (pool) => readingOf(pool, await reader.state(pool))),
  );
  return [
    ...readings.filter((reading) => reading !== undefined),
    ...(await readManyTokens(chain, devnet)),
  ];
}

/** The graph's state of a pool of a further family. */
export function familyStateOf({ graph }: Engine["Service"], pool: PoolIndex): PoolState {
  const start = graph.poolStateStart[pool]!;
  const book = graph.poolBookStart[pool]!;
  const length = graph.poolBookLength[pool]!;
  const curve = graph.curveNames[graph.poolCurve[pool]!]!;
  const { stateWords } = curves.find(({ name }) => name === curve)!;
  const words = graph.stateWords.slice(start, start + stateWords(graph.poolTokenCount[pool]!));
  if (curve !== concentratedLiquidity.name) return { words };
  const keys = graph.bookKeys.slice(book, book + length);
  return { words, book: { keys, words: graph.bookWords.slice(2 * book, 2 * (book + length)) } };
}

function readingOf(
  pool: FamilyPool & { readonly dexId: string },
  state: TicksState | SolidlyState,
): FamilyReading | undefined {
  const { dexId, token0, token1 } = pool;
  const common = { dexId, tokens: [token0, token1], feePips: FEE_IN_STATE };
  if ("ticks" in state) {
    const fixed = pool.family === "pancake-v3" ? { feePips: pool.fee! } : {};
    const curve = concentratedLiquidity.name;
    const listing = { ...common, ...fixed, curve, ...namesOf(pool) };
    return { pool: named(pool), listing, state: ticksState(pool, state) };
  }
  if (state.isPaused) return undefined;
  const { reserve0, reserve1, fee, decimals0, decimals1 } = state;
  const address = pool.address;
  const listing =
    pool.family === "aerodrome-stable"
      ? {
          ...{ ...common, address, curve: solidlyStable.name, parameter: 0 },
          constants: BigUint64Array.of(BigInt(decimals0), BigInt(decimals1)),
        }
      : { ...common, address, curve: constantProduct.name, parameter: FEE_FIRST };
  const encoded = encodeReserves([reserve0, reserve1], 100 * fee);
  return { pool: named(pool), listing, state: encoded };
}

const named = ({ id, family }: FamilyPool) => ({ id, kind: family });

/** The identity of a pool with ticks, and the step rules of its contract. */
function namesOf(pool: FamilyPool): Omit<PoolListing, "dexId" | "tokens" | "feePips" | "curve"> {
  const { address, id, fee = 0, tickSpacing = 1, hooks = "0x0" } = pool;
  switch (pool.family) {
    case "uniswap-v4": {
      const words = [0, 1, 2].map((word) => BigInt.asUintN(64, BigInt(hooks) >> BigInt(64 * word)));
      const constants = BigUint64Array.of(UNISWAP_V4_STEPS, BigInt(fee), ...words);
      return {
        address: poolKey(id),
        parameter: tickSpacing,
        constants: encodePoolId(id, constants),
      };
    }
    case "slipstream":
      return { address, parameter: tickSpacing, constants: BigUint64Array.of(SLIPSTREAM_STEPS) };
    case "algebra-integral":
      // Its spacing may change, and binds new positions only.
      return { address, parameter: 1, constants: BigUint64Array.of(ALGEBRA_INTEGRAL_STEPS) };
    default:
      return { address, parameter: tickSpacing };
  }
}

function ticksState({ family }: FamilyPool, state: TicksState): PoolState {
  const { sqrtPriceX96, tick, liquidity, ticks, fee, protocolFee = 0 } = state;
  // Uniswap V4's protocol takes its fee first, and the pool its own of the rest.
  const after = (part: number) => part + fee - Math.floor((part * fee) / PIPS);
  const feesPips = [after(protocolFee & 0xfff), after(protocolFee >> 12)] as const;
  const fees = family === "pancake-v3" ? {} : { feesPips };
  return encodeConcentrated({ sqrtPriceX96, tick, liquidity, ticks, ...fees });
}
