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
  type QuoteRequest,
  type TokenIndex,
} from "@millrace/core";
import { curves, encodeStableSwap, wrapperState } from "@millrace/protocols";
import { encodeBalances, type RandomSource, weightedCurve } from "@millrace/testing";
import {
  type BalancerPool,
  balancerListing,
  type CryptoKind,
  cryptoShape,
  cryptoStateOf,
  drawBalancerPool,
  drawCrypto,
  encodeBalancer,
  encodeState,
  type FamilyPool,
  listingOf,
  poolOf,
  stablePool,
  stableSwapPoolOf,
} from "@millrace/testing/reference";
import fc from "fast-check";

/** The curves of the registry, and one of many tokens that only tests have. */
export const MIXED_CURVES: ReadonlyArray<Curve> = [...curves, weightedCurve];

interface DrawnPool {
  readonly listing: Omit<PoolListing, "address" | "dexId" | "tokens" | "curve">;
  readonly state: PoolState;
}

/** Draws a pool of a curve, with at most `tokensMax` tokens. */
interface PoolMaker {
  readonly tokensMax: number;
  readonly draw: (random: RandomSource, tokenCount: number) => DrawnPool;
}

const FEES = [0, 1, 100, 3_000, 10_000, 500_000, 999_999];

/** By `Curve.name`: a curve of the registry without an entry here fails the suites. */
const MAKERS: Readonly<Record<string, PoolMaker>> = {
  "constant-product": pairOf(poolOf("constantProduct", 0, 0, 1)),
  "concentrated-liquidity": pairOf(poolOf("concentratedLiquidity", 0, 0, 1)),
  "solidly-stable": pairOf(stablePool),
  "stable-swap": { tokensMax: 8, draw: stableSwapPool },
  "crypto-swap": { tokensMax: 3, draw: cryptoPool },
  wrapper: { tokensMax: 2, draw: wrapperPool },
  [weightedCurve.name]: { tokensMax: 8, draw: weightedPool },
  weighted: balancerOf("weighted"),
  "balancer-stable": balancerOf("stable"),
};

function pairOf(pool: fc.Arbitrary<FamilyPool>): PoolMaker {
  return {
    tokensMax: 2,
    draw: (random) => {
      const seed = random.integer(2 ** 31);
      const [drawn] = fc.sample(pool, { seed, numRuns: 1 });
      const { address: _, dexId: _dex, tokens: _tokens, ...listing } = listingOf(drawn!);
      return { listing, state: encodeState(drawn!) };
    },
  };
}

const CRYPTO_OF_TWO: ReadonlyArray<CryptoKind> = ["two20", "two21", "two21b"];
const CRYPTO_OF_THREE: ReadonlyArray<CryptoKind> = ["tri", "triNG"];

function cryptoPool(random: RandomSource, tokenCount: number): DrawnPool {
  const kind = random.pick(tokenCount === 2 ? CRYPTO_OF_TWO : CRYPTO_OF_THREE);
  const drawn = drawCrypto(random, kind);
  const { decimals: _, ...listing } = cryptoShape(drawn);
  return { listing, state: cryptoStateOf(drawn) };
}

/** Curves whose contracts have formulas of their own for exact outputs. */
export const OWN_OUTPUTS: ReadonlySet<string> = new Set(["weighted", "balancer-stable"]);

function balancerOf(name: BalancerPool["math"]["name"]): PoolMaker {
  return {
    tokensMax: 5,
    draw: (random, tokenCount) => {
      const drawn = drawBalancerPool(random, name, tokenCount);
      const { address: _, tokens: _tokens, curve: _curve, ...listing } = balancerListing(drawn);
      return { listing, state: encodeBalancer(drawn) };
    },
  };
}

function stableSwapPool(random: RandomSource, tokenCount: number): DrawnPool {
  const seed = random.integer(2 ** 31);
  const [pool] = fc.sample(stableSwapPoolOf(tokenCount), { seed, numRuns: 1 });
  const { rules: parameter, aPrecision } = pool!;
  const constants = BigUint64Array.of(aPrecision);
  return {
    listing: { feePips: FEE_IN_STATE, parameter, constants },
    state: encodeStableSwap(pool!),
  };
}

