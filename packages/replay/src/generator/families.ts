import { encodePoolId, FEE_IN_STATE, type PoolId } from "@millrace/core";
import {
  ALGEBRA_INTEGRAL_STEPS,
  CRYPTO_CONTRACTS,
  concentratedLiquidity,
  constantProduct,
  cryptoSwap,
  DIVIDES_EACH,
  DIVIDES_ONCE,
  encodeCrypto,
  encodeCryptoConstants,
  encodeStableSwap,
  FEE_FIRST,
  FEE_INSIDE,
  invariantOf,
  KEEPS_ORACLE,
  SLIPSTREAM_STEPS,
  sharesAtPar,
  solidlyStable,
  stableSwap,
  UNISWAP_V4_STEPS,
} from "@millrace/protocols";
import { stablePools, weightedPools } from "./balancerPools.ts";
import type { FeeTier, GeneratedDex } from "./chains.ts";
import {
  type DrawPool,
  drawPair,
  drawTicks,
  type PoolTerms,
  reservesOf,
  ticksOf,
} from "./drawPool.ts";
import type { Random } from "./Random.ts";

/** A family of which a generated market may have a share, with its DEX. */
export interface FamilyDex extends GeneratedDex {
  /** Whether its pools are of tokens with the same price. */
  readonly isForPegs: boolean;
  /** The most tokens of one of its pools. */
  readonly tokenCountMax: number;
  readonly draw: DrawPool;
}

/** 32-bit words of a 32-byte id after its address. */
const MORE_ID_WORDS = 3;

const PIPS = 1_000_000;
/** Fees that change with time rise above the lowest by quarters of it, fewer than so many. */
const FEE_QUARTERS = 9;
const FEE_MAX = 20_000;
/** Uniswap V4's protocol takes a quarter of the providers' fee, in some pools and directions. */
const PROTOCOL_FEE_SHARE = 0.3;
const PROTOCOL_FEE_MAX = 1_000;
/** The terms of Curve's pools: A and its precision, and parts of 10^10. */
const STABLE_A = [1_000, 2_000, 5_000];
const STABLE_A_PRECISION = 100;
const STABLE_FEE_PER_PIP = 10_000;
const STABLE_FEE_MULTIPLIER = 20_000_000_000n;
const STABLE_ADMIN_FEE = 5_000_000_000n;
/** Their balances differ by up to this part; with these A that hardly moves the price. */
const STABLE_SKEW = 0.05;

