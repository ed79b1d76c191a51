import type { PoolFamily } from "../Curve.ts";
import type { Explanation } from "../explain/Explanation.ts";
import { explainQuote } from "../explain/explainQuote.ts";
import { familyOfPool } from "../familyOfPool.ts";
import type { Address } from "../graph/address.ts";
import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import type { ReadMarket } from "../openMarket.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";
import { soundRequest } from "../search/soundRequest.ts";
import type { Assumption, RefusedAssumption } from "./Assumption.ts";
import { assume } from "./assume.ts";
import type { Overlay } from "./Overlay.ts";
import { TwinMarket } from "./TwinMarket.ts";

/** See `Overlay`. It is applied to the twin on demand, unless the twin still shows it. */
export class AssumedMarket implements Overlay {
  readonly refused = false;
  readonly #market: ReadMarket;
  readonly #assumptions: ReadonlyArray<Assumption>;
  /** By index of the assumption. Pools keep their addresses, while their indexes may be reused. */
  readonly #addresses: ReadonlyArray<Address>;
  #pools: ReadonlyArray<PoolIndex | undefined>;
  #topologyVersion: number;
  #refusal: RefusedAssumption | undefined;
  #removed = new Set<PoolIndex>();

  /**
   * All pools of the assumptions must be in the market, and nobody may change the assumptions
   * later.
   */
  constructor(market: ReadMarket, assumptions: ReadonlyArray<Assumption>) {
    const { graph } = market;
    this.#market = market;
    this.#assumptions = assumptions;
    this.#addresses = assumptions.map(({ pool }) => graph.poolAddress(pool));
    this.#pools = assumptions.map(({ pool }) => pool);
    this.#topologyVersion = graph.topologyVersion;
  }

  get graph(): PoolGraph {
    return this.#made().graph;
  }

  refusal(): RefusedAssumption | undefined {
    this.#make();
    return this.#refusal;
  }

  familyOf(pool: PoolIndex): PoolFamily {
    return familyOfPool(this.#made(), pool);
  }

  quoteUnsafe(request: QuoteRequest): QuoteResult {
    const { router, graph } = this.#made();
    const sound = soundRequest(graph, request);
    const result = router.quoteChecked(sound);
    // A removed pool is left empty. That finds the same routes as without the pool, faster than
    // with a filter; but an empty pool still counts as a link in the reason for finding none.
    if (result.found || this.#removed.size === 0) return result;
    return router.quoteChecked(this.#withoutRemoved(sound));
  }

  explain(request: QuoteRequest, result: QuoteResult): Explanation {
    const twin = this.#made();
    return explainQuote(twin, this.#withoutRemoved(soundRequest(twin.graph, request)), result);
  }

  #withoutRemoved(request: QuoteRequest): QuoteRequest {
    if (this.#removed.size === 0) return request;
    const withoutPools = [...(request.filter?.withoutPools ?? []), ...this.#removed];
    return { ...request, filter: { ...request.filter, withoutPools } };
  }

  #made(): TwinMarket {
    const twin = this.#make();
    if (this.#refusal === undefined) return twin;
    const { index, reason } = this.#refusal;
    throw new RangeError(`assumption ${index} cannot be made any more: ${reason}`);
  }

  #make(): TwinMarket {
    const twin = twinOf(this.#market);
    if (twin.shows(this)) return twin;
    twin.clear();
    this.#findPools();
    this.#removed = new Set();
    this.#refusal = undefined;
    for (let index = 0; index < this.#assumptions.length; index++) {
      const assumption = this.#assumptions[index]!;
      const reason = assume(twin, assumption, this.#pools[index], this.#removed);
      if (reason === undefined) continue;
      this.#refusal = { refused: true, index, reason };
      break;
    }
    twin.settle(this);
    return twin;
  }

  #findPools(): void {
    const { graph } = this.#market;
    if (graph.topologyVersion === this.#topologyVersion) return;
    this.#topologyVersion = graph.topologyVersion;
    this.#pools = this.#addresses.map((address) => graph.findPool(address));
  }
}

const twins = new WeakMap<ReadMarket, TwinMarket>();

/** The only twin of a market, made on demand. */
function twinOf(market: ReadMarket): TwinMarket {
  const known = twins.get(market);
  if (known !== undefined && !known.isWorn) return known;
  const twin = new TwinMarket(market);
  twins.set(market, twin);
  return twin;
}
