import type { Address } from "viem";

/** Each network's devnet: tokens with their prices, DEXes, pools with their depth. */

export type NetworkId = "ETH" | "BASE";

export interface TokenPlan {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Its price when the devnet starts, around which it moves later. */
  readonly priceUsd: number;
  /** Worth of its whole supply when the devnet starts; determines how much is minted. */
  readonly capUsd: number;
  /** How far its price moves in a step, as a share of it. */
  readonly volatility: number;
  /** Symbol of a token whose price moves it shares, beside its own. */
  readonly follows?: string;
  /** For shares of another token's vault, and for staked native tokens. */
  readonly wraps?: { readonly kind: "shares"; readonly asset: string } | { readonly kind: "stake" };
}

export interface PoolPlan {
  readonly dexId: string;
  readonly tokens: readonly [string, string];
  /** Only where the DEX tells pools apart by fee. */
  readonly feePips?: number;
  /** Only where the DEX tells pools apart by tick spacing. */
  readonly tickSpacing?: number;
  /** Aerodrome: x³y + xy³ instead of xy. */
  readonly isStable?: boolean;
  /** Only for Uniswap V4. */
  readonly hooks?: Address;
  /**
   * Uniswap V4, in pips: the low 12 bits for zeroForOne, the high 12 bits for the other direction.
   */
  readonly protocolFee?: number;
  /** Worth of both sides together. */
  readonly depthUsd: number;
}

/** A DEX's code and factory. Fees: `v2` and `v2Sister` 0.30 %, `v2Fork` 0.20 %. */
export type DexCode = "v2" | "v2Sister" | "v2Fork" | "v3" | FamilyCode;
/** The DEXes of `familyPlans.ts`. */
export type FamilyCode = "v4" | "pancakeV3" | "algebra" | "aerodrome" | "slipstream";

export interface NetworkPlan {
  readonly chainId: number;
  readonly dexes: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    readonly dexCode: DexCode;
  }>;
  /** The first is the wrapped native token. */
  readonly tokens: ReadonlyArray<TokenPlan>;
  /** Symbols of the anchors. */
  readonly anchors: ReadonlyArray<string>;
  readonly pools: ReadonlyArray<PoolPlan>;
}

const token = (
  symbol: string,
  name: string,
  decimals: number,
  priceUsd: number,
  capMillions: number,
  volatility: number,
): TokenPlan => ({
  ...{ symbol, name, decimals, priceUsd, volatility },
  capUsd: capMillions * 1e6,
});

const WETH = token("WETH", "Wrapped Ether", 18, 3_500, 9_400, 0.0015);
const USDC = token("USDC", "USD Coin", 6, 1, 31_000, 0.00002);
const USDT = token("USDT", "Tether USD", 6, 1, 42_000, 0.00002);
const DAI = token("DAI", "Dai Stablecoin", 18, 1, 4_600, 0.00002);
const EURC = token("EURC", "Euro Coin", 6, 1.16, 330, 0.0001);
const LINK = token("LINK", "ChainLink Token", 18, 16, 10_200, 0.002);

/** One pool of the lowest fee per DEX: opening the market reads 6,932 words of its bitmap. */
const pool = (
  dexId: string,
  depthUsd: number,
  first: string,
  second: string,
  feePips?: number,
): PoolPlan => ({
  dexId,
  depthUsd,
  tokens: [first, second],
  ...(feePips === undefined ? {} : { feePips }),
});

