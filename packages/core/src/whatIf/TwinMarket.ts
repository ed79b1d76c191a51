import type { Curve, PoolFamily } from "../Curve.ts";
import { raiseBounds } from "../graph/bounds.ts";
import { allocate, grown } from "../graph/buffers.ts";
import { writePieces } from "../graph/LeadingPieces.ts";
import {
  type Book,
  NO_RANK,
  PIECE_STRIDE,
  PoolGraph,
  type PoolIndex,
  type PoolState,
  RANK_STRIDE,
} from "../graph/PoolGraph.ts";
import { openSearch, type ReadMarket } from "../openMarket.ts";

/** The arrays that assumptions change, of which a twin has its own. */
type OwnArrays = Pick<
  PoolGraph,
  | "stateWords"
  | "poolVersion"
  | "slotIn"
  | "slotOut"
  | "slotRateIn"
  | "slotRateOut"
  | "rankBounds"
  | "outliers"
  | "tokenIsOutlier"
>;

/** Half of all versions is reserved for what comes until the next check. */
const VERSION_WORN = 2 ** 31;

/**
 * A copy of a market that one overlay at a time changes and searches. Its graph shares all arrays
 * with the market's except those that assumptions change, and never writes a shared one: other
 * threads search them. It has its own families and router, so that their caches are of its own
 * states.
 *
 * Families cache by a pool's version, so a version here never stands for two states: each written
 * state gets a new one, and a restored pool gets its former one.
 */
export class TwinMarket {
  readonly graph: PoolGraph;
  readonly curves: ReadMarket["curves"];
  readonly options: ReadMarket["options"];
  readonly families: ReadMarket["families"];
  readonly router: ReadMarket["router"];
  readonly #market: ReadMarket;
  #own: OwnArrays;
  // Index: pool. The market's version of the pool when it was last copied, and the twin's own for
  // it.
  #seenVersion = allocate(Uint32Array, 0);
  #ownVersion = allocate(Uint32Array, 0);
  #lastVersion = 0;
  #shown: object | undefined = undefined;
  /** Pools that differ from the market. */
  readonly #changed = new Set<PoolIndex>();
  readonly #books = new Map<PoolIndex, Book>();

  constructor(market: ReadMarket) {
    this.#market = market;
    this.graph = new PoolGraph(market.graph.chainId, market.graph.curveNames);
    this.#own = this.graph; // empty still
    this.#follow();
    this.#changed.clear();
    this.curves = market.curves;
    this.options = market.options;
    const { families, router } = openSearch(this.graph, this.curves, this.options.gasLimit);
    this.families = families;
    this.router = router;
  }

  /** True when versions are about to run out, so that the market needs a new twin. */
  get isWorn(): boolean {
    return this.#lastVersion > VERSION_WORN;
  }

  /** Whether it shows the market as it is now with the changes of `whose` on top. */
  shows(whose: object): boolean {
    return this.#shown === whose && this.#isCurrent;
  }

  /** Resets everything to the market as it is now. */
  clear(): void {
    this.#shown = undefined;
    this.#books.clear();
    if (this.#isCurrent) this.#putBack();
    else this.#follow();
    this.graph.assumedBooks = undefined;
    this.#changed.clear();
  }

  get #isCurrent(): boolean {
    const { version, boundsVersion } = this.#market.graph;
    return this.graph.version === version && this.graph.boundsVersion === boundsVersion;
  }

  definitionOf(pool: PoolIndex): Curve {
    return this.curves[this.graph.poolCurve[pool]!]!;
  }

  /** Number of words in the pool's state. */
  stateWordsOf(pool: PoolIndex): number {
    return this.definitionOf(pool).stateWords(this.graph.poolTokenCount[pool]!);
  }

  /**
   * The arithmetic of a pool in its current state; of an unchanged pool, the market's own, whose
   * caches are warm.
   */
  familyOf(pool: PoolIndex): PoolFamily {
    const { families } = this.#changed.has(pool) ? this : this.#market;
    return families[this.graph.poolCurve[pool]!]!;
  }

  /** Sets a pool's state; without a book it keeps its own. `settle` must follow. */
  write(pool: PoolIndex, { words, book }: PoolState): void {
    this.graph.stateWords.set(words, this.graph.poolStateStart[pool]!);
    this.graph.poolVersion[pool] = ++this.#lastVersion;
    this.#changed.add(pool);
    if (book === undefined) return;
    this.#books.set(pool, book);
    this.graph.assumedBooks = this.#books;
  }

  /** Updates what the search relies on after all changes, which are those of `whose`. */
  settle(whose: object): void {
    for (const pool of this.#changed) {
      writePieces(this.graph, this.families[this.graph.poolCurve[pool]!]!, pool);
      this.#raiseBounds(pool);
    }
    this.#shown = whose;
  }

