import type { Address, Dex } from "@millrace/core";
import { concentratedLiquidity, constantProduct } from "@millrace/protocols";

const CONSTANT_PRODUCT = constantProduct.name;
const CONCENTRATED_LIQUIDITY = concentratedLiquidity.name;

const UNISWAP_V4 = "uniswap-v4";
const AERODROME = "aerodrome";
const SLIPSTREAM = "slipstream";
const CURVE_STABLE = "curve-stable";

const NO_FACTORY: Address = `0x${"0".repeat(40)}`;

/** The same on both chains. */
const PANCAKE_V3_FACTORY = "0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865";

/** Balancer's Vaults, the same on both chains. */
const BALANCERS: ReadonlyArray<Dex> = [
  {
    id: "BALANCER_V2",
    name: "Balancer V2",
    protocol: "balancer-v2",
    factory: "0xba12222222228d8ba445958a75a0704d566bf2c8",
  },
  {
    id: "BALANCER_V3",
    name: "Balancer V3",
    protocol: "balancer-v3",
    factory: "0xba1333333333a1ba1108e8412f11850a5c319ba9",
  },
];

const AERODROME_FACTORY = "0x420dd381b31aef6683db6b902084cb0ffece40da";

const ETHEREUM: ReadonlyArray<Dex> = [
  {
    id: "UNISWAP_V2",
    name: "Uniswap V2",
    protocol: CONSTANT_PRODUCT,
    factory: "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f",
  },
  {
    id: "SUSHISWAP_V2",
    name: "SushiSwap V2",
    protocol: CONSTANT_PRODUCT,
    factory: "0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac",
  },
  {
    id: "PANCAKESWAP_V2",
    name: "PancakeSwap V2",
    protocol: CONSTANT_PRODUCT,
    factory: "0x1097053fd2ea711dad45caccc45eff7548fcb362",
  },
  {
    id: "UNISWAP_V3",
    name: "Uniswap V3",
    protocol: CONCENTRATED_LIQUIDITY,
    factory: "0x1f98431c8ad98523631ae4a59f267346ea31f984",
  },
  {
    id: "PANCAKESWAP_V3",
    name: "PancakeSwap V3",
    protocol: CONCENTRATED_LIQUIDITY,
    factory: PANCAKE_V3_FACTORY,
  },
  {
    id: "UNISWAP_V4",
    name: "Uniswap V4",
    protocol: UNISWAP_V4,
    factory: "0x000000000004444c5dc75cb358380d2e3de08a90", // the PoolManager
  },
  ...BALANCERS,
  {
    id: "CURVE_STABLE",
    name: "Curve",
    protocol: CURVE_STABLE,
    factory: "0xb9fc157394af804a3578134a6585c0dc9cc990d4",
  },
  {
    id: "CURVE_STABLE_NG",
    name: "Curve StableSwap NG",
    protocol: CURVE_STABLE,
    factory: "0x6a8cbed756804b16e05e741edabd5cb544ae21bf",
  },
];

const BASE: ReadonlyArray<Dex> = [
  {
    id: "UNISWAP_V2",
    name: "Uniswap V2",
    protocol: CONSTANT_PRODUCT,
    factory: "0x8909dc15e40173ff4699343b6eb8132c65e18ec6",
  },
  {
    id: "AERODROME",
    name: "Aerodrome",
    protocol: CONSTANT_PRODUCT,
    factory: AERODROME_FACTORY,
  },
  // The same DEX with changing fees, and stable pools.
  {
    id: "AERODROME",
    name: "Aerodrome",
    protocol: AERODROME,
    factory: AERODROME_FACTORY,
  },
  {
    id: "UNISWAP_V3",
    name: "Uniswap V3",
    protocol: CONCENTRATED_LIQUIDITY,
    factory: "0x33128a8fc17869897dce68ed026d694621f6fdfd",
  },
  {
    id: "PANCAKESWAP_V3",
    name: "PancakeSwap V3",
    protocol: CONCENTRATED_LIQUIDITY,
    factory: PANCAKE_V3_FACTORY,
  },
  {
    id: "UNISWAP_V4",
    name: "Uniswap V4",
    protocol: UNISWAP_V4,
    factory: "0x498581ff718922c3f8e6a244956af099b2652b2b", // the PoolManager
  },
  {
    id: "SLIPSTREAM",
    name: "Slipstream",
    protocol: SLIPSTREAM,
    factory: "0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a",
  },
  ...BALANCERS,
  {
    id: "CURVE_STABLE_NG",
    name: "Curve StableSwap NG",
    protocol: CURVE_STABLE,
    factory: "0xd2002373543ce3527023c75e7518c274a51ce712",
  },
];

const KNOWN = new Map([
  [1, ETHEREUM],
  [8453, BASE],
]);

/**
 * The DEX with an id, in any case, on a chain. An unknown DEX gets a name made from its id, the
 * given protocol, and the zero address as its factory.
 */
export function dexOf(chainId: number, anyCaseId: string, protocol: string): Dex {
  const id = anyCaseId.toUpperCase();
  const known = KNOWN.get(chainId)?.filter((dex) => dex.id === id) ?? [];
  const dex = known.find((each) => each.protocol === protocol) ?? known[0];
  if (dex !== undefined) return dex;
  const namesake = [...ETHEREUM, ...BASE].find((each) => each.id === id);
  return { id, name: namesake?.name ?? titleCase(id), protocol, factory: NO_FACTORY };
}

function titleCase(id: string): string {
  const words = id.split(/[_-]/).filter((word) => word !== "");
  return words.map((word) => word[0]! + word.slice(1).toLowerCase()).join(" ");
}
