import { DYNAMIC_FEE, FEE_HOOK, LIQUIDITY_HOOK } from "../contracts/uniswapV4.ts";
import type { FamilyCode, NetworkId, NetworkPlan, PoolPlan, TokenPlan } from "./networks.ts";
import { NETWORKS } from "./networks.ts";

/** A devnet's further families. */
interface FamilyPlan {
  readonly dexes: NetworkPlan["dexes"];
  readonly pools: ReadonlyArray<PoolPlan>;
  /** Added to the network's own tokens; replaces one with the same symbol. */
  readonly tokens: ReadonlyArray<TokenPlan>;
}

const dex = (id: string, name: string, dexCode: FamilyCode) => ({ id, name, dexCode });

const V4 = dex("UNISWAP_V4", "Uniswap V4", "v4");
const PANCAKE = dex("PANCAKESWAP_V3", "PancakeSwap V3", "pancakeV3");
const ALGEBRA = dex("ALGEBRA", "Algebra Integral", "algebra");
const AERODROME = dex("AERODROME", "Aerodrome", "aerodrome");
const SLIPSTREAM = dex("SLIPSTREAM", "Aerodrome Slipstream", "slipstream");

type Named = Omit<PoolPlan, "dexId" | "depthUsd" | "tokens">;

const pool = (
  { id }: { readonly id: string },
  depthUsd: number,
  first: string,
  second: string,
  named: Named = {},
): PoolPlan => ({ dexId: id, depthUsd, tokens: [first, second], ...named });

const fee = (feePips: number, tickSpacing: number): Named => ({ feePips, tickSpacing });
const spaced = (tickSpacing: number): Named => ({ tickSpacing });
const STABLE = { isStable: true };
/** Claims to charge nothing, and charges 5 %; no traffic touches it. */
const TRAP = { ...fee(DYNAMIC_FEE, 60), hooks: FEE_HOOK } as const;

/** "ETH" is the native token, which only Uniswap V4 takes directly. */
const ETH: FamilyPlan = {
  dexes: [V4, PANCAKE, ALGEBRA],
  tokens: [
    {
      ...{ symbol: "wstETH", name: "Wrapped liquid staked Ether 2.0", decimals: 18 },
      ...{
        priceUsd: 4_250,
        capUsd: 14.5e9,
        volatility: 0.00003,
        follows: "WETH",
        wraps: { kind: "stake" },
      },
    },
    {
      ...{ symbol: "frxETH", name: "Frax Ether", decimals: 18 },
      ...{ priceUsd: 3_500, capUsd: 410e6, volatility: 0.00003, follows: "WETH" },
    },
    {
      ...{ symbol: "sDAI", name: "Savings Dai", decimals: 18 },
      ...{
        priceUsd: 1.05,
        capUsd: 960e6,
        volatility: 0,
        follows: "DAI",
        wraps: { kind: "shares", asset: "DAI" },
      },
    },
  ],
  pools: [
    pool(V4, 26_000_000, "ETH", "USDC", fee(500, 10)),
    pool(V4, 9_000_000, "ETH", "USDT", { ...fee(3_000, 60), protocolFee: 500 + (250 << 12) }),
    pool(V4, 11_000_000, "ETH", "WBTC", fee(3_000, 60)),
    pool(V4, 14_000_000, "USDC", "USDT", fee(10, 1)),
    pool(V4, 6_000_000, "ETH", "wstETH", fee(500, 10)),
    pool(V4, 1_800_000, "ETH", "UNI", fee(4_500, 90)),
    pool(V4, 1_500_000, "EURC", "USDC", fee(500, 10)),
    pool(V4, 2_500_000, "WETH", "LINK", fee(3_000, 60)),
    pool(V4, 3_000_000, "ETH", "USDC", { ...fee(3_000, 60), hooks: LIQUIDITY_HOOK }),
    pool(V4, 2_000_000, "ETH", "USDC", TRAP),
    pool(PANCAKE, 8_000_000, "WETH", "USDC", fee(500, 10)),
    pool(PANCAKE, 5_000_000, "WETH", "USDT", fee(500, 10)),
    pool(PANCAKE, 3_000_000, "WBTC", "USDC", fee(2_500, 50)),
    pool(PANCAKE, 4_000_000, "USDC", "USDT", fee(100, 1)),
    pool(PANCAKE, 700_000, "WETH", "PEPE", fee(10_000, 200)),
    pool(ALGEBRA, 4_000_000, "WETH", "USDC"),
    pool(ALGEBRA, 2_500_000, "WETH", "WBTC"),
    pool(ALGEBRA, 1_500_000, "USDC", "USDT"),
    pool(ALGEBRA, 900_000, "WETH", "LDO"),
  ],
};

