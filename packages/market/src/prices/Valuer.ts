import {
  type AppliedBlock,
  Background,
  type PoolIndex,
  runToEnd,
  type TokenIndex,
} from "@millrace/core";
import { catalogue, EMPTY_CATALOGUE } from "../lists/Catalogue.ts";
import { ListSnapshot } from "../lists/ListSnapshot.ts";
import type { ListContext, ListSources } from "../lists/ListSources.ts";
import { UpdateTimes } from "../lists/UpdateTimes.ts";
import type { MarketDataOptions } from "../MarketData.ts";
import { SearchIndex } from "../search/SearchIndex.ts";
import { auditPrices, type PriceDisagreement } from "./auditPrices.ts";
import { LivePrices } from "./LivePrices.ts";
import { PoolMeasures } from "./PoolMeasures.ts";
import { type AnchorToken, settlePrices } from "./settlePrices.ts";
import { type TokenPrices, UNSETTLED } from "./TokenPrices.ts";
import { Topology } from "./Topology.ts";
import { Valuation } from "./Valuation.ts";
import { rankByLiquidity, valueLiquidity } from "./valueLiquidity.ts";

/** Markets with at most so many pools settle before `follow` returns, as far as a slice allows. */
const FEW_POOLS = 2_000;
/** Tokens of at most so many pools are priced with their block, those of other pools on demand. */
const TOUCHED_MAX = 1_000;
/** Rest after a pass, by the time of others: each block would begin one, which takes 1/3 s. */
const REST = 8;
/** List data are read so often in slices; if something changed each time, then without pauses. */
const TRIES_MAX = 4;
/** Step between audited tokens: a prime, so that each has its turn before any has a second one. */
const AUDIT_STEP = 1_000_003;

/**
 * Keeps a valuation in step with a graph, in two ways.
 *
 * Prices are of the graph's own block at once: see `LivePrices` for how exact they are. A block
 * costs time for the tokens of the pools that it touched; other tokens are priced on demand.
 *
 * The whole valuation, with the order of settling, liquidity and the orders of lists, is settled by
 * passes in the background, and is of one block, the last complete one. A pass measures changed
 * pools until none is left. From then on it reads nothing of the graph that a later block could
 * change: blocks that come meanwhile make the next pass. If no price or liquidity has moved, the
 * last valuation also holds for the new block.
 */
export class Valuer {
  /** The last complete valuation; its block may be before the graph's. */
  current = new Valuation();
  readonly sources: ListSources;
  #next = new Valuation();
  /** Is filled while the others are shown. */
  #spareSnapshot = new ListSnapshot();
  #search = new SearchIndex();
  /** Shown texts of tokens differ from those in `#search`. */
  #areNamesStale = false;
  #changeCount = 0;

  readonly #options: MarketDataOptions;
  readonly #depthFloorUsd: number;
  readonly #measures: PoolMeasures;
  readonly #live: LivePrices;
  readonly #background: Background;
  #anchors: ReadonlyArray<AnchorToken> = [];
  #audited = 0; // token

  /** More has traded than lists of the graph's block show. */
  #areTradesNew = false;
  // What blocks changed since the last pass.
  #isStale = true;
  #changedPools: PoolIndex[] = [];
  #topologyChanged = true;
  readonly #changedSupplies: TokenIndex[] = [];
  /** Measures of a pool have moved on which the current valuation depends. */
  #isMoved = true;
  readonly #times: UpdateTimes;