  #raiseBounds(pool: PoolIndex): void {
    const { graph } = this;
    const count = graph.poolTokenCount[pool]!;
    for (let own = 0; own < count; own++) {
      const token = graph.poolToken(pool, own);
      for (let other = 0; other < count; other++) {
        if (own !== other) raiseBounds(graph, token, graph.poolSlot(pool, own, other), noBound);
      }
    }
  }

  /** Restores the changed pools, when the market has not changed. */
  #putBack(): void {
    const { graph } = this.#market;
    for (const pool of this.#changed) {
      this.#copy(pool);
      for (let position = 0; position < graph.poolTokenCount[pool]!; position++) {
        this.#copyBounds(graph.poolToken(pool, position));
      }
    }
    this.graph.outlierCount = graph.outlierCount;
    this.graph.bonusMax = graph.bonusMax;
    this.graph.bonusValueMax = graph.bonusValueMax;
  }

  /** Follows the market, when it has changed. */
  #follow(): void {
    const { graph } = this.#market;
    const isLaidOutAnew = graph.topologyVersion !== this.graph.topologyVersion;
    if (isLaidOutAnew) this.#own = copiesOf(graph, this.#own.poolVersion);
    // Arrays are replaced when they grow.
    Object.assign(this.graph, graph, this.#own);
    this.#giveVersions();
    for (const pool of this.#changed) {
      if (isLaidOutAnew) this.#own.poolVersion[pool] = this.#ownVersion[pool]!;
      else this.#copy(pool);
    }
    if (isLaidOutAnew) return;
    // The two sets of bounds alternate, and one may be larger.
    const { outlierCount, tokenCount, transitCount } = graph;
    this.#own.rankBounds.set(graph.rankBounds.subarray(0, transitCount * RANK_STRIDE));
    this.#own.outliers.set(graph.outliers.subarray(0, outlierCount));
    this.#own.tokenIsOutlier.set(graph.tokenIsOutlier.subarray(0, tokenCount));
  }

  /** Gives a new version to each pool that the market has changed. */
  #giveVersions(): void {
    const { poolCount, poolVersion } = this.#market.graph;
    this.#seenVersion = grown(Uint32Array, this.#seenVersion, poolCount);
    this.#ownVersion = grown(Uint32Array, this.#ownVersion, poolCount);
    for (let pool = 0; pool < poolCount; pool++) {
      if (this.#seenVersion[pool] === poolVersion[pool]) continue;
      this.#seenVersion[pool] = poolVersion[pool]!;
      this.#ownVersion[pool] = ++this.#lastVersion;
      this.#changed.add(pool as PoolIndex);
    }
  }

  #copy(pool: PoolIndex): void {
    const { graph } = this.#market;
    const own = this.#own;
    own.poolVersion[pool] = this.#ownVersion[pool]!;
    const start = graph.poolStateStart[pool]!;
    const end = start + this.stateWordsOf(pool);
    for (let word = start; word < end; word++) own.stateWords[word] = graph.stateWords[word]!;
    const count = graph.poolTokenCount[pool]!;
    for (let from = 0; from < count; from++) {
      for (let to = 0; to < count; to++) {
        if (from === to) continue;
        const slot = graph.poolSlot(pool, from, to);
        const at = slot * PIECE_STRIDE;
        for (let part = at; part < at + PIECE_STRIDE; part++) {
          own.slotIn[part] = graph.slotIn[part]!;
          own.slotOut[part] = graph.slotOut[part]!;
        }
        own.slotRateIn[slot] = graph.slotRateIn[slot]!;
        own.slotRateOut[slot] = graph.slotRateOut[slot]!;
      }
    }
  }

  #copyBounds(token: number): void {
    const { graph } = this.#market;
    const own = this.#own;
    own.tokenIsOutlier[token] = graph.tokenIsOutlier[token]!;
    const rank = graph.tokenRank[token]!;
    if (rank === NO_RANK) return;
    const start = rank * RANK_STRIDE;
    for (let at = start; at < start + RANK_STRIDE; at++) own.rankBounds[at] = graph.rankBounds[at]!;
  }
}

/**
 * The most that an unusual edge gives. The exact answer takes a walk through a whole book, longer
 * than a quote; and for a pool worth an assumption it is so large that it bounds little.
 */
const noBound = () => Number.POSITIVE_INFINITY;

/** Pools keep the versions that the twin gave them. */
function copiesOf(graph: PoolGraph, poolVersion: PoolGraph["poolVersion"]): OwnArrays {
  return {
    stateWords: copyOf(BigUint64Array, graph.stateWords),
    poolVersion: grown(Uint32Array, poolVersion, graph.poolCount),
    slotIn: copyOf(Float64Array, graph.slotIn),
    slotOut: copyOf(Float64Array, graph.slotOut),
    slotRateIn: copyOf(Float64Array, graph.slotRateIn),
    slotRateOut: copyOf(Float64Array, graph.slotRateOut),
    rankBounds: copyOf(Float64Array, graph.rankBounds),
    outliers: copyOf(Uint32Array, graph.outliers),
    tokenIsOutlier: copyOf(Uint8Array, graph.tokenIsOutlier),
  };
}

function copyOf<A extends { readonly length: number; set(source: A): void }>(
  kind: Parameters<typeof allocate<A>>[0],
  array: A,
): A {
  const copy = allocate(kind, array.length);
  copy.set(array);
  return copy;
}