export const FAMILIES = {
  "uniswap-v4": family("UNISWAP_V4", "uniswap-v4", {
    feeTiers: tiers([3_000, 60], [10_000, 200], [500, 10], [100, 1]),
    draw: (random, tier, terms) => {
      const id: PoolId = `${terms.address}${random.hex(MORE_ID_WORDS).slice(2)}`;
      const fees = [
        withProtocolFee(random, tier.feePips),
        withProtocolFee(random, tier.feePips),
      ] as const;
      return {
        curve: concentratedLiquidity.name,
        feePips: FEE_IN_STATE,
        parameter: tier.parameter,
        constants: encodePoolId(id, BigUint64Array.of(UNISWAP_V4_STEPS)),
        state: ticksOf(random, tier, terms, fees),
      };
    },
  }),
  slipstream: family("SLIPSTREAM", "slipstream", {
    feeTiers: tiers([3_000, 200], [10_000, 2_000], [500, 100], [100, 1]),
    draw: changingFee(SLIPSTREAM_STEPS),
  }),
  "algebra-integral": family("ALGEBRA_INTEGRAL", "algebra-integral", {
    feeTiers: tiers([500, 60]),
    draw: changingFee(ALGEBRA_INTEGRAL_STEPS),
  }),
  "pancake-v3": family("PANCAKESWAP_V3", concentratedLiquidity.name, {
    feeTiers: tiers([2_500, 50], [10_000, 200], [500, 10], [100, 1]),
    draw: drawTicks,
  }),
  "pancake-v2": family("PANCAKESWAP_V2", constantProduct.name, {
    feeTiers: tiers([2_500, FEE_INSIDE]),
    draw: drawPair,
  }),
  "aerodrome-volatile": family("AERODROME", "aerodrome", {
    feeTiers: tiers([3_000, FEE_FIRST], [10_000, FEE_FIRST]),
    draw: (_random, { feePips, parameter }, terms) => ({
      curve: constantProduct.name,
      feePips: FEE_IN_STATE,
      parameter,
      state: reservesOf(terms, feePips),
    }),
  }),
  "aerodrome-stable": family("AERODROME", "aerodrome", {
    isForPegs: true,
    feeTiers: tiers([500, 0]),
    draw: (_random, { feePips, parameter }, terms) => ({
      curve: solidlyStable.name,
      feePips: FEE_IN_STATE,
      parameter,
      constants: BigUint64Array.from(terms.decimals, BigInt),
      state: reservesOf(atSolidlyPrice(terms), feePips),
    }),
  }),
  "curve-crypto": family("CURVE_CRYPTO", "curve-crypto", {
    feeTiers: tiers([2_600, 0], [500, 0]),
    draw: (_random, { feePips, parameter }, terms) => ({
      curve: cryptoSwap.name,
      feePips: FEE_IN_STATE,
      parameter,
      ...balancedCrypto(terms, feePips),
    }),
  }),
  "balancer-v2-weighted": family("BALANCER_V2", "balancer-v2", {
    feeTiers: tiers([3_000, 50], [10_000, 80], [2_000, 20], [500, 50]),
    draw: weightedPools(2),
  }),
  "balancer-v2-stable": family("BALANCER_V2", "balancer-v2", {
    isForPegs: true,
    feeTiers: tiers([400, 200]),
    draw: stablePools(2),
  }),
  "balancer-v3-weighted": family("BALANCER_V3", "balancer-v3", {
    feeTiers: tiers([3_000, 50], [10_000, 80], [2_000, 20], [500, 50]),
    draw: weightedPools(3),
  }),
  "balancer-v3-stable": family("BALANCER_V3", "balancer-v3", {
    isForPegs: true,
    feeTiers: tiers([200, 1_000]),
    draw: stablePools(3),
  }),
  "curve-stable": family("CURVE_STABLE", "curve-stable", {
    isForPegs: true,
    tokenCountMax: 4,
    feeTiers: tiers([400, DIVIDES_EACH]),
    draw: drawStableSwap(0n),
  }),
  "curve-stable-ng": family("CURVE_STABLE_NG", "curve-stable", {
    isForPegs: true,
    tokenCountMax: 4,
    feeTiers: tiers([100, DIVIDES_ONCE | KEEPS_ORACLE]),
    draw: drawStableSwap(STABLE_FEE_MULTIPLIER),
  }),
} satisfies Record<string, FamilyDex>;

/** A family besides the constant-product and concentrated pools of every generated market. */
export type SharedFamily = keyof typeof FAMILIES;

/** All further families. */
export const sharedFamilies = Object.keys(FAMILIES) as ReadonlyArray<SharedFamily>;

function family(
  dexId: string,
  protocol: string,
  rest: Pick<FamilyDex, "feeTiers" | "draw"> &
    Partial<Pick<FamilyDex, "isForPegs" | "tokenCountMax">>,
): FamilyDex {
  return { dexId, protocol, weight: 1, isForPegs: false, tokenCountMax: 2, ...rest };
}

function tiers(...list: ReadonlyArray<readonly [feePips: number, parameter: number]>): FeeTier[] {
  return list.map(([feePips, parameter]) => ({ feePips, parameter }));
}

/** Pools with ticks whose fee changes with time. */
function changingFee(steps: bigint): DrawPool {
  return (random, tier, terms) => {
    const raised = tier.feePips + Math.floor((random.below(FEE_QUARTERS) * tier.feePips) / 4);
    const feePips = Math.min(FEE_MAX, raised);
    return {
      curve: concentratedLiquidity.name,
      feePips: FEE_IN_STATE,
      parameter: tier.parameter,
      constants: BigUint64Array.of(steps),
      state: ticksOf(random, tier, terms, [feePips, feePips]),
    };
  };
}

