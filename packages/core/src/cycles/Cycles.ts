import type { TokenIndex } from "../graph/PoolGraph.ts";
import { type OpenMarket, TRANSACTION_GAS } from "../openMarket.ts";
import { invalidArgument, isIndex, noSuchToken } from "../search/arguments.ts";
import { HOPS_MAX } from "../search/quote.ts";
import type { Cycle } from "./Cycle.ts";
import { CycleFinder } from "./CycleFinder.ts";
import { CycleSearch } from "./CycleSearch.ts";

/** The most cycles that are given at once. */
const CYCLES_MAX = 64;
/** What was found for a token is forgotten when so many blocks came since it was asked for. */
const BLOCKS_KEPT = 64;
/** Searches that are kept: a few hundred KiB each on a large market. */
const SEARCHES_MAX = 32;

/** What of a market is read. */
type CyclesMarket = Pick<OpenMarket, "families" | "graph" | "options">;

/** Finds round trips of one market, and keeps what it found until a block touches it. */
export class Cycles {
  readonly #market: CyclesMarket;
  readonly #finder: CycleFinder;
  // By token and hops; the one asked for last comes last.
  readonly #searches = new Map<number, CycleSearch>();
  #blockCount = 0;

  constructor(market: CyclesMarket) {
    this.#market = market;
    const { families, graph, options } = market;
    this.#finder = new CycleFinder(graph, families, options.gasLimit - TRANSACTION_GAS);
  }

  /** To be told of every block, after it was applied. Searches for nothing. */
  applied(): void {
    this.#blockCount++;
    for (const [key, { askedAt }] of this.#searches) {
      if (this.#blockCount - askedAt <= BLOCKS_KEPT) break; // those behind it were asked later
      this.#searches.delete(key);
    }
  }

  /**
   * Profitable round trips from a token through 2 … maxHops pools now, which pass no other token
   * and no pool twice: the CYCLES_MAX most profitable, best first. Each is computed on the block's
   * state by itself; where two share a pool, executing one changes the other.
   *
   * Sought are those that gain at the current prices, fees counted; that rounding alone would pay
   * a few units for is not found. Throws a QuoteRequestError for an unknown token or other
   * `maxHops`.
   */
  find(token: TokenIndex, maxHops: number): ReadonlyArray<Cycle> {
    this.check(token, maxHops);
    const key = token * (HOPS_MAX + 1) + maxHops;
    const search =
      this.#searches.get(key) ??
      new CycleSearch(this.#market.graph, this.#finder, token, maxHops, CYCLES_MAX);
    this.#searches.delete(key);
    this.#searches.set(key, search);
    if (this.#searches.size > SEARCHES_MAX) {
      const [oldest] = this.#searches.keys();
      this.#searches.delete(oldest!);
    }
    search.askedAt = this.#blockCount;
    return search.current();
  }

  /** Throws what `find` throws, without a search. */
  check(token: TokenIndex, maxHops: number): void {
    if (!isIndex(token, this.#market.graph.tokenCount)) throw noSuchToken("token", token);
    if (isIndex(maxHops, HOPS_MAX + 1) && maxHops >= 2) return;
    throw invalidArgument("maxHops", `expected 2 to ${HOPS_MAX}`);
  }
}
