import type { Address, Dex } from "@millrace/core";
import { concentratedLiquidity, constantProduct } from "@millrace/protocols";

const CONSTANT_PRODUCT = constantProduct.name;
const CONCENTRATED_LIQUIDITY = concentratedLiquidity.name;

const NO_FACTORY: Address = `0x${"0".repeat(40)}`;

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
    factory: "0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865",
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
    factory: "0x420dd381b31aef6683db6b902084cb0ffece40da",
  },
  {
    id: "UNISWAP_V3",
    name: "Uniswap V3",
    protocol: CONCENTRATED_LIQUIDITY,
    factory: "0x33128a8fc17869897dce68ed026d694621f6fdfd",
  },
];

const KNOWN = new Map([
  [1, ETHEREUM],
  [8453, BASE],
]);

/**
 * The DEX that an id of any case names on a chain. One that is not known there gets a name made
 * from its id, the given protocol and the zero address for a factory.
 */
export function dexOf(chainId: number, anyCaseId: string, protocol: string): Dex {
  const id = anyCaseId.toUpperCase();
  const known = KNOWN.get(chainId)?.find((dex) => dex.id === id);
  if (known !== undefined) return known;
  const namesake = ETHEREUM.find((dex) => dex.id === id);
  return { id, name: namesake?.name ?? titleCase(id), protocol, factory: NO_FACTORY };
}

function titleCase(id: string): string {
  const words = id.split("_").filter((word) => word !== "");
  return words.map((word) => word[0]! + word.slice(1).toLowerCase()).join(" ");
}