/** Pools of Curve's StableSwap, of all tokens in the terms. */
function drawStableSwap(offpegFeeMultiplier: bigint): DrawPool {
  return (random, { feePips, parameter }, { reserve0, reserve1, decimals, further }) => {
    const sides = [
      { reserve: reserve0, decimals: decimals[0] },
      { reserve: reserve1, decimals: decimals[1] },
      ...further,
    ];
    const balances = sides.map(({ reserve }) =>
      BigInt(Math.floor(reserve * random.between(1 - STABLE_SKEW, 1 + STABLE_SKEW))),
    );
    return {
      curve: stableSwap.name,
      feePips: FEE_IN_STATE,
      parameter,
      constants: BigUint64Array.of(BigInt(STABLE_A_PRECISION)),
      state: encodeStableSwap({
        balances,
        rates: sides.map((side) => 10n ** BigInt(36 - side.decimals)),
        amp: BigInt(random.pick(STABLE_A) * STABLE_A_PRECISION),
        fee: BigInt(feePips * STABLE_FEE_PER_PIP),
        offpegFeeMultiplier,
        adminFee: STABLE_ADMIN_FEE,
      }),
    };
  };
}

function withProtocolFee(random: Random, lpFee: number): number {
  const share = random.chance(PROTOCOL_FEE_SHARE) ? Math.floor(lpFee / 4) : 0;
  const protocolFee = Math.min(PROTOCOL_FEE_MAX, share);
  return protocolFee + lpFee - Math.floor((protocolFee * lpFee) / PIPS);
}

/**
 * The reserves at which x³y + xy³ has the price that x·y would have. With q = y / x, the price of
 * token0 is (3q + q³) / (1 + 3q²), which hardly moves around q = 1. Found by halving.
 */
function atSolidlyPrice({ reserve0, reserve1, stray }: PoolTerms) {
  let low = 0.5;
  let high = 2;
  for (let halving = 0; halving < 50; halving++) {
    const q = (low + high) / 2;
    if (3 * q + q * q * q < stray * (1 + 3 * q * q)) low = q;
    else high = q;
  }
  return { reserve0, reserve1: (reserve1 / stray) * low };
}

/** The usual terms of Twocrypto-NG pools. */
const CRYPTO_TERMS = {
  aMultiplier: 10_000n,
  a: 400_000n,
  gamma: 145_000_000_000_000n,
  feeGamma: 230_000_000_000_000n,
};
const TWO_TOKENS = CRYPTO_CONTRACTS.findIndex(({ kind }) => kind === "twoNG");
/** The fee out of balance, and a pip, in the contract's unit. */
const OUT_FEE = 45_000_000n;
const CRYPTO_FEE_A_PIP = 10_000n;

/** A pool in balance at the market's price. */
function balancedCrypto({ reserve0, reserve1, decimals }: PoolTerms, feePips: number) {
  const price = (reserve0 / 10 ** decimals[0]) * (10 ** decimals[1] / reserve1);
  const pool = {
    ...CRYPTO_TERMS,
    contract: CRYPTO_CONTRACTS[TWO_TOKENS]!,
    precisions: decimals.map((each) => 10n ** BigInt(18 - each)),
    balances: [BigInt(Math.floor(reserve0)), BigInt(Math.floor(reserve1))],
    priceScale: [BigInt(Math.floor(price * 1e18))],
    midFee: BigInt(feePips) * CRYPTO_FEE_A_PIP,
    outFee: OUT_FEE,
  };
  const d = invariantOf(pool);
  return {
    constants: encodeCryptoConstants(TWO_TOKENS, pool.aMultiplier, pool.precisions),
    state: encodeCrypto({ ...pool, d, ...sharesAtPar(pool, d) }),
  };
}