function weightedPool(random: RandomSource, tokenCount: number): DrawnPool {
  const bits = random.pick([10, 30, 50, 62]);
  const weights = Array.from({ length: tokenCount }, () => random.pick([1n, 2n, 4n]));
  const balances = weights.map(() => (random.chance(0.03) ? 0n : random.amount(bits)));
  return {
    listing: {
      feePips: random.pick(FEES),
      parameter: 0,
      constants: BigUint64Array.from(weights),
    },
    state: encodeBalances(balances),
  };
}

/**
 * A wrapper with a rate of about 1, or with any totals; its limits are nothing, a part of them, or
 * all.
 */
function wrapperPool(random: RandomSource): DrawnPool {
  const shares = random.amount(random.pick([10, 60, 126]));
  const gain = BigInt(random.between(900, 1_900));
  const assets = random.chance(0.5) ? (shares * gain) / 1_000n : random.amount(120);
  const limit = () => random.pick([0n, random.amount(60), (1n << 128n) - 1n]);
  const [offset, counting] = [random.between(0, 18), random.integer(3)];
  const [virtualShares, virtualAssets] = random.chance(0.5)
    ? [10n ** BigInt(offset), 1n]
    : [0n, 0n];
  const rule = { counting, virtualShares, virtualAssets };
  return {
    listing: { feePips: 0, parameter: 0 },
    state: wrapperState({ ...rule, shares, assets, depositMax: limit(), redeemMax: limit() }),
  };
}

const address = (first: string, number: number): Address =>
  `0x${first}${number.toString(16).padStart(38, "0")}`;

/** Three to seven tokens, and up to ten pools of any curve between them. */
export function mixedMarket(random: RandomSource, options: MarketOptions = {}): OpenMarket {
  const market = openMarket(1, MIXED_CURVES, options);
  const tokens = Array.from({ length: random.between(3, 7) }, (_, n) => address("aa", n));
  const names = MIXED_CURVES.map(({ name }) => name);
  const pools = Array.from({ length: random.between(2, 10) }, (_, n) => {
    const curve = random.pick(names);
    const maker = MAKERS[curve]!;
    const count = Math.min(random.between(2, maker.tokensMax), tokens.length);
    const own = random.shuffled(tokens).slice(0, count).sort();
    const { listing, state } = maker.draw(random, count);
    const pool: PoolListing = {
      ...{ address: address("bb", n), dexId: `DEX_${n % 3}`, tokens: own, curve },
      ...listing,
    };
    return { pool, state };
  });
  const { rejected } = market.writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [0, 1, 2].map((n) => ({
      ...{ id: `DEX_${n}`, name: `Dex ${n}`, protocol: "any", factory: address("cc", n) },
    })),
    tokens: tokens.map((token, n) => ({
      ...{ address: token, decimals: 18, symbol: `T${n}`, name: `Token ${n}` },
    })),
    pools: pools.map(({ pool }) => pool),
    removedPools: [],
    states: pools.map(({ pool, state }) => ({ pool: pool.address, state })),
    ...{ swaps: [], supplies: [] },
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  return market;
}

/** Two of the market's tokens, and an amount from dust to more than its pools hold. */
export function mixedRequest(random: RandomSource, { graph }: OpenMarket): QuoteRequest {
  const tokens = random.shuffled(Array.from({ length: graph.tokenCount }, (_, n) => n));
  const [tokenIn, tokenOut] = tokens as [TokenIndex, TokenIndex];
  return {
    ...{ tokenIn, tokenOut, kind: random.pick(["exactIn", "exactOut"]) },
    amount: random.amount(random.pick([4, 20, 60, 120, 200])),
    maxHops: random.between(1, 4),
    ...(random.chance(0.3) && { gasPrice: random.pick([0, 1e-6, 1, 1e6]) }),
  };
}

/** A pool of a curve that takes each of its tokens. */
export function drawPool(random: RandomSource, curve: string) {
  for (;;) {
    const market = mixedMarket(random);
    const { graph, families } = market;
    const found = Array.from({ length: graph.poolCount }, (_, pool) => pool as PoolIndex).find(
      (pool) => graph.curveNames[graph.poolCurve[pool]!] === curve,
    );
    if (found === undefined) continue;
    const family = families[graph.poolCurve[found]!]!;
    const count = graph.poolTokenCount[found]!;
    const takes = (own: number) => family.capacityIn(found, own, (own + 1) % count) > 0;
    if (Array.from({ length: count }, (_, own) => own).every(takes)) {
      return { market, pool: found, family };
    }
  }
}
