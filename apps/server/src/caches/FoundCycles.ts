import type { CycleJson } from "@millrace/api";
import type { Cycle, Engine, PoolGraph, TokenIndex } from "@millrace/core";
import { Effect } from "effect";
import type { FairPlaces } from "../limits/FairPlaces.ts";
import type { AddressTexts } from "./AddressTexts.ts";

/** Searches whose cycles are kept: tens of KiB each. */
const KEPT_MAX = 128;
/** How often one search is tried: it begins anew when pools came or went while it ran. */
const TRIES_MAX = 3;

/** Without worker threads, searches pause for this many times as long as the last one took. */
const REST = 9;

/** Undefined where blocks come faster than threads can search. */
type Found = ReadonlyArray<CycleJson> | undefined;

interface Kept {
  readonly found: Promise<Found>;
  /** The graph version that the cycles surely belong to; undefined during the search. */
  version: number | undefined;
}

interface SearchedMarket {
  readonly engine: Engine["Service"];
  readonly searches: FairPlaces;
  readonly texts: AddressTexts;
}

/**
 * Profitable cycles, searched at most once per state of the market, for all clients together.
 * Worker threads search where there are any; else the event loop does, in a tenth of its time at
 * most. Clients take turns.
 */
export class FoundCycles {
  readonly #market: SearchedMarket;
  /** Key: token and hops; the search that began first comes first. */
  readonly #kept = new Map<string, Kept>();
  #restedMs = 0;

  constructor(market: SearchedMarket) {
    this.#market = market;
  }

  /** The newest cycles, where somebody asked for them before. */
  known(token: TokenIndex, maxHops: number): Promise<Found> | undefined {
    const kept = this.#kept.get(keyOf(token, maxHops));
    const { version } = this.#market.engine.graph;
    // A running search will be new enough when it ends.
    return kept?.version === undefined || kept.version === version ? kept?.found : undefined;
  }

  /** Searches for cycles, and goes on when the client is gone: others may wait for the result. */
  search(token: TokenIndex, maxHops: number, client: string): Promise<Found> {
    const key = keyOf(token, maxHops);
    const searched = Effect.runPromise(
      this.#market.searches.run(client, this.#searched(token, maxHops)),
    );
    const kept: Kept = { found: searched.then(({ found }) => found), version: undefined };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const forget = () => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    };
    searched.then(({ version }) => {
      kept.version = version;
      if (version === undefined) forget();
    }, forget);
    for (const [oldest, { version }] of this.#kept) {
      if (this.#kept.size <= KEPT_MAX) break;
      if (version !== undefined) this.#kept.delete(oldest);
    }
    return kept.found;
  }

  /**
   * The version is undefined where blocks came meanwhile: the cycles belong to one of these blocks.
   */
  readonly #searched = Effect.fnUntraced(
    { self: this as FoundCycles },
    function* (
      token: TokenIndex,
      maxHops: number,
    ): Effect.fn.Return<{ readonly found: Found; readonly version: number | undefined }> {
      const { engine, texts } = this.#market;
      const { graph } = engine;
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const isHere = engine.workers === undefined;
        if (isHere) yield* turnAfter(this.#restedMs - performance.now());
        const beganMs = performance.now();
        const { topologyVersion, version } = graph;
        // The arguments are valid: any other failure would be a bug.
        const cycles = yield* Effect.orDie(engine.searchCycles(token, maxHops));
        const endedMs = performance.now();
        if (isHere) this.#restedMs = endedMs + REST * (endedMs - beganMs);
        if (cycles === undefined) break;
        // Where pools came or went, an index may stand for another pool.
        if (graph.topologyVersion !== topologyVersion) continue;
        const found = cycles.map((cycle) => cycleBody(graph, texts, cycle));
        return { found, version: graph.version === version ? version : undefined };
      }
      return { found: undefined, version: undefined };
    },
  );
}

const keyOf = (token: TokenIndex, maxHops: number): string => `${token} ${maxHops}`;

/** A turn of the event loop of its own, after a while. */
const turnAfter = (ms: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    setTimeout(() => resume(Effect.void), ms);
  });

/** A cycle as the interface has it. */
export const cycleBody = (
  graph: PoolGraph,
  texts: AddressTexts,
  { amountIn, amountOut, profit, gas, steps, stamp }: Cycle,
): CycleJson => ({
  ...{ amountIn: `${amountIn}`, amountOut: `${amountOut}`, profit: `${profit}` },
  ...{ gasEstimate: `${gas}`, blockNumber: `${stamp.number}` },
  steps: steps.map((step) => ({
    pool: graph.poolId(step.pool) ?? texts.pool(step.pool),
    dexId: graph.dexes[graph.poolDex[step.pool]!]!.id,
    tokenIn: texts.token(step.tokenIn),
    tokenOut: texts.token(step.tokenOut),
    ...{ amountIn: `${step.amountIn}`, amountOut: `${step.amountOut}` },
  })),
});
