import type { GeneratedFamily } from "@millrace/replay";
import { allPools, commonPools } from "./candidates.ts";
import type { OpenPeer } from "./Peer.ts";
import { openPancakeSmartRouter, PANCAKESWAP_V2_FEE_PIPS } from "./pancakeSmartRouter.ts";
import { openUniswapRouter } from "./uniswapRouter.ts";
import { openUniswapV2 } from "./uniswapV2.ts";
import { openUniswapV3 } from "./uniswapV3.ts";

/** A library, the markets that it can take, and how it is asked. */
export interface Contest {
  /** In figures. */
  readonly name: string;
  readonly title: string;
  readonly families: ReadonlyArray<GeneratedFamily>;
  readonly constantProductFeePips: number;
  /** For both. */
  readonly maxSplits: number;
  /** The largest market at which it ends in time. */
  readonly poolCountMax: number;
  readonly open: OpenPeer;
}

const UNISWAP_V2_FEE_PIPS = 3_000;
const UNISWAP = {
  constantProductFeePips: UNISWAP_V2_FEE_PIPS,
  maxSplits: 1,
  poolCountMax: Number.POSITIVE_INFINITY,
};
/** Each path through 400 pools takes up to a second, and through 4,000 minutes. */
const ALL_POOLS_MAX = 400;
const MIXED: ReadonlyArray<GeneratedFamily> = ["constant-product", "concentrated-liquidity"];
/** More than the four that it takes by default. */
const SPLITS = 8;

export const CONTESTS: ReadonlyArray<Contest> = [
  {
    ...UNISWAP,
    name: "v2-sdk",
    title: "@uniswap/v2-sdk",
    families: ["constant-product"],
    open: (market) => openUniswapV2(market, commonPools),
  },
  {
    ...UNISWAP,
    name: "v2-sdk-all",
    title: "@uniswap/v2-sdk, given all pools",
    families: ["constant-product"],
    poolCountMax: ALL_POOLS_MAX,
    open: (market) => openUniswapV2(market, allPools),
  },
  {
    ...UNISWAP,
    name: "v3-sdk",
    title: "@uniswap/v3-sdk",
    families: ["concentrated-liquidity"],
    open: (market) => openUniswapV3(market, commonPools),
  },
  {
    ...UNISWAP,
    name: "router-sdk",
    title: "@uniswap/router-sdk",
    families: MIXED,
    open: (market) => openUniswapRouter(market, commonPools),
  },
  {
    ...UNISWAP,
    name: "router-sdk-all",
    title: "@uniswap/router-sdk, given all pools",
    families: MIXED,
    poolCountMax: ALL_POOLS_MAX,
    open: (market) => openUniswapRouter(market, allPools),
  },
  {
    name: "smart-router",
    title: "@pancakeswap/smart-router",
    families: MIXED,
    constantProductFeePips: PANCAKESWAP_V2_FEE_PIPS,
    maxSplits: SPLITS,
    poolCountMax: Number.POSITIVE_INFINITY,
    open: (market) => openPancakeSmartRouter(market, commonPools),
  },
];