  constructor(options: MarketDataOptions, depthFloorUsd: number, context: ListContext) {
    this.#options = options;
    this.#depthFloorUsd = depthFloorUsd;
    this.#measures = new PoolMeasures(options.graph, options.familyOf);
    this.#live = new LivePrices(options.graph, options.familyOf, depthFloorUsd);
    this.#background = new Background(
      "valuation",
      () => this.#pass(),
      () => this.#isStale || this.#areTradesNew,
      { rest: REST },
    );
    this.sources = {
      graph: options.graph,
      measures: this.#measures,
      ...context,
      tokenUpdatedMs: () => this.#times.tokenMs,
      poolUpdatedMs: () => this.#times.poolMs,
    };
    this.#times = new UpdateTimes(options.graph);
    this.#measures.reserve();
  }

  /** Takes in a block that the graph shows now, and prices the tokens of its pools. */
  follow(applied: AppliedBlock): void {
    const { graph } = this.#options;
    this.#times.follow(applied);
    if (applied.topologyChanged) this.#measures.reserve();
    for (const pool of applied.changedPools) this.#changedPools.push(pool);
    for (const { token } of applied.block.supplies) {
      const index = graph.findToken(token);
      if (index !== undefined) this.#changedSupplies.push(index);
    }
    this.#topologyChanged ||= applied.topologyChanged;
    this.#isStale = true;
    this.#priceTouched(applied);
    this.#startWork();
  }

  /**
   * US dollars of one whole token at the block that the graph shows; 0 when unpriced. Correct as
   * soon as the graph has the block, before and after `follow`. Takes about a microsecond if asked
   * before at this block, and a few for each token that must be priced first.
   */
  priceUsd(token: TokenIndex): number {
    return this.pricesOf(token).priceUsd[token] ?? 0;
  }

  /** The prices to read a token's price from: valid for it, and for the tokens on its path. */
  pricesOf(token: TokenIndex): TokenPrices {
    const { graph } = this.#options;
    if (this.isSettled() || token >= graph.tokenCount) return this.current;
    return this.#live.update(token) ? this.#live : this.current;
  }

  /** Whether the valuation is of the block that the graph shows. */
  isSettled(): boolean {
    return this.current.graphVersion === this.#options.graph.version;
  }

  /** A token's position in the order of backing, the best first; Infinity for unpriced tokens. */
  backingRank(token: TokenIndex): number {
    const position = this.current.settledAt[token] ?? UNSETTLED;
    return position === UNSETTLED ? Number.POSITIVE_INFINITY : position;
  }

  /**
   * Works out the prices of some tokens once more, and everything they depend on, slowly and from
   * the pools' own state; gives those that differ from what readers get. Each call takes the next
   * tokens, so that all have their turn. Takes milliseconds in a market of 100,000 pools.
   */
  auditPrices(count: number): PriceDisagreement[] {
    const { graph, familyOf } = this.#options;
    const tokens = Array.from({ length: Math.min(count, graph.tokenCount) }, () => {
      this.#audited = (this.#audited + AUDIT_STEP) % graph.tokenCount;
      return this.#audited as TokenIndex;
    });
    return auditPrices(
      {
        graph,
        familyOf,
        anchors: this.#anchors,
        depthFloorUsd: this.#depthFloorUsd,
        settledAt: this.current.settledAt,
        servedUsd: (token) => this.priceUsd(token),
      },
      tokens,
    );
  }

  #priceTouched({ changedPools }: AppliedBlock): void {
    const { graph } = this.#options;
    for (const pool of changedPools.slice(0, TOUCHED_MAX)) {
      for (let position = 0; position < graph.poolTokenCount[pool]!; position++) {
        this.#live.update(graph.poolToken(pool, position));
      }
    }
  }

  /** To be called when names of tokens have changed, by which tokens are found and sorted. */
  reindexNames(): void {
    this.#areNamesStale = true;
    this.#isStale = true;
    this.#background.startLater();
  }

  /** To be called after trades: lists of the graph's block, present or coming, are to show them. */
  readTrades(): void {
    const { version } = this.#options.graph;
    const snapshots = [this.current.listSnapshot, this.#next.listSnapshot];
    if (!snapshots.some(({ graphVersion }) => graphVersion === version)) return;
    this.#areTradesNew = true;
    this.#startWork();
  }

  /** Lists of the graph's block show everything that has traded. */
  get hasReadTrades(): boolean {
    return !this.#areTradesNew;
  }

  #startWork(): void {
    if (this.#options.graph.poolCount <= FEW_POOLS) this.#background.start();
    else this.#background.startLater();
  }

  settle(): void {
    this.#background.finish();
  }

  stop(): void {
    this.#background.stop();
  }

  /** Grows whenever another valuation is served; what a pass does before that is not visible. */
  get changeCount(): number {
    return this.#changeCount;
  }

  *#pass(): Generator<void> {
    if (!this.#isStale) return yield* this.#rereadTrades();
    const { graph } = this.#options;
    let topology: Topology | undefined = this.current.topology;
    for (let tries = 1; ; tries++) {
      while (this.#hasChanges()) {
        yield* this.#indexTexts();
        yield* this.#measureChanged();
      }
      if (topology?.version !== graph.topologyVersion) {
        topology = yield* Topology.copy(graph, this.#next.topologyUnlike(this.current));
        if (topology === undefined) continue;
      }
      if ((yield* this.#readSnapshot(tries)) && !this.#hasChanges()) break;
    }
    // Nothing has yielded since the last check for changes: everything is of one block.
    const [{ stamp, version }, anchors] = [graph, this.#anchorTokens()];
    for (const token of this.#changedSupplies.splice(0)) this.sources.supplies.read(token);
    this.#isStale = false;
    this.#areTradesNew = false;
    const before = this.current;
    const isSameTopology = before.topology === topology;
    const search = this.#search;
    const isSameSearch = before.search === search;
    if (isSameTopology && isSameSearch && !this.#isMoved) {
      before.stamp = stamp;
      before.graphVersion = version;
      this.#showSnapshot(before);
      this.#changeCount++;
      return;
    }
    const next = this.#next;
    this.#showSnapshot(next);
    const catalogued = isSameSearch ? before.catalogue : EMPTY_CATALOGUE;
    const ordered =
      isSameTopology && isSameSearch
        ? before.catalogue
        : yield* catalogue(graph, topology, search, catalogued);
    if (!isSameTopology) yield* topology.indexDexes();
    next.begin(topology, ordered, search, stamp, version);
    yield;
    yield* settlePrices(next, this.#measures, anchors, this.#depthFloorUsd);
    yield* valueLiquidity(next, this.#measures);
    yield* rankByLiquidity(next);
    this.#next = this.current;
    this.current = next;
    this.#changeCount++;
    this.#isMoved = false;
    this.#anchors = anchors;
    this.#live.reorder(next.settledAt, anchors);
    yield* this.#live.prepare();
  }

  /** Reads what lists show, in slices at first. False when a block or trades came meanwhile. */
  *#readSnapshot(tries: number): Generator<void, boolean> {
    const { graph } = this.#options;
    const { version } = graph;
    const sumsVersion = this.sources.sumsVersion();
    const reading = this.#spareSnapshot.read(this.sources);
    if (tries < TRIES_MAX) yield* reading;
    else runToEnd(reading);
    return graph.version === version && this.sources.sumsVersion() === sumsVersion;
  }

  #showSnapshot(valuation: Valuation): void {
    const read = this.#spareSnapshot;
    this.#spareSnapshot = valuation.listSnapshot;
    valuation.listSnapshot = read;
  }

  /** If the graph goes on meanwhile, the next pass reads the trades. */
  *#rereadTrades(): Generator<void> {
    const isOfNow = () => this.current.listSnapshot.graphVersion === this.#options.graph.version;
    let isRead = false;
    for (let tries = 1; isOfNow() && !isRead; tries++) {
      isRead = yield* this.#readSnapshot(tries);
    }
    this.#areTradesNew = false;
    if (!isRead) return;
    this.#showSnapshot(this.current);
    this.#changeCount++;
  }

  #hasChanges(): boolean {
    const { tokenCount } = this.#options.graph;
    const isIndexed = this.#search.symbols.length === tokenCount && !this.#areNamesStale;
    return this.#topologyChanged || this.#changedPools.length > 0 || !isIndexed;
  }

  /** Adds the graph's new tokens to the search index. */
  *#indexTexts(): Generator<void> {
    const { graph, tokenListing } = this.#options;
    if (this.#areNamesStale) this.#search = new SearchIndex();
    this.#areNamesStale = false;
    while (this.#search.symbols.length < graph.tokenCount) {
      const token = this.#search.symbols.length as TokenIndex;
      const { symbol, name } = tokenListing(token);
      this.#search.add(symbol, name);
      if (token >= (this.current.search?.symbols.length ?? 0)) this.#changedSupplies.push(token);
      yield;
    }
  }

  /** Measures the pools that changed. */
  *#measureChanged(): Generator<void> {
    const { graph } = this.#options;
    if (this.#topologyChanged) {
      this.#topologyChanged = false;
      for (let pool = 0 as PoolIndex; pool < graph.poolCount; pool++)
        if (this.#measures.isStale(pool)) this.#changedPools.push(pool);
    }
    for (let pool = this.#changedPools.pop(); pool !== undefined; pool = this.#changedPools.pop()) {
      if (!this.#measures.isStale(pool)) continue;
      const isMoved = this.#measures.measure(pool);
      this.#isMoved ||= isMoved && this.#isValued(pool);
      yield;
    }
  }

  /** False if all tokens of a pool are unpriced: no price or liquidity depends on its measures. */
  #isValued(pool: PoolIndex): boolean {
    const { graph } = this.#options;
    for (let position = 0; position < graph.poolTokenCount[pool]!; position++) {
      const at = this.current.settledAt[graph.poolToken(pool, position)] ?? UNSETTLED;
      if (at !== UNSETTLED) return true;
    }
    return false;
  }

  #anchorTokens(): AnchorToken[] {
    const { graph, anchors } = this.#options;
    return anchors.flatMap(({ address, priceUsd }) => {
      const token = graph.findToken(address);
      return token === undefined ? [] : [{ token, priceUsd }];
    });
  }
}
