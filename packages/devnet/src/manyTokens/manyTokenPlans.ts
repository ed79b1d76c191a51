import { zeroAddress } from "viem";
import type { NetworkId } from "../market/networks.ts";
import { composableV2House, stableV2House, weightedV2House } from "./balancerV2Houses.ts";
import { stableV3House, weightedV3House } from "./balancerV3Houses.ts";
import { curveNgHouse, STAKE_RATE } from "./curveNgHouse.ts";
import { curvePlainHouse } from "./curvePlainHouse.ts";
import type { ManyTokenDex, ManyTokenMarketPool, ManyTokenPlan } from "./ManyTokenPlan.ts";
import { stakeHouse, vaultHouse } from "./wrapperHouses.ts";

/** No contract makes the pools of such a DEX: they are configured. */
const NO_FACTORY = zeroAddress;

const CURVE: ManyTokenDex = {
  id: "CURVE",
  name: "Curve",
  settings: (_families, pools) => ({
    ...{ protocol: "curve-stable", factory: NO_FACTORY },
    pools: Object.fromEntries(pools.map(({ pool: { address, version } }) => [address, version])),
  }),
};

const CURVE_NG: ManyTokenDex = {
  id: "CURVE_STABLE_NG",
  name: "Curve StableSwap-NG",
  settings: ({ curve }, pools) => ({
    ...{ protocol: "curve-stable", factory: curve.stableNgFactory },
    // Staked ether is its own oracle.
    oracles: Object.fromEntries(
      pools
        .flatMap(({ tokens }) => tokens.filter(({ wraps }) => wraps?.kind === "stake"))
        .map(({ address }) => [address, { contract: address, selector: STAKE_RATE }]),
    ),
  }),
};

const VAULTS: ManyTokenDex = {
  id: "ERC4626",
  name: "Vaults of shares",
  settings: (_families, pools) => ({
    ...{ protocol: "erc4626", factory: NO_FACTORY },
    vaults: pools.map(({ pool }) => pool.address),
  }),
};

const LIDO: ManyTokenDex = {
  id: "LIDO",
  name: "Lido",
  settings: (_families, [wstETH]) => ({ protocol: "lido", factory: wstETH!.pool.address }),
};

const BALANCER_V2: ManyTokenDex = {
  id: "BALANCER_V2",
  name: "Balancer V2",
  settings: ({ balancerV2 }, pools) => ({
    ...{ protocol: "balancer-v2", factory: balancerV2.vault, clock: balancerV2.clock },
    weightedFactories: [balancerV2.weightedFactory],
    stableFactories: [balancerV2.stableFactory],
    composableFactories: [balancerV2.composableFactory],
    rateProviders: providersOf(pools),
  }),
};

const BALANCER_V3: ManyTokenDex = {
  id: "BALANCER_V3",
  name: "Balancer V3",
  settings: ({ balancerV3 }, pools) => ({
    ...{ protocol: "balancer-v3", factory: balancerV3.vault, router: balancerV3.router },
    leastBalanceWeightedFactories: [balancerV3.weightedFactory],
    boundedStableFactories: [balancerV3.stableFactory],
    surgeHooks: [balancerV3.surgeHook],
    rateProviders: providersOf(pools),
  }),
};

const providersOf = (pools: ReadonlyArray<ManyTokenMarketPool>) =>
  pools.flatMap(({ pool: { rates = [] } }) => rates.flatMap((rate) => rate?.provider ?? []));

const STABLE_FEE = 1_500_000n;
const threePool = curvePlainHouse({
  ...{ version: "plain-2020", amplification: 2_000n, fee: STABLE_FEE },
});
const nativePool = curvePlainHouse({
  ...{ version: "plain", amplification: 200n, fee: 4_000_000n, nativeAt: 0 },
});

const ngPool = curveNgHouse({
  ...{ amplification: 200n, fee: 1_000_000n, offpegFeeMultiplier: 50_000_000_000n },
});

const FEE_E18 = 10n ** 18n / 10_000n;
const stable = { amplification: 500n, feeE18: FEE_E18 } as const;

