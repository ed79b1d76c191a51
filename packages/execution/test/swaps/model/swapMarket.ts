import type { Address } from "@millrace/core";
import type { RouterTable } from "@millrace/execution";
import { RandomSource } from "@millrace/testing";
import { getSqrtRatioAtTick, type PlainMarket, type PlainPool } from "@millrace/testing/reference";

/**
 * A small market of its own for attacks on the builder of swaps: sound pools, dry ones, shallow
 * ones.
 */

/** The n-th address; ascending with n. */
export function addressOf(n: number): Address {
  return `0x${(0xc0de_0000 + n).toString(16).padStart(40, "7")}`;
}

export const TOKENS: ReadonlyArray<Address> = Array.from({ length: 6 }, (_, n) => addressOf(n));
export const WRAPPED = TOKENS[0]!;
export const SENDER = addressOf(0x900);
export const STRANGER = addressOf(0x901);
export const PARTNER = addressOf(0x902);
export const EXECUTOR = addressOf(0x800);
export const UNIVERSAL = addressOf(0x801);
export const PERMIT2 = addressOf(0x802);
export const NATIVE_PLACEHOLDER: Address = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
/** Sound addresses of another network: of a token and of a pool. */
export const FOREIGN_TOKEN = addressOf(0x700);
export const FOREIGN_POOL = addressOf(0x701);
export const NOW_SECONDS = 1_800_000_000;

export const TABLE: RouterTable = {
  chainId: 1,
  wrappedNative: WRAPPED,
  executor: EXECUTOR,
  universalRouter: {
    ...{ address: UNIVERSAL, version: "2.0", permit2: PERMIT2 },
    ...{ v2DexId: "UNISWAP_V2", v3DexId: "UNISWAP_V3" },
  },
};

const PAIRS = [
  { dexId: "UNISWAP_V2", feePips: 3000, rule: "feeInside" },
  { dexId: "OTHER_V2", feePips: 2500, rule: "feeInside" },
  { dexId: "OTHER_FIRST", feePips: 300, rule: "feeFirst" },
] as const;
const CONCENTRATED = [
  { dexId: "UNISWAP_V3", feePips: 500, tickSpacing: 10 },
  { dexId: "UNISWAP_V3", feePips: 3000, tickSpacing: 60 },
  { dexId: "OTHER_V3", feePips: 2500, tickSpacing: 50 },
] as const;

/** A pool of every two tokens on every dex. */
export function swapMarket(seed = 20_261): PlainMarket {
  const random = new RandomSource(seed);
  const pools: PlainPool[] = [];
  const next = (): Address => addressOf(0x100 + pools.length);
  for (let low = 0; low < TOKENS.length; low++) {
    for (let high = low + 1; high < TOKENS.length; high++) {
      const tokens = { token0: TOKENS[low]!, token1: TOKENS[high]! };
      for (const dex of PAIRS) {
        const [reserve0, reserve1] = [reserveOf(random), reserveOf(random)];
        const listing = { address: next(), ...dex, ...tokens };
        pools.push({ ...listing, family: "constantProduct", reserve0, reserve1 });
      }
      for (const dex of CONCENTRATED) {
        const listing = { address: next(), ...dex, ...tokens };
        pools.push({ ...listing, family: "concentratedLiquidity", ...book(dex, random) });
      }
    }
  }
  return { chainId: 1, block: 77, pools };
}

/** About a million whole tokens, as a rule; at times a handful of units. */
function reserveOf(random: RandomSource): bigint {
  if (random.integer(20) === 0) return 1n + random.bigint(5_000n);
  return 10n ** 24n + random.bigint(10n ** 23n);
}

/** Liquidity around the price, on two ranges. */
function book({ tickSpacing }: { readonly tickSpacing: number }, random: RandomSource) {
  const tick = random.integer(200) - 100;
  const scale = random.integer(20) === 0 ? 10n ** 6n : 10n ** 24n;
  const [near, far] = [scale + random.bigint(scale), scale + random.bigint(scale)];
  const [inner, outer] = [20 * tickSpacing, 400 * tickSpacing];
  return {
    sqrtPriceX96: getSqrtRatioAtTick(tick) + BigInt(random.integer(1_000)),
    tick,
    liquidity: near + far,
    ticks: new Map([
      [-outer, far],
      [-inner, near],
      [inner, -near],
      [outer, -far],
    ]),
  };
}
