import {
  type Address,
  FEE_IN_STATE,
  type MarketOptions,
  NO_HASH,
  type OpenMarket,
  openMarket,
  type PoolListing,
  type QuoteRequest,
  type TokenIndex,
} from "@millrace/core";
import { DIVIDES_EACH, encodeStableSwap } from "@millrace/protocols";
import { encodeBalances, type RandomSource } from "@millrace/testing";
import { MIXED_CURVES } from "./mixedMarket.ts";

/** A weighted pool; tokens are numbered, and ascend as their addresses do. */
export interface WeightedPool {
  readonly tokens: ReadonlyArray<number>;
  readonly weights: ReadonlyArray<bigint>;
  readonly balances: ReadonlyArray<bigint>;
  readonly feePips: number;
}

/** A pool of Curve's StableSwap, with tokens as above; all of its fee leaves the pool. */
export interface StablePool {
  readonly tokens: ReadonlyArray<number>;
  readonly balances: ReadonlyArray<bigint>;
  /** See `StableSwapState`. */
  readonly rates: ReadonlyArray<bigint>;
  readonly amp: bigint;
  readonly fee: bigint;
}

export type ManyTokenPool = WeightedPool | StablePool;

const FEES = [100, 500, 3_000, 10_000];
const STABLE_FEES = [100, 400, 1_000, 4_000];
const AMPS = [20n, 100n, 400n, 2_000n];
const AMP_PRECISION = 100n;
const E10 = 10n ** 10n;
const E18 = 10n ** 18n;
/** The ratio of scaled balances of stable pools to those of weighted ones, for depth. */
const STABLE_SCALE = 2n ** 20n;
/** The largest relative deviation of a balance from the others. */
const SKEW_MAX = 0.3;
const WILD_FEES = [0, 1, 500_000, 999_999, ...FEES];
const BALANCE_END = 2n ** 63n;
/**
 * The largest deviation of a token's price, as a part of the fee: two opposite deviations stay
 * within the fee.
 */
const DRIFT = 0.45;

/** Pools of three to eight tokens that could be anything. */
export function wildPools(random: RandomSource, tokenCount: number): WeightedPool[] {
  return Array.from({ length: random.between(2, 5) }, () => {
    const tokens = someTokens(random, tokenCount, random.between(3, 8));
    const bits = random.pick([10, 30, 50, 62]);
    return {
      tokens,
      weights: tokens.map(() => random.pick([1n, 2n, 4n])),
      balances: tokens.map(() => (random.chance(0.03) ? 0n : random.amount(bits))),
      feePips: random.pick(WILD_FEES),
    };
  });
}

/**
 * Pools of two to eight tokens at prices that agree up to their fees, of depths within 2^6 of each
 * other: where paths through several pairs of one pool compete, and no round trip pays.
 */
export function sensiblePools(random: RandomSource, tokenCount: number): WeightedPool[] {
  const worth = someWorths(random, tokenCount);
  return Array.from({ length: random.between(2, 6) }, (_, place) =>
    sensibleWeighted(random, worth, sensibleTokens(random, tokenCount, place)),
  );
}

/** As `sensiblePools`, with StableSwap pools only, or as every other one. */
export function sensibleStablePools(
  random: RandomSource,
  tokenCount: number,
  areMixed: boolean,
): ManyTokenPool[] {
  const worth = someWorths(random, tokenCount);
  return Array.from({ length: random.between(2, 6) }, (_, place) => {
    const tokens = sensibleTokens(random, tokenCount, place);
    return areMixed && place % 2 === 1
      ? sensibleWeighted(random, worth, tokens)
      : sensibleStable(random, worth, tokens);
  });
}

const someWorths = (random: RandomSource, tokenCount: number): number[] =>
  Array.from({ length: tokenCount }, () => 2 ** random.between(-8, 8));

const sensibleTokens = (random: RandomSource, tokenCount: number, place: number): number[] =>
  someTokens(random, tokenCount, place < 2 ? random.between(3, 8) : random.between(2, 8));

/** From -1 to 1. */
const anyPart = (random: RandomSource): number => random.integer(2_001) / 1_000 - 1;

