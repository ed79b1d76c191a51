import type { AppliedBlock, PoolIndex, TokenIndex } from "@millrace/core";
import { Background } from "./Background.ts";
import { catalogue, EMPTY_CATALOGUE } from "./Catalogue.ts";
import { enlarged } from "./enlarged.ts";
import { type ListSources, poolOrder, tokenOrder } from "./lists.ts";
import type { MarketDataOptions } from "./MarketData.ts";
import { PoolMeasures } from "./PoolMeasures.ts";
import { SearchIndex } from "./SearchIndex.ts";
import { type AnchorToken, settlePrices } from "./settlePrices.ts";
import { drained } from "./sorting.ts";
import { Topology } from "./Topology.ts";
import { Valuation } from "./Valuation.ts";
import { valueLiquidity } from "./valueLiquidity.ts";

/**
 * Keeps a valuation in step with a graph. A round measures the pools that changed until none is
 * left; at that moment all measures are of the graph's block. From there on it reads nothing of the
 * graph that a later block could change, so blocks may come while it works; they make the next
 * round.
 */
export class Valuer {
  /** The last complete one. */
  current = new Valuation();
  readonly search = new SearchIndex();
  readonly sources: ListSources;
  #next = new Valuation();

  readonly #options: MarketDataOptions;
  readonly #depthFloorUsd: number;
  readonly #measures: PoolMeasures;
  readonly #background: Background;

  // What blocks changed since the last round.
  #isStale = true;
  #changedPools: PoolIndex[] = [];
  #topologyChanged = true;
  #changedSupplies: TokenIndex[] = [];

  #tokenUpdatedMs = new Float64Array(0); // index: token
  #stampedTokens: number;
  #poolUpdatedMs = new Float64Array(0); // index: pool
  #supplies = new Float64Array(0); // index: token; whole tokens, 0 when unknown

