import type { GeneratedFamily } from "@millrace/replay";

/** A library that is compared with ours, and the markets that it can take. */
export interface Library {
  /** The name in figures. */
  readonly name: string;
  readonly title: string;
  readonly families: ReadonlyArray<GeneratedFamily>;
  /** The library's one fee for all pools of x·y = k. */
  readonly constantProductFeePips: number;
  /** The most paths of a quote, of the library and of ours. */
  readonly maxSplits: number;
  /** Pools of the largest market in which the library ends in time. */
  readonly poolCountMax: number;
}

/** Pools of the markets of a full run. */
export const POOL_COUNTS: ReadonlyArray<number> = [400, 4_000];

/** Inputs of trades, as parts of the deepest pool's holding of the input token. */
export const TRADE_SIZES = [
  { name: "0.01%", divisor: 10_000n },
  { name: "1%", divisor: 100n },
  { name: "10%", divisor: 10n },
] as const;

export type TradeSize = (typeof TRADE_SIZES)[number]["name"];

const UNISWAP = {
  constantProductFeePips: 3_000,
  maxSplits: 1,
  poolCountMax: Number.POSITIVE_INFINITY,
};
/** The one fee of pairs in smart-router's arithmetic. */
const PANCAKESWAP_V2_FEE_PIPS = 2_500;
/** Trying all paths takes up to a second with 400 pools, and minutes with 4,000. */
const ALL_POOLS_MAX = 400;
const MIXED: ReadonlyArray<GeneratedFamily> = ["constant-product", "concentrated-liquidity"];
/** More than the four that smart-router takes by default. */
const SPLITS = 8;

const LIBRARIES = [
  { ...UNISWAP, name: "v2-sdk", title: "@uniswap/v2-sdk", families: ["constant-product"] },
  {
    ...UNISWAP,
    name: "v2-sdk-all",
    title: "@uniswap/v2-sdk, given all pools",
    families: ["constant-product"],
    poolCountMax: ALL_POOLS_MAX,
  },
  { ...UNISWAP, name: "v3-sdk", title: "@uniswap/v3-sdk", families: ["concentrated-liquidity"] },
  { ...UNISWAP, name: "router-sdk", title: "@uniswap/router-sdk", families: MIXED },
  {
    ...UNISWAP,
    name: "router-sdk-all",
    title: "@uniswap/router-sdk, given all pools",
    families: MIXED,
    poolCountMax: ALL_POOLS_MAX,
  },
  {
    name: "smart-router",
    title: "@pancakeswap/smart-router",
    families: MIXED,
    constantProductFeePips: PANCAKESWAP_V2_FEE_PIPS,
    maxSplits: SPLITS,
    poolCountMax: Number.POSITIVE_INFINITY,
  },
] as const satisfies ReadonlyArray<Library>;

export type LibraryName = (typeof LIBRARIES)[number]["name"];

/** One library and one size of its markets. */
interface Pairing {
  readonly library: Library & { readonly name: LibraryName };
  readonly poolCount: number;
}

/** Each library on each size of market where it ends in time, smallest markets first. */
export function pairings(poolCounts: ReadonlyArray<number>): ReadonlyArray<Pairing> {
  return poolCounts.flatMap((poolCount) =>
    LIBRARIES.filter(({ poolCountMax }) => poolCount <= poolCountMax).map((library) => ({
      library,
      poolCount,
    })),
  );
}
