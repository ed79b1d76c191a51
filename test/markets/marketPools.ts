import type { Address, MarketBlock, PoolStateChange } from "@millrace/core";
import { encodeReserves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { mockAddress, USDC } from "./recordedMarkets.ts";

/** A constant-product pool; tokens are places of `poolsBlock`. */
export interface PlainPool {
  readonly tokens: readonly [number, number];
  readonly reserves: readonly [bigint, bigint];
}

const TOKENS_AT = 0xa00000;
const POOLS_AT = 0xb00000;
const DUST_AT = 0xd00000;
/** More pools than in a market that settles before its block is published. */
const DUST_POOLS = 2_001;

/** USDC (6 decimals) at place 0, other tokens of 18 decimals behind it. */
function tokenAt(place: number): Address {
  return place === 0 ? USDC.address : mockAddress(TOKENS_AT + place);
}

export function poolAt(place: number): Address {
  return mockAddress(POOLS_AT + place);
}

/** A market of pools like these. */
export function poolsBlock(tokenCount: number, pools: ReadonlyArray<PlainPool>): MarketBlock {
  return {
    ...generateMarketBlock({ seed: 1, poolCount: 1, families: ["constant-product"] }),
    tokens: Array.from({ length: tokenCount }, (_, place) => ({
      address: tokenAt(place),
      decimals: place === 0 ? 6 : 18,
      symbol: `T${place}`,
      name: "",
    })),
    pools: pools.map(({ tokens }, place) => ({
      address: poolAt(place),
      dexId: "UNISWAP_V2",
      tokens: tokens.map(tokenAt),
      feePips: 3_000,
      parameter: 0,
    })),
    states: pools.map(({ reserves }, place) => ({
      pool: poolAt(place),
      state: encodeReserves(reserves),
    })),
    supplies: [],
  };
}

/** The market with so many additional pools of dust that it settles in the background. */
export function withDust(block: MarketBlock): MarketBlock {
  const tokens = [0, 1].map((place) => mockAddress(DUST_AT + place));
  const addresses = Array.from({ length: DUST_POOLS }, (_, place) =>
    mockAddress(DUST_AT + 2 + place),
  );
  return {
    ...block,
    tokens: [
      ...block.tokens,
      ...tokens.map((address) => ({ address, decimals: 18, symbol: "DUST", name: "" })),
    ],
    pools: [
      ...block.pools,
      ...addresses.map((address) => ({
        address,
        dexId: "UNISWAP_V2",
        tokens,
        feePips: 3_000,
        parameter: 0,
      })),
    ],
    states: [
      ...block.states,
      ...addresses.map((pool) => ({ pool, state: encodeReserves([1n, 1n]) })),
    ],
  };
}

/** The block after another, with only the given changes. */
export function blockAfter(
  number: number,
  happens: Partial<Omit<MarketBlock, "stamp">> & {
    readonly states?: ReadonlyArray<PoolStateChange>;
  },
): MarketBlock {
  return {
    stamp: {
      number: number + 1,
      hash: `0x${(number + 1).toString(16).padStart(64, "0")}`,
      timestampMs: 1_000 * (number + 1),
    },
    dexes: [],
    tokens: [],
    pools: [],
    removedPools: [],
    states: [],
    swaps: [],
    supplies: [],
    ...happens,
  };
}