  constructor(options: MarketDataOptions, depthFloorUsd: number) {
    this.#options = options;
    this.#depthFloorUsd = depthFloorUsd;
    this.#measures = new PoolMeasures(options.graph, options.familyOf);
    this.#background = new Background(
      () => this.#round(),
      () => this.#isStale,
    );
    this.sources = {
      graph: options.graph,
      measures: this.#measures,
      symbols: this.search.symbols,
      supplies: () => this.#supplies,
      tokenUpdatedMs: () => this.#tokenUpdatedMs,
      poolUpdatedMs: () => this.#poolUpdatedMs,
    };
    const { tokenCount, poolCount, stamp } = options.graph;
    this.#tokenUpdatedMs = new Float64Array(tokenCount).fill(stamp.timestampMs);
    this.#stampedTokens = tokenCount;
    this.#poolUpdatedMs = new Float64Array(poolCount).fill(stamp.timestampMs);
    this.#measures.reserve();
  }

  /** Takes in a block that the graph shows now. */
  follow(applied: AppliedBlock): void {
    const { graph } = this.#options;
    this.#stamp(applied);
    if (applied.topologyChanged) this.#measures.reserve();
    for (const pool of applied.changedPools) this.#changedPools.push(pool);
    for (const { token } of applied.block.supplies) {
      const index = graph.findToken(token);
      if (index !== undefined) this.#changedSupplies.push(index);
    }
    this.#topologyChanged ||= applied.topologyChanged;
    this.#isStale = true;
    this.#background.start();
  }

  /** Notes the time of a block at all pools that it changed or brought, and at their tokens. */
  #stamp(applied: AppliedBlock): void {
    const { graph } = this.#options;
    const { timestampMs } = applied.stamp;
    this.#tokenUpdatedMs = enlarged(this.#tokenUpdatedMs, graph.tokenCount);
    this.#tokenUpdatedMs.fill(timestampMs, this.#stampedTokens, graph.tokenCount);
    this.#stampedTokens = graph.tokenCount;
    this.#poolUpdatedMs = enlarged(this.#poolUpdatedMs, graph.poolCount);
    const listed = applied.block.pools.map(({ address }) => graph.findPool(address));
    for (const pool of [...applied.changedPools, ...listed]) {
      if (pool === undefined) continue;
      this.#poolUpdatedMs[pool] = timestampMs;
      for (let position = 0; position < graph.poolTokenCount[pool]!; position++) {
        this.#tokenUpdatedMs[graph.poolToken(pool, position)] = timestampMs;
      }
    }
  }

  /** All tokens, the most liquid first. */
  byLiquidity(): Uint32Array {
    return drained(tokenOrder(this.current, this.sources, "-liquidity"));
  }

  /** Tokens in a pool, the most liquid first. */
  routable(): ReadonlyArray<TokenIndex> {
    const { current } = this;
    current.routable ??= Array.from(this.byLiquidity()).filter((token) =>
      current.topology.isPooled(token),
    ) as TokenIndex[];
    return current.routable;
  }

  settle(): void {
    this.#background.finish();
  }

  stop(): void {
    this.#background.stop();
  }

  *#round(): Generator<void> {
    while (this.#hasChanges()) {
      yield* this.#indexTexts();
      yield* this.#measureChanged();
    }
    // Nothing yields from the last change until the copies are made: all is of one block.
    const { graph } = this.#options;
    const { stamp } = graph;
    const anchors = this.#anchorTokens();
    this.#readSupplies();
    this.#isStale = false;
    const before = this.current;
    const isSameTopology = before.topology?.version === graph.topologyVersion;
    const topology = isSameTopology ? before.topology : new Topology(graph);
    const ordered = isSameTopology
      ? before.catalogue
      : yield* catalogue(graph, topology, this.search, before.catalogue ?? EMPTY_CATALOGUE);
    const next = this.#next;
    next.begin(topology, ordered, stamp);
    yield* settlePrices(next, this.#measures, anchors, this.#depthFloorUsd);
    yield* valueLiquidity(next, this.#measures);
    // The orders that everybody asks for are ready with the block.
    next.rankByLiquidity(yield* tokenOrder(next, this.sources, "-liquidity"));
    yield;
    yield* poolOrder(next, this.sources, "-liquidityUsd");
    this.#next = this.current;
    this.current = next;
  }

  #hasChanges(): boolean {
    const { tokenCount } = this.#options.graph;
    const isIndexed = this.search.symbols.length === tokenCount;
    return this.#topologyChanged || this.#changedPools.length > 0 || !isIndexed;
  }

  /** Adds tokens to the search index that are new to the graph. */
  *#indexTexts(): Generator<void> {
    const { graph, tokenListing } = this.#options;
    while (this.search.symbols.length < graph.tokenCount) {
      const token = this.search.symbols.length as TokenIndex;
      const { symbol, name } = tokenListing(token);
      this.search.add(symbol, name);
      this.#changedSupplies.push(token);
      yield;
    }
  }

  /** Measures the pools that changed. */
  *#measureChanged(): Generator<void> {
    const { graph } = this.#options;
    if (this.#topologyChanged) {
      this.#topologyChanged = false;
      for (let pool = 0; pool < graph.poolCount; pool++) this.#changedPools.push(pool as PoolIndex);
    }
    for (let pool = this.#changedPools.pop(); pool !== undefined; pool = this.#changedPools.pop()) {
      if (!this.#measures.isStale(pool)) continue;
      this.#measures.measure(pool);
      yield;
    }
  }

  #anchorTokens(): AnchorToken[] {
    const { graph, anchors } = this.#options;
    return anchors.flatMap(({ address, priceUsd }) => {
      const token = graph.findToken(address);
      return token === undefined ? [] : [{ token, priceUsd }];
    });
  }

  #readSupplies(): void {
    const { graph, supply } = this.#options;
    this.#supplies = enlarged(this.#supplies, graph.tokenCount);
    for (const token of this.#changedSupplies) {
      this.#supplies[token] = Number(supply(token) ?? 0n) / 10 ** graph.tokenDecimals[token]!;
    }
    this.#changedSupplies = [];
  }
}