const ETH: ManyTokenPlan = {
  dexes: [CURVE, CURVE_NG, VAULTS, LIDO, BALANCER_V2, BALANCER_V3],
  pools: [
    {
      ...{ dexId: CURVE.id, house: threePool, depthUsd: 12_000_000 },
      tokens: ["DAI", "USDC", "USDT"],
    },
    { dexId: CURVE.id, house: nativePool, depthUsd: 6_000_000, tokens: ["WETH", "frxETH"] },
    {
      ...{ dexId: CURVE_NG.id, house: ngPool, depthUsd: 7_000_000 },
      tokens: ["USDC", "USDT", "sDAI"],
    },
    { dexId: CURVE_NG.id, house: ngPool, depthUsd: 9_000_000, tokens: ["WETH", "wstETH"] },
    { dexId: VAULTS.id, house: vaultHouse, depthUsd: 2_000_000, tokens: ["DAI", "sDAI"] },
    { dexId: LIDO.id, house: stakeHouse, depthUsd: 2_000_000, tokens: ["WETH", "wstETH"] },
    {
      ...{ dexId: BALANCER_V2.id, depthUsd: 3_000_000, tokens: ["WETH", "AAVE"] },
      house: weightedV2House({ AAVE: 0.8, WETH: 0.2 }, 30n * FEE_E18),
    },
    {
      ...{ dexId: BALANCER_V2.id, depthUsd: 8_000_000, tokens: ["WETH", "WBTC", "USDC"] },
      house: weightedV2House({ WETH: 0.5, WBTC: 0.3, USDC: 0.2 }, 20n * FEE_E18),
    },
    {
      ...{ dexId: BALANCER_V2.id, depthUsd: 4_000_000, tokens: ["DAI", "USDC", "USDT"] },
      house: stableV2House(1_000n, FEE_E18),
    },
    {
      ...{ dexId: BALANCER_V2.id, depthUsd: 6_000_000, tokens: ["WETH", "wstETH"] },
      house: composableV2House(200n, FEE_E18, ["wstETH"]),
    },
    {
      ...{ dexId: BALANCER_V3.id, depthUsd: 5_000_000, tokens: ["WETH", "LINK", "USDC"] },
      house: weightedV3House({ WETH: 0.4, LINK: 0.35, USDC: 0.25 }, 25n * FEE_E18),
    },
    {
      ...{ dexId: BALANCER_V3.id, depthUsd: 6_000_000, tokens: ["USDC", "USDT", "sDAI"] },
      house: stableV3House({ ...stable, rated: ["sDAI"] }),
    },
    {
      ...{ dexId: BALANCER_V3.id, depthUsd: 7_000_000, tokens: ["WETH", "wstETH"] },
      house: stableV3House({ ...stable, rated: ["wstETH"], hasSurge: true }),
    },
  ],
};

const BASE: ManyTokenPlan = {
  dexes: [CURVE_NG, BALANCER_V2, BALANCER_V3],
  pools: [
    {
      ...{ dexId: CURVE_NG.id, house: ngPool, depthUsd: 6_000_000 },
      tokens: ["USDC", "USDT", "DAI", "USDbC"],
    },
    {
      ...{ dexId: BALANCER_V2.id, depthUsd: 4_000_000, tokens: ["WETH", "cbBTC", "USDC"] },
      house: weightedV2House({ WETH: 0.4, cbBTC: 0.4, USDC: 0.2 }, 20n * FEE_E18),
    },
    {
      ...{ dexId: BALANCER_V2.id, depthUsd: 5_000_000, tokens: ["WETH", "cbETH"] },
      house: composableV2House(200n, FEE_E18, ["cbETH"]),
    },
    {
      ...{ dexId: BALANCER_V3.id, depthUsd: 3_000_000, tokens: ["WETH", "AERO"] },
      house: weightedV3House({ WETH: 0.3, AERO: 0.7 }, 30n * FEE_E18),
    },
    {
      ...{ dexId: BALANCER_V3.id, depthUsd: 5_000_000, tokens: ["USDC", "USDT", "DAI"] },
      house: stableV3House({ ...stable, hasSurge: true }),
    },
  ],
};

/** What stands on each devnet of pools of many tokens. */
export const MANY_TOKENS: Readonly<Record<NetworkId, ManyTokenPlan>> = { ETH, BASE };