const BASE: FamilyPlan = {
  tokens: [],
  dexes: [AERODROME, SLIPSTREAM, V4, PANCAKE],
  pools: [
    pool(AERODROME, 12_000_000, "WETH", "USDC"),
    pool(AERODROME, 5_000_000, "WETH", "AERO"),
    pool(AERODROME, 9_000_000, "USDC", "AERO"),
    pool(AERODROME, 2_000_000, "WETH", "VIRTUAL"),
    pool(AERODROME, 1_200_000, "WETH", "DEGEN"),
    pool(AERODROME, 3_000_000, "USDC", "USDbC", STABLE),
    pool(AERODROME, 2_500_000, "USDC", "USDT", STABLE),
    pool(AERODROME, 1_500_000, "USDC", "DAI", STABLE),
    pool(SLIPSTREAM, 28_000_000, "WETH", "USDC", spaced(100)),
    pool(SLIPSTREAM, 9_000_000, "WETH", "USDC", spaced(50)),
    pool(SLIPSTREAM, 16_000_000, "cbBTC", "USDC", spaced(100)),
    pool(SLIPSTREAM, 10_000_000, "WETH", "cbBTC", spaced(100)),
    pool(SLIPSTREAM, 7_000_000, "WETH", "cbETH", spaced(50)),
    pool(SLIPSTREAM, 5_000_000, "USDC", "USDT", spaced(1)),
    pool(SLIPSTREAM, 2_500_000, "EURC", "USDC", spaced(50)),
    pool(SLIPSTREAM, 3_500_000, "WETH", "AERO", spaced(200)),
    pool(SLIPSTREAM, 900_000, "WETH", "BRETT", spaced(2_000)),
    pool(V4, 18_000_000, "ETH", "USDC", fee(500, 10)),
    pool(V4, 6_000_000, "ETH", "cbBTC", { ...fee(3_000, 60), protocolFee: 500 + (500 << 12) }),
    pool(V4, 4_000_000, "USDC", "USDT", fee(10, 1)),
    pool(V4, 1_200_000, "ETH", "VIRTUAL", fee(10_000, 200)),
    pool(V4, 1_000_000, "USDC", "MORPHO", fee(3_000, 60)),
    pool(V4, 1_500_000, "ETH", "USDC", { ...fee(3_000, 60), hooks: LIQUIDITY_HOOK }),
    pool(V4, 1_000_000, "ETH", "USDC", TRAP),
    pool(PANCAKE, 6_000_000, "WETH", "USDC", fee(2_500, 50)),
    pool(PANCAKE, 5_000_000, "cbBTC", "USDC", fee(500, 10)),
    pool(PANCAKE, 1_500_000, "WETH", "VIRTUAL", fee(2_500, 50)),
    pool(PANCAKE, 800_000, "WETH", "DEGEN", fee(10_000, 200)),
  ],
};

const FAMILIES: Readonly<Record<NetworkId, FamilyPlan>> = { ETH, BASE };

/** A network's plan with the further families added. */
export function planWithFamilies(network: NetworkId): NetworkPlan {
  const plan = NETWORKS[network];
  const { dexes, pools, tokens } = FAMILIES[network];
  const replaced = plan.tokens.map(
    (token) => tokens.find(({ symbol }) => symbol === token.symbol) ?? token,
  );
  const added = tokens.filter((token) => !replaced.includes(token));
  return {
    ...plan,
    dexes: [...plan.dexes, ...dexes],
    tokens: [...replaced, ...added],
    pools: [...plan.pools, ...pools],
  };
}