function sensibleWeighted(
  random: RandomSource,
  worth: ReadonlyArray<number>,
  tokens: number[],
): WeightedPool {
  const weights = tokens.map(() => random.pick([1n, 1n, 2n, 4n]));
  const depth = 2 ** (40 + random.integer(600) / 100);
  const feePips = random.pick(FEES);
  const balances = tokens.map((token, at) => {
    const drift = 1 + ((DRIFT * feePips) / 1e6) * anyPart(random);
    return BigInt(Math.floor((depth * Number(weights[at]!) * drift) / worth[token]!));
  });
  return { tokens, weights, balances, feePips };
}

/** Near balance, a price moves less than a balance, by a part of A. */
function sensibleStable(
  random: RandomSource,
  worth: ReadonlyArray<number>,
  tokens: number[],
): StablePool {
  const a = random.pick(AMPS);
  const feePips = random.pick(STABLE_FEES);
  const depth = 2 ** (40 + random.integer(600) / 100);
  const skew = Math.min(SKEW_MAX, (DRIFT * feePips * Number(a)) / 1e6);
  return {
    tokens,
    balances: tokens.map((token) =>
      BigInt(Math.floor((depth * (1 + skew * anyPart(random))) / worth[token]!)),
    ),
    rates: tokens.map(
      (token) => BigInt(Math.floor(worth[token]! * 2 ** 30)) * (E18 >> 30n) * STABLE_SCALE,
    ),
    amp: a * AMP_PRECISION,
    fee: (BigInt(feePips) * E10) / 1_000_000n,
  };
}

function someTokens(random: RandomSource, tokenCount: number, count: number): number[] {
  const all = Array.from({ length: tokenCount }, (_, token) => token);
  return random
    .shuffled(all)
    .slice(0, Math.min(count, tokenCount))
    .sort((a, b) => a - b);
}

const address = (first: string, number: number): Address =>
  `0x${first}${number.toString(16).padStart(38, "0")}`;

/** The market of these pools; token n of theirs is the graph's token n. */
export function manyTokenMarket(
  tokenCount: number,
  pools: ReadonlyArray<ManyTokenPool>,
  options: MarketOptions = {},
): OpenMarket {
  const market = openMarket(1, MIXED_CURVES, options);
  const tokens = Array.from({ length: tokenCount }, (_, n) => address("aa", n));
  const listings = pools.map(
    (pool, n): PoolListing => ({
      ...{ address: address("bb", n), dexId: `DEX_${n % 2}` },
      tokens: pool.tokens.map((token) => tokens[token]!),
      ...shapeOf(pool),
    }),
  );
  const { rejected } = market.writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [0, 1].map((n) => ({
      ...{ id: `DEX_${n}`, name: `Dex ${n}`, protocol: "any", factory: address("cc", n) },
    })),
    tokens: tokens.map((token, n) => ({
      ...{ address: token, decimals: 18, symbol: `T${n}`, name: `Token ${n}` },
    })),
    pools: listings,
    removedPools: [],
    states: listings.map((listing, n) => ({ pool: listing.address, state: stateOf(pools[n]!) })),
    ...{ swaps: [], supplies: [] },
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  return market;
}

function shapeOf(pool: ManyTokenPool) {
  return "weights" in pool
    ? {
        ...{ curve: "weighted-for-tests", feePips: pool.feePips, parameter: 0 },
        constants: BigUint64Array.from(pool.weights),
      }
    : {
        ...{ curve: "stable-swap", feePips: FEE_IN_STATE, parameter: DIVIDES_EACH },
        constants: BigUint64Array.of(AMP_PRECISION),
      };
}

function stateOf(pool: ManyTokenPool) {
  return "weights" in pool
    ? encodeBalances(pool.balances.map((each) => (each < BALANCE_END ? each : 0n)))
    : encodeStableSwap({ ...pool, offpegFeeMultiplier: 0n, adminFee: E10 });
}

/** Two of the market's tokens, and an amount from dust to more than its pools hold. */
export function anyRequest(
  random: RandomSource,
  tokenCount: number,
  maxHops: number,
): QuoteRequest {
  const tokens = random.shuffled(Array.from({ length: tokenCount }, (_, n) => n));
  const [tokenIn, tokenOut] = tokens as [TokenIndex, TokenIndex];
  return {
    ...{ tokenIn, tokenOut, kind: random.pick(["exactIn", "exactOut"]), maxHops },
    amount: random.amount(random.pick([4, 20, 40, 60, 70])),
    ...(random.chance(0.2) && { gasPrice: random.pick([1e-6, 1, 1e6]) }),
  };
}
