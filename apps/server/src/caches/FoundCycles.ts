import type { CycleJson } from "@millrace/api";
import type { Cycle, PoolGraph, TokenIndex } from "@millrace/core";
import { Effect } from "effect";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import type { AddressTexts } from "./AddressTexts.ts";

/** Searches whose cycles are kept: tens of KiB each. */
const KEPT_MAX = 128;
/** How often a search begins anew because pools came or went while it ran. */
const TRIES_MAX = 3;

/** Undefined where blocks come sooner than threads can search. */
type Found = ReadonlyArray<CycleJson> | undefined;

interface Kept {
  readonly found: Promise<Found>;
  /** Of the graph that they were found in; undefined while they are searched. */
  version: number | undefined;
}

type SearchedMarket = Pick<NetworkMarket, "engine" | "searches" | "texts">;

/**
 * Profitable round trips, searched at most once in each state of the market for all who ask: by a
 * worker thread where there are any, else in a turn of the event loop. Clients take turns.
 */
export class FoundCycles {
  readonly #market: SearchedMarket;
  /** By token and hops; the one found first comes first. */
  readonly #kept = new Map<string, Kept>();

  constructor(market: SearchedMarket) {
    this.#market = market;
  }

  /** The newest ones, where somebody asked for them before; undefined where they have to be searched. */
  known(token: TokenIndex, maxHops: number): Promise<Found> | undefined {
    const kept = this.#kept.get(keyOf(token, maxHops));
    const { version } = this.#market.engine.graph;
    // What is searched now is of the newest block when it is there.
    return kept?.version === undefined || kept.version === version ? kept?.found : undefined;
  }

  /** Searches them, also when the client is gone: others may wait for them. */
  search(token: TokenIndex, maxHops: number, client: string): Promise<Found> {
    const key = keyOf(token, maxHops);
    const { engine, searches } = this.#market;
    const kept: Kept = {
      found: Effect.runPromise(searches.run(client, this.#searched(token, maxHops))),
      version: undefined,
    };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const forget = () => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    };
    kept.found.then((found) => {
      kept.version = engine.graph.version;
      if (found === undefined) forget();
    }, forget);
    for (const [oldest, { version }] of this.#kept) {
      if (this.#kept.size <= KEPT_MAX) break;
      if (version !== undefined) this.#kept.delete(oldest);
    }
    return kept.found;
  }

  readonly #searched = Effect.fnUntraced(
    { self: this as FoundCycles },
    function* (token: TokenIndex, maxHops: number) {
      const { engine, texts } = this.#market;
      const { graph } = engine;
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        if (engine.workers === undefined) yield* turn;
        const { topologyVersion } = graph;
        // The arguments make sense: another failure would be ours.
        const cycles = yield* Effect.orDie(engine.searchCycles(token, maxHops));
        if (cycles === undefined) return undefined;
        // Where pools came or went, indexes may stand for others.
        if (graph.topologyVersion === topologyVersion) {
          return cycles.map((cycle) => cycleBody(graph, texts, cycle));
        }
      }
      return undefined;
    },
  );
}

const keyOf = (token: TokenIndex, maxHops: number): string => `${token} ${maxHops}`;

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void));
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
