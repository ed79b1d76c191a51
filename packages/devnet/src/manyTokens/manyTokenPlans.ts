import { zeroAddress } from "viem";
import type { NetworkId } from "../market/networks.ts";
import { curveNgHouse, STAKE_RATE } from "./curveNgHouse.ts";
import { curvePlainHouse } from "./curvePlainHouse.ts";
import type { ManyTokenDex, ManyTokenPlan } from "./ManyTokenPlan.ts";
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

const ETH: ManyTokenPlan = {
  dexes: [CURVE, CURVE_NG, VAULTS, LIDO],
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
  ],
};

const BASE: ManyTokenPlan = {
  dexes: [CURVE_NG],
  pools: [
    {
      ...{ dexId: CURVE_NG.id, house: ngPool, depthUsd: 6_000_000 },
      tokens: ["USDC", "USDT", "DAI", "USDbC"],
    },
  ],
};

/** What stands on each devnet of pools of many tokens. */
export const MANY_TOKENS: Readonly<Record<NetworkId, ManyTokenPlan>> = { ETH, BASE };