const ETH: NetworkPlan = {
  // "mil" and 1: an id that no public chain has, so that signatures made here are worthless
  // elsewhere. Not 31337, for which Permit2's published code has a wrong domain separator.
  chainId: 0x6d696c01,
  dexes: [
    { id: "UNISWAP_V2", name: "Uniswap V2", dexCode: "v2" },
    { id: "SUSHISWAP_V2", name: "SushiSwap V2", dexCode: "v2Sister" },
    { id: "PANCAKESWAP_V2", name: "PancakeSwap V2", dexCode: "v2Fork" },
    { id: "UNISWAP_V3", name: "Uniswap V3", dexCode: "v3" },
  ],
  tokens: [
    ...[WETH, USDC, USDT, DAI, EURC, LINK],
    token("WBTC", "Wrapped BTC", 8, 95_000, 12_100, 0.001),
    {
      ...token("wstETH", "Wrapped liquid staked Ether 2.0", 18, 4_250, 14_500, 0.00003),
      follows: "WETH",
    },
    token("UNI", "Uniswap", 18, 8, 4_800, 0.002),
    token("AAVE", "Aave Token", 18, 190, 2_900, 0.002),
    token("LDO", "Lido DAO Token", 18, 0.9, 810, 0.0025),
    token("CRV", "Curve DAO Token", 18, 0.55, 740, 0.0025),
    token("PEPE", "Pepe", 18, 0.0000095, 4_000, 0.003),
  ],
  anchors: ["WETH", "USDC", "USDT"],
  pools: [
    pool("UNISWAP_V2", 24_000_000, "WETH", "USDC"),
    pool("UNISWAP_V2", 18_000_000, "WETH", "USDT"),
    pool("UNISWAP_V2", 6_000_000, "WETH", "DAI"),
    pool("UNISWAP_V2", 9_000_000, "WETH", "WBTC"),
    pool("UNISWAP_V2", 2_500_000, "WETH", "LINK"),
    pool("UNISWAP_V2", 1_800_000, "WETH", "UNI"),
    pool("UNISWAP_V2", 900_000, "WETH", "AAVE"),
    pool("UNISWAP_V2", 4_000_000, "WETH", "PEPE"),
    pool("UNISWAP_V2", 1_200_000, "USDC", "USDT"),
    pool("SUSHISWAP_V2", 5_000_000, "WETH", "USDC"),
    pool("SUSHISWAP_V2", 2_000_000, "WETH", "WBTC"),
    pool("SUSHISWAP_V2", 800_000, "WETH", "LDO"),
    pool("SUSHISWAP_V2", 600_000, "LINK", "USDC"),
    pool("PANCAKESWAP_V2", 7_000_000, "WETH", "USDC"),
    pool("PANCAKESWAP_V2", 5_000_000, "WETH", "USDT"),
    pool("PANCAKESWAP_V2", 1_500_000, "USDC", "DAI"),
    pool("PANCAKESWAP_V2", 3_000_000, "WBTC", "USDC"),
    pool("PANCAKESWAP_V2", 700_000, "WETH", "CRV"),
    pool("PANCAKESWAP_V2", 1_100_000, "WETH", "PEPE"),
    pool("UNISWAP_V3", 40_000_000, "WETH", "USDC", 500),
    pool("UNISWAP_V3", 15_000_000, "WETH", "USDC", 3000),
    pool("UNISWAP_V3", 6_000_000, "WETH", "USDC", 10000),
    pool("UNISWAP_V3", 14_000_000, "WETH", "USDT", 500),
    pool("UNISWAP_V3", 20_000_000, "WETH", "USDT", 3000),
    pool("UNISWAP_V3", 4_000_000, "WETH", "DAI", 3000),
    pool("UNISWAP_V3", 16_000_000, "WETH", "WBTC", 500),
    pool("UNISWAP_V3", 30_000_000, "WETH", "WBTC", 3000),
    pool("UNISWAP_V3", 8_000_000, "WBTC", "USDC", 3000),
    pool("UNISWAP_V3", 12_000_000, "USDC", "USDT", 100),
    pool("UNISWAP_V3", 10_000_000, "USDC", "DAI", 500),
    pool("UNISWAP_V3", 18_000_000, "WETH", "wstETH", 500),
    pool("UNISWAP_V3", 2_000_000, "EURC", "USDC", 500),
    pool("UNISWAP_V3", 7_000_000, "WETH", "LINK", 3000),
    pool("UNISWAP_V3", 6_000_000, "WETH", "UNI", 3000),
    pool("UNISWAP_V3", 5_000_000, "WETH", "AAVE", 3000),
    pool("UNISWAP_V3", 1_500_000, "WETH", "LDO", 3000),
    pool("UNISWAP_V3", 900_000, "WETH", "CRV", 10000),
    pool("UNISWAP_V3", 3_500_000, "WETH", "PEPE", 10000),
  ],
};

