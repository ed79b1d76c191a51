import {
  type AppliedBlock,
  type MarketBlock,
  openMarket,
  type PoolGraph,
  type PoolIndex,
  type TokenListing,
} from "@millrace/core";
import { type MarketData, type MarketDataOptions, makeMarketData } from "@millrace/market";
import { curves } from "@millrace/protocols";

const CHAIN_ID = 1;

/** Market data on a graph, to which blocks are applied as in the engine; it can be restarted. */
export class RestartableMarket {
  readonly #options: Pick<MarketDataOptions, "anchors"> & Partial<MarketDataOptions>;
  readonly #listings = new Map<string, TokenListing>();
  readonly #listeners = new Set<(block: AppliedBlock) => void>();
  #market = openMarket(CHAIN_ID, curves);
  #data: MarketData | undefined;

  constructor(options: Pick<MarketDataOptions, "anchors"> & Partial<MarketDataOptions>) {
    this.#options = options;
  }

  get graph(): PoolGraph {
    return this.#market.graph;
  }

  /** Settled: it shows the last block that was applied. */
  get data(): MarketData {
    this.#data!.settle();
    return this.#data!;
  }

  /** Starts with an empty graph, its first block, and market data from `saved`, if given. */
  start(first: MarketBlock, saved?: Uint8Array): void {
    this.#data?.close();
    this.#market = openMarket(CHAIN_ID, curves);
    this.#listeners.clear();
    this.apply(first);
    const { graph, families } = this.#market;
    this.#data = makeMarketData({
      graph,
      familyOf: (pool: PoolIndex) => families[graph.poolCurve[pool]!]!,
      onApplied: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      tokenListing: (token) => this.#listings.get(graph.tokenAddress(token))!,
      supply: () => undefined,
      ...this.#options,
      ...(saved !== undefined && { saved }),
    });
  }

  apply(block: MarketBlock): void {
    for (const token of block.tokens) this.#listings.set(token.address, token);
    const applied = this.#market.writer.applyBlock(block);
    if (applied.rejected.length > 0) throw new Error(JSON.stringify(applied.rejected));
    for (const listener of this.#listeners) listener(applied);
  }

  close(): void {
    this.#data?.close();
  }
}
