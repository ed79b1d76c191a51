import type { TokenListing } from "@millrace/core";
import { concentratedLiquidity, constantProduct, FEE_FIRST, FEE_INSIDE } from "@millrace/protocols";

/** A token that is in much of the market's pools, with its real address. */
export interface Hub extends TokenListing {
  readonly priceUsd: number;
  /** How often, relative to other hubs, a token's first pool is with this one. */
  readonly weight: number;
}

/** The form of a DEX's pools. */
export interface GeneratedDex {
  readonly dexId: string;
  readonly protocol: string;
  readonly feeTiers: ReadonlyArray<FeeTier>;
  /** How often, relative to other DEXes of the family, a pool is here. */
  readonly weight: number;
}

/** A fee that pools may have, with the parameter for it (see `PoolListing`). */
export interface FeeTier {
  readonly feePips: number;
  readonly parameter: number;
}

export interface GeneratedChain {
  /** The first is the wrapped native token. */
  readonly hubs: ReadonlyArray<Hub>;
  readonly dexes: ReadonlyArray<GeneratedDex>;
}

const UNISWAP_V2: GeneratedDex = {
  dexId: "UNISWAP_V2",
  protocol: constantProduct.name,
  feeTiers: [{ feePips: 3_000, parameter: FEE_INSIDE }],
  weight: 10,
};

const UNISWAP_V3: GeneratedDex = {
  dexId: "UNISWAP_V3",
  protocol: concentratedLiquidity.name,
  feeTiers: [
    { feePips: 3_000, parameter: 60 },
    { feePips: 10_000, parameter: 200 },
    { feePips: 500, parameter: 10 },
    { feePips: 100, parameter: 1 },
  ],
  weight: 9,
};

/** By chain id. Shares as on Ethereum in 2026: most tokens trade against the native one. */
export const CHAINS = {
  1: {
    hubs: [
      hub("0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", "WETH", "Wrapped Ether", 18, 3_000, 78),
      hub("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "USDC", "USD Coin", 6, 1, 11),
      hub("0xdac17f958d2ee523a2206206994597c13d831ec7", "USDT", "Tether USD", 6, 1, 8),
      hub("0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", "WBTC", "Wrapped BTC", 8, 90_000, 2),
      hub("0x6b175474e89094c44da98b954eedeac495271d0f", "DAI", "Dai Stablecoin", 18, 1, 1),
    ],
    dexes: [
      UNISWAP_V2,
      { ...UNISWAP_V2, dexId: "SUSHISWAP_V2", weight: 1 },
      UNISWAP_V3,
      {
        dexId: "PANCAKESWAP_V3",
        protocol: concentratedLiquidity.name,
        feeTiers: [
          { feePips: 2_500, parameter: 50 },
          { feePips: 500, parameter: 10 },
          { feePips: 100, parameter: 1 },
        ],
        weight: 1,
      },
    ],
  },
  8453: {
    hubs: [
      hub("0x4200000000000000000000000000000000000006", "WETH", "Wrapped Ether", 18, 3_000, 78),
      hub("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "USDC", "USD Coin", 6, 1, 16),
      hub("0xfde4c96c8593536e31f229ea8f37b2ada2699bb2", "USDT", "Tether USD", 6, 1, 2),
      hub(
        "0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf",
        "cbBTC",
        "Coinbase Wrapped BTC",
        8,
        90_000,
        3,
      ),
      hub("0x50c5725949a6f0c72e6c4a641f24049a917db0cb", "DAI", "Dai Stablecoin", 18, 1, 1),
    ],
    dexes: [
      { ...UNISWAP_V2, weight: 5 },
      {
        dexId: "AERODROME",
        protocol: constantProduct.name,
        feeTiers: [{ feePips: 3_000, parameter: FEE_FIRST }],
        weight: 5,
      },
      UNISWAP_V3,
    ],
  },
} satisfies Record<number, GeneratedChain>;

function hub(
  address: `0x${string}`,
  symbol: string,
  name: string,
  decimals: number,
  priceUsd: number,
  weight: number,
): Hub {
  return { address, symbol, name, decimals, priceUsd, weight };
}
