import { zeroAddress } from "viem";
import type { CurveContracts } from "../contracts/curve.ts";
import type { NetworkId } from "../market/networks.ts";
import { BALANCER } from "./balancerPlans.ts";
import { curveCryptoHouse } from "./curveCryptoHouse.ts";
import { curveNgHouse, STAKE_RATE } from "./curveNgHouse.ts";
import { curvePlainHouse } from "./curvePlainHouse.ts";
import type { ManyTokenDex, ManyTokenPlan } from "./ManyTokenPlan.ts";
import { stakeHouse, vaultHouse } from "./wrapperHouses.ts";

/** No factory makes the pools of such a DEX: they are configured. */
const NO_FACTORY = zeroAddress;

const CURVE: ManyTokenDex = {
  id: "CURVE",
  name: "Curve",
  settings: (_market, pools) => ({
    ...{ protocol: "curve-stable", factory: NO_FACTORY },
    pools: Object.fromEntries(pools.map(({ pool: { address, version } }) => [address, version])),
  }),
};

const CURVE_NG: ManyTokenDex = {
  id: "CURVE_STABLE_NG",
  name: "Curve StableSwap-NG",
  settings: ({ families }, pools) => ({
    ...{ protocol: "curve-stable", factory: families.curve.stableNgFactory },
    // Staked ether is its own oracle.
    oracles: Object.fromEntries(
      pools
        .flatMap(({ tokens }) => tokens.filter(({ wraps }) => wraps?.kind === "stake"))
        .map(({ address }) => [address, { contract: address, selector: STAKE_RATE }]),
    ),
  }),
};

const crypto = (id: string, name: string, factory: keyof CurveContracts): ManyTokenDex => ({
  ...{ id, name },
  settings: ({ families }) => ({ protocol: "curve-crypto", factory: families.curve[factory] }),
});
const TWOCRYPTO = crypto("CURVE_TWOCRYPTO", "Curve Twocrypto-NG", "twocryptoFactory");
const NEW_TWOCRYPTO = crypto("CURVE_TWOCRYPTO", "Curve Twocrypto-NG", "newTwocryptoFactory");
const TRICRYPTO = crypto("CURVE_TRICRYPTO", "Curve Tricrypto-NG", "tricryptoFactory");

const VAULTS: ManyTokenDex = {
  id: "ERC4626",
  name: "Vaults of shares",
  settings: ({ deployer }, pools) => ({
    ...{ protocol: "erc4626", factory: NO_FACTORY },
    vaults: pools.map(({ pool }) => pool.address),
    holders: [deployer],
  }),
};

const LIDO: ManyTokenDex = {
  id: "LIDO",
  name: "Lido",
  settings: (_market, [wstETH]) => ({ protocol: "lido", factory: wstETH!.pool.address }),
};

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

const volatile = {
  ...{ A: 400_000n, gamma: 145_000_000_000_000n },
  ...{ midFee: 26_000_000n, outFee: 45_000_000n, feeGamma: 230_000_000_000_000n },
};
const twocrypto = curveCryptoHouse({ factory: "twocryptoFactory", ...volatile });
/** A pool of two tokens whose prices move together. */
const newTwocrypto = curveCryptoHouse({
  ...{ factory: "newTwocryptoFactory", A: 20_000_000n, gamma: 10_000_000_000_000_000n },
  ...{ midFee: 3_000_000n, outFee: 45_000_000n, feeGamma: 300_000_000_000_000_000n },
});
const tricrypto = curveCryptoHouse({
  ...{ factory: "tricryptoFactory", A: 1_707_629n, gamma: 11_809_167_828_997n },
  ...{ midFee: 3_000_000n, outFee: 30_000_000n, feeGamma: 500_000_000_000_000n },
});

const ETH: ManyTokenPlan = {
  dexes: [CURVE, CURVE_NG, TWOCRYPTO, TRICRYPTO, VAULTS, LIDO],
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
    {
      ...{ dexId: TRICRYPTO.id, house: tricrypto, depthUsd: 15_000_000 },
      tokens: ["USDT", "WBTC", "WETH"],
    },
    { dexId: TWOCRYPTO.id, house: twocrypto, depthUsd: 3_000_000, tokens: ["WETH", "CRV"] },
    { dexId: VAULTS.id, house: vaultHouse, depthUsd: 2_000_000, tokens: ["DAI", "sDAI"] },
    { dexId: LIDO.id, house: stakeHouse, depthUsd: 2_000_000, tokens: ["WETH", "wstETH"] },
  ],
};

const BASE: ManyTokenPlan = {
  dexes: [CURVE_NG, NEW_TWOCRYPTO],
  pools: [
    {
      ...{ dexId: CURVE_NG.id, house: ngPool, depthUsd: 6_000_000 },
      tokens: ["USDC", "USDT", "DAI", "USDbC"],
    },
    {
      ...{ dexId: NEW_TWOCRYPTO.id, house: newTwocrypto, depthUsd: 4_000_000 },
      tokens: ["WETH", "cbETH"],
    },
  ],
};

/** Each devnet's pools of many tokens. */
export const MANY_TOKENS: Readonly<Record<NetworkId, ManyTokenPlan>> = {
  ETH: withBalancer("ETH", ETH),
  BASE: withBalancer("BASE", BASE),
};

function withBalancer(network: NetworkId, { dexes, pools }: ManyTokenPlan): ManyTokenPlan {
  const more = BALANCER[network];
  return { dexes: [...dexes, ...more.dexes], pools: [...pools, ...more.pools] };
}
