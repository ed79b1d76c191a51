import type { NetworkId } from "../market/networks.ts";
import { composableV2House, stableV2House, weightedV2House } from "./balancerV2Houses.ts";
import { stableV3House, weightedV3House } from "./balancerV3Houses.ts";
import type { ManyTokenDex, ManyTokenMarketPool, ManyTokenPlan } from "./ManyTokenPlan.ts";

const V2: ManyTokenDex = {
  id: "BALANCER_V2",
  name: "Balancer V2",
  settings: ({ families: { balancerV2 } }, pools) => ({
    ...{ protocol: "balancer-v2", factory: balancerV2.vault, clock: balancerV2.clock },
    weightedFactories: [balancerV2.weightedFactory],
    // All pools since 2022 use one formula, whether or not they contain a token of their own.
    composableFactories: [balancerV2.stableFactory, balancerV2.composableFactory],
    rateProviders: providersOf(pools),
  }),
};

const V3: ManyTokenDex = {
  id: "BALANCER_V3",
  name: "Balancer V3",
  settings: ({ families: { balancerV3 } }, pools) => ({
    ...{ protocol: "balancer-v3", factory: balancerV3.vault, router: balancerV3.router },
    leastBalanceWeightedFactories: [balancerV3.weightedFactory],
    boundedStableFactories: [balancerV3.stableFactory],
    surgeHooks: [balancerV3.surgeHook],
    rateProviders: providersOf(pools),
  }),
};

const providersOf = (pools: ReadonlyArray<ManyTokenMarketPool>) =>
  pools.flatMap(({ pool: { rates = [] } }) => rates.flatMap((rate) => rate?.provider ?? []));

const BASIS_POINT = 10n ** 14n;
const stable = { amplification: 500n, feeE18: BASIS_POINT } as const;

const ETH: ManyTokenPlan["pools"] = [
  {
    ...{ dexId: V2.id, depthUsd: 3_000_000, tokens: ["WETH", "AAVE"] },
    house: weightedV2House({ AAVE: 0.8, WETH: 0.2 }, 30n * BASIS_POINT),
  },
  {
    ...{ dexId: V2.id, depthUsd: 8_000_000, tokens: ["WETH", "WBTC", "USDC"] },
    house: weightedV2House({ WETH: 0.5, WBTC: 0.3, USDC: 0.2 }, 20n * BASIS_POINT),
  },
  {
    ...{ dexId: V2.id, depthUsd: 4_000_000, tokens: ["DAI", "USDC", "USDT"] },
    house: stableV2House(1_000n, BASIS_POINT),
  },
  {
    ...{ dexId: V2.id, depthUsd: 6_000_000, tokens: ["WETH", "wstETH"] },
    house: composableV2House(200n, BASIS_POINT, ["wstETH"]),
  },
  {
    ...{ dexId: V3.id, depthUsd: 5_000_000, tokens: ["WETH", "LINK", "USDC"] },
    house: weightedV3House({ WETH: 0.4, LINK: 0.35, USDC: 0.25 }, 25n * BASIS_POINT),
  },
  {
    ...{ dexId: V3.id, depthUsd: 6_000_000, tokens: ["USDC", "USDT", "sDAI"] },
    house: stableV3House({ ...stable, rated: ["sDAI"] }),
  },
  {
    ...{ dexId: V3.id, depthUsd: 7_000_000, tokens: ["WETH", "wstETH"] },
    house: stableV3House({ ...stable, rated: ["wstETH"], hasSurge: true }),
  },
];

const BASE: ManyTokenPlan["pools"] = [
  {
    ...{ dexId: V2.id, depthUsd: 4_000_000, tokens: ["WETH", "cbBTC", "USDC"] },
    house: weightedV2House({ WETH: 0.4, cbBTC: 0.4, USDC: 0.2 }, 20n * BASIS_POINT),
  },
  {
    ...{ dexId: V2.id, depthUsd: 5_000_000, tokens: ["WETH", "cbETH"] },
    house: composableV2House(200n, BASIS_POINT, ["cbETH"]),
  },
  {
    ...{ dexId: V3.id, depthUsd: 3_000_000, tokens: ["WETH", "AERO"] },
    house: weightedV3House({ WETH: 0.3, AERO: 0.7 }, 30n * BASIS_POINT),
  },
  {
    ...{ dexId: V3.id, depthUsd: 5_000_000, tokens: ["USDC", "USDT", "DAI"] },
    house: stableV3House({ ...stable, hasSurge: true }),
  },
];

/** Balancer pools of each devnet. */
export const BALANCER: Readonly<Record<NetworkId, ManyTokenPlan>> = {
  ETH: { dexes: [V2, V3], pools: ETH },
  BASE: { dexes: [V2, V3], pools: BASE },
};
