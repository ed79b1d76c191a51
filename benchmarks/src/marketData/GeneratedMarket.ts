import {
  type Address,
  type AppliedBlock,
  type MarketBlock,
  type OpenMarket,
  openMarket,
} from "@millrace/core";
import { type MarketData, type MarketDataOptions, makeMarketData } from "@millrace/market";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";

/** The anchors of a service on Ethereum. */
export const ANCHORS = [
  "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  "0xdac17f958d2ee523a2206206994597c13d831ec7",
  "0x6b175474e89094c44da98b954eedeac495271d0f",
].map((address) => ({ address: address as Address, priceUsd: 1 }));

export const MARKET_SEED = 20_261_120;

/** Leaves numbers for blocks of the past. */
const FIRST_NUMBER = 1_000_000;

/** A generated market, with market data that follows its blocks as from an engine. */
export class GeneratedMarket {
  readonly first: MarketBlock;
  readonly market: OpenMarket;
  readonly #listeners = new Set<(block: AppliedBlock) => void>();

  constructor(poolCount: number) {
    const first = generateMarketBlock({ seed: MARKET_SEED, poolCount });
    this.first = { ...first, stamp: { ...first.stamp, number: FIRST_NUMBER } };
    this.market = openMarket(1, curves);
    this.market.writer.applyBlock(this.first);
  }

  openData(
    options: Pick<MarketDataOptions, "saved" | "tradesMax" | "candleBytes"> = {},
  ): MarketData {
    const { graph, families } = this.market;
    const { tokens, supplies } = this.first;
    return makeMarketData({
      graph,
      familyOf: (pool) => families[graph.poolCurve[pool]!]!,
      onApplied: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      // A generated block lists each token once, so that its position is its index.
      tokenListing: (token) => tokens[token]!,
      supply: (token) => supplies[token]!.totalSupply,
      anchors: ANCHORS,
      ...options,
    });
  }

  /** Applies a block to the graph alone; `publish` then passes it to market data. */
  apply(block: MarketBlock): AppliedBlock {
    return this.market.writer.applyBlock(block);
  }

  publish(applied: AppliedBlock): void {
    for (const listener of this.#listeners) listener(applied);
  }
}
