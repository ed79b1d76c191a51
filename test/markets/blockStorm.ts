import {
  bookOf,
  type MarketBlock,
  NO_HASH,
  type OpenMarket,
  type PoolIndex,
  type PoolListing,
  type PoolState,
  readWords,
  readWords2,
} from "@millrace/core";
import { curves, encodeConcentrated, encodeReserves } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import { livePools } from "./changedMarket.ts";

/** Bounds of opened positions: far out, and multiples of every usual tick spacing. */
const POSITION_TICKS = 60_000;
/** Pools and tokens of a block that adds some. */
const NEW_POOLS = 40;

/**
 * Blocks that change a two-token market in every possible way: prices, books that grow and move,
 * pools that are added and later removed. Apply each to the market before asking for the next.
 * Storms over one market need different `addressesUsed` to add different pools.
 */
export function blockStorm(market: OpenMarket, random: RandomSource, addressesUsed = 0) {
  const { graph } = market;
  const template = graph.dexes.find(({ protocol }) => protocol === "constant-product")!;
  let addressCount = addressesUsed;
  let guests: PoolListing[] = [];
  const address = () => `0x5707${(addressCount++).toString(16).padStart(36, "0")}` as `0x${string}`;

  function newPools(): Pick<MarketBlock, "tokens" | "pools" | "states"> {
    const tokens = Array.from({ length: NEW_POOLS }, () => address());
    guests = tokens.map((token, n) => ({
      address: address(),
      dexId: template.id,
      tokens: [graph.tokenAddress(random.pick([0, 1, 2, 3, 4]) as never), tokens[n - 1] ?? token],
      feePips: 3_000,
      parameter: 0,
    }));
    const state = () => encodeReserves([10n ** 21n + random.bigint(10n ** 20n), 10n ** 21n]);
    return {
      tokens: tokens.map((token) => ({ address: token, decimals: 18, symbol: "G", name: "Guest" })),
      pools: guests,
      states: guests.map((pool) => ({ pool: pool.address, state: state() })),
    };
  }

  return (number: number, stateCount: number): MarketBlock => {
    const pools = livePools(market);
    const added = number % 4 === 0 ? newPools() : undefined;
    const gone = number % 4 === 2 ? guests : [];
    const removedPools = gone.map((pool) => pool.address);
    const states = Array.from({ length: stateCount }, () => random.pick(pools)).map((pool) => ({
      pool: graph.poolAddress(pool),
      state: changed(market, pool, random),
    }));
    return {
      stamp: { number, hash: NO_HASH, timestampMs: number },
      dexes: [],
      tokens: added?.tokens ?? [],
      pools: added?.pools ?? [],
      removedPools,
      states: [
        ...states.filter(({ pool }) => !removedPools.includes(pool)),
        ...(added?.states ?? []),
      ],
      swaps: [],
      supplies: [],
    };
  };
}

/** The state after a swap; or, where a pool has a book, with one more wide position. */
function changed(
  { graph, families }: OpenMarket,
  pool: PoolIndex,
  random: RandomSource,
): PoolState {
  const { keys, words: nets } = bookOf(graph, pool);
  const start = graph.poolStateStart[pool]!;
  if (keys.length > 0 && random.integer(2) === 0) {
    const words = graph.stateWords.subarray(start, start + 6);
    const added = 1n + readWords2(words, 3) / 50n;
    const ticks = new Map(
      Array.from(keys, (key, place) => [
        key,
        (nets[2 * place + 1]! << 64n) | BigInt.asUintN(64, nets[2 * place]!),
      ]),
    );
    const spacing = graph.poolParameter[pool]!;
    const tick = Number(BigInt.asIntN(64, words[5]!));
    const middle = Math.floor(tick / spacing) * spacing;
    const width = spacing * (1 + random.integer(POSITION_TICKS / spacing));
    const lower = middle - width;
    const upper = middle + width;
    ticks.set(lower, (ticks.get(lower) ?? 0n) + added);
    ticks.set(upper, (ticks.get(upper) ?? 0n) - added);
    return encodeConcentrated({
      sqrtPriceX96: readWords(words, 0, 3),
      tick,
      liquidity: readWords2(words, 3) + added,
      ticks: [...ticks].filter(([, net]) => net !== 0n).sort(([a], [b]) => a - b),
    });
  }
  const family = families[graph.poolCurve[pool]!]!;
  const position = random.integer(2);
  const amountIn = 1n + family.tokenAmounts(pool)[position]! / BigInt(50 + random.integer(1_000));
  const swap = family.swapExactIn(pool, position, 1 - position, amountIn);
  return swap?.state ?? { words: graph.stateWords.slice(start, start + stateWordsOf(pool)) };

  function stateWordsOf(of: PoolIndex): number {
    return curves[graph.poolCurve[of]!]!.stateWords(2);
  }
}
