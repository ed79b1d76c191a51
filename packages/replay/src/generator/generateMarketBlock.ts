import { type MarketBlock, NO_HASH } from "@millrace/core";
import { dexOf } from "../dexes.ts";
import { CHAINS } from "./chains.ts";
import { FamilyShares } from "./FamilyShares.ts";
import type { SharedFamily } from "./families.ts";
import { MarketDraft } from "./MarketDraft.ts";
import { Random } from "./Random.ts";

/** Chains whose hub tokens and DEXes the generator knows: Ethereum and Base. */
export type GeneratedChainId = keyof typeof CHAINS;

export const isGeneratedChain = (chainId: number): chainId is GeneratedChainId =>
  Object.hasOwn(CHAINS, chainId);
/** The `Curve.name` of a family that the generator can make pools of. */
export type GeneratedFamily = "constant-product" | "concentrated-liquidity";

export interface GeneratorOptions {
  /** An integer; its low 32 bits count. */
  readonly seed: number;
  /** Pools of the market, at least 1. */
  readonly poolCount: number;
  /** Default 1, Ethereum. */
  readonly chainId?: GeneratedChainId;
  /** Families of the pools; default both. */
  readonly families?: ReadonlyArray<GeneratedFamily>;
  /**
   * The approximate share of each further family: 0.05 is every twentieth pool. All other pools are
   * of `families`. Stable pools join tokens with the same price, which are then more frequent.
   */
  readonly familyShares?: Readonly<Partial<Record<SharedFamily, number>>>;
}

/** 1 January 2026. The time of generation would make two markets of a seed differ. */
const TIMESTAMP_MS = 1_767_225_600_000;

/**
 * A realistic market in one block. Five hubs have several pools between any two. Most other tokens
 * have one pool against the native token, a third of them more neighbours. Depth follows a power
 * law. Prices agree up to the fees, so that arbitrage does not pay. The same options give the same
 * market on every machine. Throws a RangeError for options out of range.
 */
export function generateMarketBlock(options: GeneratorOptions): MarketBlock {
  const { seed, poolCount, chainId = 1, families, familyShares } = options;
  if (!Number.isSafeInteger(seed)) throw new RangeError(`seed ${seed}`);
  if (!Number.isSafeInteger(poolCount) || poolCount < 1)
    throw new RangeError(`poolCount ${poolCount}`);
  const shares = familyShares && new FamilyShares(familyShares);
  const market = new MarketDraft(new Random(seed), CHAINS[chainId], poolCount, families, shares);
  market.addHubPools();
  while (!market.isComplete) market.addTokenWithPools();
  const dexIds = new Set(market.pools.map(({ dexId }) => dexId));
  const dexes = market.dexes.filter(({ dexId }) => dexIds.has(dexId));
  return {
    stamp: { number: 1, hash: NO_HASH, timestampMs: TIMESTAMP_MS },
    dexes: dexes.map(({ dexId, protocol }) => dexOf(chainId, dexId, protocol)),
    tokens: market.tokens.map(({ address, decimals, symbol, name }) => ({
      address,
      decimals,
      symbol,
      name,
    })),
    pools: market.pools,
    removedPools: [],
    states: market.states,
    swaps: [],
    supplies: market.supplies(),
  };
}
