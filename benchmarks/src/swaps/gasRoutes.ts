/**
 * Pools of the devnet that a measured swap goes through, path after path: the DEX and the token
 * behind it.
 */
export interface GasRoute {
  /** In the names of figures. */
  readonly name: string;
  /** In the table. */
  readonly title: string;
  readonly from: string;
  readonly paths: ReadonlyArray<ReadonlyArray<GasHop>>;
  readonly kind?: "exactOut";
  readonly isNativeIn?: true;
  readonly isNativeOut?: true;
  readonly feeBps?: number;
}

export interface GasHop {
  readonly dexId: string;
  readonly to: string;
  /** For a DEX that has pools of the same tokens with several fees. */
  readonly feePips?: number;
}

const pair = (to: string): GasHop => ({ dexId: "UNISWAP_V2", to });
const fork = (to: string): GasHop => ({ dexId: "PANCAKESWAP_V2", to });
const sister = (to: string): GasHop => ({ dexId: "SUSHISWAP_V2", to });
const pool = (to: string, feePips = 3_000): GasHop => ({ dexId: "UNISWAP_V3", to, feePips });

const single = { from: "LINK", paths: [[pool("WETH")]] };
const split = [
  [pool("USDC", 500)],
  [pool("USDC", 3_000)],
  [pair("USDC")],
  [fork("USDC")],
  [sister("USDC")],
  [pool("USDC", 10_000)],
  [pool("WBTC"), pool("USDC")],
  [pair("DAI"), fork("USDC")],
];

/** The routes of the gas table. */
export const GAS_ROUTES: ReadonlyArray<GasRoute> = [
  { name: "1-pair", title: "1 pair", from: "LINK", paths: [[pair("WETH")]] },
  { name: "2-pairs", title: "2 pairs", from: "LINK", paths: [[pair("WETH"), pair("UNI")]] },
  {
    name: "3-pairs",
    title: "3 pairs",
    from: "LINK",
    paths: [[pair("WETH"), pair("USDC"), pair("USDT")]],
  },
  { name: "1-pool", title: "1 pool", ...single },
  { name: "2-pools", title: "2 pools", from: "LINK", paths: [[pool("WETH"), pool("WBTC")]] },
  {
    name: "3-pools",
    title: "3 pools",
    from: "LINK",
    paths: [[pool("WETH"), pool("WBTC"), pool("USDC")]],
  },
  {
    name: "4-pools",
    title: "4 pools",
    from: "LINK",
    paths: [[pool("WETH"), pool("WBTC"), pool("USDC"), pool("DAI", 500)]],
  },
  {
    name: "pair-pool",
    title: "pair, then pool",
    from: "LINK",
    paths: [[pair("WETH"), pool("WBTC")]],
  },
  {
    name: "pool-pair",
    title: "pool, then pair",
    from: "LINK",
    paths: [[pool("WETH"), pair("WBTC")]],
  },
  {
    name: "pool-fork",
    title: "pool, then a fork's pair",
    from: "LINK",
    paths: [[pool("WETH"), fork("USDC")]],
  },
  {
    name: "1-pool-native-in",
    title: "1 pool, native in",
    from: "WETH",
    paths: [[pool("LINK")]],
    isNativeIn: true,
  },
  { name: "1-pool-native-out", title: "1 pool, native out", ...single, isNativeOut: true },
  { name: "1-pool-fee", title: "1 pool, partner fee", ...single, feeBps: 25 },
  { name: "1-pool-exact-out", title: "1 pool, exact output", ...single, kind: "exactOut" },
  {
    name: "1-pair-exact-out",
    title: "1 pair, exact output",
    from: "LINK",
    paths: [[pair("WETH")]],
    kind: "exactOut",
  },
  { name: "2-paths", title: "2 paths: 2 pools", from: "WETH", paths: split.slice(0, 2) },
  { name: "3-paths", title: "3 paths: 2 pools, 1 pair", from: "WETH", paths: split.slice(0, 3) },
  {
    name: "4-paths-mixed",
    title: "4 paths: the same, and a fork",
    from: "WETH",
    paths: split.slice(0, 4),
  },
  { name: "8-paths-mixed", title: "8 paths, two of 2 pools", from: "WETH", paths: split },
];
