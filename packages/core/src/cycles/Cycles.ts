import type { TokenIndex } from "../graph/PoolGraph.ts";
import { type OpenMarket, TRANSACTION_GAS } from "../openMarket.ts";
import { invalidArgument, isIndex, noSuchToken } from "../search/arguments.ts";
import { HOPS_MAX } from "../search/quote.ts";
import type { Cycle } from "./Cycle.ts";
import { CycleFinder } from "./CycleFinder.ts";
import { CycleSearch } from "./CycleSearch.ts";

/** The most cycles given at once. */
const CYCLES_MAX = 64;
/** A token's cycles are dropped when no one asked for them for so many blocks. */
const BLOCKS_KEPT = 64;
/** Searches kept: each takes a few hundred KiB on a large market. */
const SEARCHES_MAX = 32;

/** The parts of a market that are read. */
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

  /** To be called after every block was applied. Does not search. */
  applied(): void {
    this.#blockCount++;
    for (const [key, { askedAt }] of this.#searches) {
      if (this.#blockCount - askedAt <= BLOCKS_KEPT) break; // later entries were asked for later
      this.#searches.delete(key);
    }
  }

  /**
   * Profitable round trips from a token through 2 … maxHops pools now, which pass no other token
   * and no pool twice: the CYCLES_MAX most profitable, best first. Each is computed alone on the
   * block's state; where two share a pool, executing one changes the other.
   *
   * Only cycles that gain at the current prices after fees are found, not those that gain a few
   * units by rounding alone. Throws a QuoteRequestError for an unknown token or other `maxHops`.
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

  /** Throws the errors of `find`, without a search. */
  check(token: TokenIndex, maxHops: number): void {
    if (!isIndex(token, this.#market.graph.tokenCount)) throw noSuchToken("token", token);
    if (isIndex(maxHops, HOPS_MAX + 1) && maxHops >= 2) return;
    throw invalidArgument("maxHops", `expected 2 to ${HOPS_MAX}`);
  }
}