const BASE: NetworkPlan = {
  chainId: 0x6d696c02,
  dexes: [
    { id: "UNISWAP_V2", name: "Uniswap V2", dexCode: "v2" },
    { id: "BASESWAP_V2", name: "BaseSwap V2", dexCode: "v2Sister" },
    { id: "PANCAKESWAP_V2", name: "PancakeSwap V2", dexCode: "v2Fork" },
    { id: "UNISWAP_V3", name: "Uniswap V3", dexCode: "v3" },
  ],
  tokens: [
    ...[WETH, USDC, USDT, DAI, EURC, LINK],
    token("cbBTC", "Coinbase Wrapped BTC", 8, 95_000, 4_300, 0.001),
    { ...token("cbETH", "Coinbase Wrapped Staked ETH", 18, 3_850, 480, 0.00003), follows: "WETH" },
    token("USDbC", "USD Base Coin", 6, 1, 120, 0.00002),
    token("AERO", "Aerodrome", 18, 0.85, 720, 0.0025),
    token("DEGEN", "Degen", 18, 0.0031, 98, 0.003),
    token("BRETT", "Brett", 18, 0.04, 390, 0.003),
    token("VIRTUAL", "Virtual Protocol", 18, 1.3, 850, 0.0025),
    token("MORPHO", "Morpho Token", 18, 1.9, 620, 0.002),
  ],
  anchors: ["WETH", "USDC", "USDT"],
  pools: [
    pool("UNISWAP_V2", 9_000_000, "WETH", "USDC"),
    pool("UNISWAP_V2", 1_600_000, "WETH", "USDT"),
    pool("UNISWAP_V2", 2_200_000, "WETH", "AERO"),
    pool("UNISWAP_V2", 1_900_000, "WETH", "BRETT"),
    pool("UNISWAP_V2", 1_100_000, "WETH", "DEGEN"),
    pool("UNISWAP_V2", 2_600_000, "WETH", "VIRTUAL"),
    pool("UNISWAP_V2", 700_000, "USDC", "DAI"),
    pool("BASESWAP_V2", 1_300_000, "WETH", "USDC"),
    pool("BASESWAP_V2", 600_000, "WETH", "cbETH"),
    pool("BASESWAP_V2", 500_000, "USDC", "USDbC"),
    pool("BASESWAP_V2", 400_000, "WETH", "AERO"),
    pool("PANCAKESWAP_V2", 3_000_000, "WETH", "USDC"),
    pool("PANCAKESWAP_V2", 900_000, "USDC", "USDT"),
    pool("PANCAKESWAP_V2", 2_000_000, "WETH", "cbBTC"),
    pool("PANCAKESWAP_V2", 800_000, "USDC", "AERO"),
    pool("PANCAKESWAP_V2", 650_000, "WETH", "VIRTUAL"),
    pool("UNISWAP_V3", 30_000_000, "WETH", "USDC", 500),
    pool("UNISWAP_V3", 8_000_000, "WETH", "USDC", 3000),
    pool("UNISWAP_V3", 5_000_000, "WETH", "USDC", 10000),
    pool("UNISWAP_V3", 2_000_000, "WETH", "USDT", 500),
    pool("UNISWAP_V3", 20_000_000, "cbBTC", "USDC", 500),
    pool("UNISWAP_V3", 12_000_000, "WETH", "cbBTC", 3000),
    pool("UNISWAP_V3", 9_000_000, "WETH", "cbETH", 500),
    pool("UNISWAP_V3", 4_000_000, "USDC", "USDbC", 500),
    pool("UNISWAP_V3", 3_000_000, "USDC", "USDT", 100),
    pool("UNISWAP_V3", 1_500_000, "USDC", "DAI", 500),
    pool("UNISWAP_V3", 1_800_000, "EURC", "USDC", 500),
    pool("UNISWAP_V3", 6_000_000, "WETH", "AERO", 3000),
    pool("UNISWAP_V3", 2_400_000, "WETH", "BRETT", 10000),
    pool("UNISWAP_V3", 1_700_000, "WETH", "DEGEN", 3000),
    pool("UNISWAP_V3", 3_200_000, "USDC", "VIRTUAL", 3000),
    pool("UNISWAP_V3", 1_400_000, "WETH", "MORPHO", 3000),
    pool("UNISWAP_V3", 900_000, "WETH", "LINK", 3000),
    pool("UNISWAP_V3", 500_000, "LINK", "USDC", 10000),
  ],
};

export const NETWORKS: Readonly<Record<NetworkId, NetworkPlan>> = { ETH, BASE };
