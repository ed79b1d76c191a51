import { Context, Deferred, Effect, Layer, PubSub, Schema, type Scope, Stream } from "effect";
import { AppliedBlocks } from "./AppliedBlocks.ts";
import { Background } from "./Background.ts";
import type { Curve, PoolFamily } from "./Curve.ts";
import type { Cycle } from "./cycles/Cycle.ts";
import { Cycles } from "./cycles/Cycles.ts";
import type { Explanation } from "./explain/Explanation.ts";
import { type ExplainedResult, explainQuote, quoteExplained } from "./explain/explainQuote.ts";
import { familyOfPool } from "./familyOfPool.ts";
import type { AppliedBlock } from "./graph/AppliedBlock.ts";
import type { Address } from "./graph/address.ts";
import type { MarketBlock, TokenListing } from "./graph/MarketBlock.ts";
import type { PoolGraph, PoolIndex, TokenIndex } from "./graph/PoolGraph.ts";
import { holding } from "./holding.ts";
import { type HistoryStatus, type MarketSource, MarketSourceError } from "./MarketSource.ts";
import { openMarket } from "./openMarket.ts";
import type { PlannedRoute } from "./route/PlannedRoute.ts";
import {
  type RecomputedRoute,
  recomputeRoute,
  type UnfilledRoute,
} from "./route/recomputeRoute.ts";
import {
  asRequestError,
  invalidArgument,
  isIndex,
  noSuchToken,
  readArgument,
} from "./search/arguments.ts";
import type { QuoteRequestError } from "./search/QuoteRequestError.ts";
import type { Quote, QuoteRequest, QuoteResult } from "./search/quote.ts";
import { soundRequest } from "./search/soundRequest.ts";
import { step } from "./step.ts";
import type { Assumption, RefusedAssumption } from "./whatIf/Assumption.ts";
import type { Overlay } from "./whatIf/Overlay.ts";
import { openOverlay } from "./whatIf/openOverlay.ts";
import { isHeavy } from "./workers/isHeavy.ts";
import {
  openSearchWorkers,
  type SearchWorkers,
  type SearchWorkersOptions,
} from "./workers/SearchWorkers.ts";

/** Why there is no quote; see `NoQuoteReason`. */
export class QuoteError extends Schema.TaggedError<QuoteError>()("QuoteError", {
  reason: Schema.Literals(["NoRoute", "AmountTooSmall", "InsufficientLiquidity"]),
}) {}

export interface EngineOptions {
  readonly source: MarketSource;
  /** The curves whose pools are routed: `curves` of `@millrace/protocols`, or some of them. */
  readonly curves: ReadonlyArray<Curve>;
  /** Gas limit of one transaction, which no route exceeds; default 16,777,216. */
  readonly gasLimit?: number;
  /**
   * Milliseconds until `make` fails, with the cause, for want of a first block: a minute by
   * default, Infinity for no limit. The first reading of a large chain takes longer.
   */
  readonly openTimeoutMs?: number;
  /** Threads for searches that would block the caller's thread for long; none by default. */
  readonly workers?: SearchWorkersOptions;
}

/**
 * The market of one chain, kept in step with a source, and the best routes through it.
 *
 * @example
 * const engine = yield* Engine
 * const result = engine.quoteUnsafe({ tokenIn, tokenOut, kind: "exactIn", amount, maxHops: 3 })
 */
export class Engine extends Context.Service<
  Engine,
  {
    /** The read view. It changes only between two synchronous calls. */
    readonly graph: PoolGraph;
    /** The arithmetic of a pool. */
    readonly familyOf: (pool: PoolIndex) => PoolFamily;
    /** The token's listing, as the source gave it. */
    readonly tokenListing: (token: TokenIndex) => TokenListing;
    /** Total supply in smallest units, as last given by the source. */
    readonly totalSupply: (token: TokenIndex) => bigint | undefined;
    /**
     * The best route now, synchronously, in microseconds. Throws a QuoteRequestError for an invalid
     * request. Indexes must be of the market as it is now: the caller ensures that. A pool's index
     * from before may stand for another pool.
     */
    readonly quoteUnsafe: (request: QuoteRequest) => QuoteResult;
    /**
     * The best route in the newest block at the time of the answer. A worker thread, if there are
     * any, searches heavy requests. Fails with the reason when there is no route, and with a
     * QuoteRequestError for an invalid request.
     */
    readonly quote: (request: QuoteRequest) => Effect.Effect<Quote, QuoteError | QuoteRequestError>;
    /** Whether `quote` leaves a request to a worker thread, as it may take milliseconds. */
    readonly isHeavy: (request: QuoteRequest) => boolean;
    /** The threads of the options. */
    readonly workers: SearchWorkers | undefined;
    /** Input and output of a given route in the newest block. */
    readonly recompute: (route: PlannedRoute) => RecomputedRoute | UnfilledRoute;
    /** Where a quote's output went, or why there is no quote; see `explainQuote`. */
    readonly explain: (request: QuoteRequest, result: QuoteResult) => Explanation;
    /**
     * The best route in the newest block at the time of the answer, with its explanation; searched
     * by a worker thread, if there are any.
     */
    readonly quoteExplained: (
      request: QuoteRequest,
    ) => Effect.Effect<ExplainedResult, QuoteRequestError>;
    /**
     * The market with assumptions on top, or the assumption that cannot be made; see `openOverlay`.
     */
    readonly overlay: (assumptions: ReadonlyArray<Assumption>) => Overlay | RefusedAssumption;
    /**
     * Profitable round trips from a token through 2 … maxHops pools, the most profitable first.
     * After a block, only the pools that it touched are searched again.
     */
    readonly cycles: (token: TokenIndex, maxHops: number) => ReadonlyArray<Cycle>;
    /**
     * The same in the newest block at the time of the answer, by a worker thread, if there are any;
     * undefined where blocks come faster than threads can search. Without threads, the search
     * blocks the caller's thread.
     */
    readonly searchCycles: (
      token: TokenIndex,
      maxHops: number,
    ) => Effect.Effect<ReadonlyArray<Cycle> | undefined, QuoteRequestError>;
    /**
     * Sets the tokens that from now on stand in the middle of no route; requests may still name
     * them as token in or out. Replaces the set before; unknown addresses are kept for later.
     */
    readonly excludeFromTransit: (tokens: ReadonlySet<Address>) => void;
    /** The whole market as bytes, in canonical form; see `openSnapshot`. */
    readonly snapshot: () => Uint8Array;
    /** Every block, as for `onApplied`. A slow reader loses the oldest. */
    readonly applied: Stream.Stream<AppliedBlock>;
    /**
     * Calls back, synchronously, once per block of the chain after it was applied, from the next
     * one on, with all that changed since the block before. Returns a function that unsubscribes.
     */
    readonly onApplied: (listener: (block: AppliedBlock) => void) => () => void;
    /**
     * The same for each part that the source sends, as it comes: a block, or what was read later of
     * it or of the past.
     */
    readonly onPart: (listener: (part: AppliedBlock) => void) => () => void;
    /** How far back the source has sent swaps; undefined for a source without a past. */
    readonly history: () => HistoryStatus | undefined;
    /** Fails when the source fails; never succeeds. */
    readonly sourceFailure: Effect.Effect<never, MarketSourceError>;
  }
>()("@millrace/core/Engine") {
  /** An engine that follows its source until the scope closes; ready with the first block. */
  static readonly make = makeEngine;

  static readonly layer = (options: EngineOptions): Layer.Layer<Engine, MarketSourceError> =>
    Layer.effect(Engine, makeEngine(options));
}

function makeEngine(
  options: EngineOptions,
): Effect.Effect<Engine["Service"], MarketSourceError, Scope.Scope> {
  return Effect.gen(function* () {
    const { source, curves, workers: workersOptions, openTimeoutMs = OPEN_TIMEOUT_MS } = options;
    const market = openMarket(source.chainId, curves, options);
    const cycles = new Cycles(market);
    const { graph, writer, router } = market;
    const workers =
      workersOptions === undefined ? undefined : yield* openSearchWorkers(market, workersOptions);
    const isForWorkers = (request: QuoteRequest) =>
      workers !== undefined && isHeavy(graph, request);
    const hub = yield* PubSub.sliding<AppliedBlock>({ capacity: 64 });
    // Index: token.
    const listings: TokenListing[] = [];
    const supplies: Array<bigint | undefined> = [];
    const blocks = new AppliedBlocks((block) => PubSub.publishUnsafe(hub, block));
    const firstBlock = yield* Deferred.make<void, MarketSourceError>();
    const failure = yield* Deferred.make<never, MarketSourceError>();

    // Searches find the same with the looser bounds that a block leaves; this tightens them again.
    const tightening = new Background(
      "bounds",
      () => writer.tightenBounds(),
      () => writer.areBoundsLoose,
    );
    yield* Effect.addFinalizer(() => Effect.sync(() => tightening.stop()));

    /** All listeners receive the block before anything else runs. */
    const applyAndTell = (block: MarketBlock): AppliedBlock => {
      const applied = step("apply", () => writer.applyChanges(block));
      const { excludedFromTransit } = block;
      if (excludedFromTransit !== undefined) writer.excludeFromTransit(excludedFromTransit);
      tightening.startLater();
      for (const listing of block.tokens) {
        const token = graph.findToken(listing.address);
        if (token !== undefined) listings[token] = listing;
      }
      for (const { token: address, totalSupply } of block.supplies) {
        const token = graph.findToken(address);
        if (token !== undefined) supplies[token] = totalSupply;
      }
      cycles.applied();
      step("notify", () => blocks.take(applied));
      return applied;
    };
    const apply = Effect.fnUntraced(function* (block: MarketBlock) {
      const about = { chainId: source.chainId, number: block.stamp.number };
      const applied = holding("block", () => step("block", () => applyAndTell(block), about));
      yield* Deferred.succeed(firstBlock, undefined);
      for (const { what, address, reason } of applied.rejected) {
        yield* Effect.logWarning("left out of the market").pipe(
          Effect.annotateLogs({
            chainId: source.chainId,
            block: block.stamp.number,
            what,
            address,
            reason,
          }),
        );
      }
    });
    const fail = (error: MarketSourceError) =>
      Effect.andThen(Deferred.fail(firstBlock, error), Deferred.fail(failure, error));
    yield* Stream.runForEach(source.blocks, apply).pipe(
      Effect.andThen(Deferred.fail(firstBlock, emptySource(source))),
      Effect.catch(fail),
      Effect.tapCause((cause) => Effect.logFatal("the market's feed stopped", cause)),
      Effect.catchCause((cause) =>
        Effect.andThen(Deferred.failCause(firstBlock, cause), Deferred.failCause(failure, cause)),
      ),
      Effect.forkScoped,
    );
    const isOpen = Deferred.await(firstBlock);
    yield* openTimeoutMs === Number.POSITIVE_INFINITY
      ? isOpen
      : Effect.timeoutOrElse(isOpen, {
          duration: openTimeoutMs,
          orElse: () => Effect.fail(noBlock(source, openTimeoutMs)),
        });

    return Engine.of({
      graph,
      familyOf: (pool) => familyOfPool(market, pool),
      tokenListing: (token) => listings[expectToken(graph, token)]!,
      totalSupply: (token) => supplies[expectToken(graph, token)],
      quoteUnsafe: (request) => router.quote(request),
      quote: Effect.fnUntraced(function* (request: QuoteRequest) {
        const sound = yield* Effect.try({
          try: () => soundRequest(graph, request),
          catch: (error) => asRequestError("request", error),
        });
        const result = isForWorkers(sound)
          ? yield* workers!.quote(sound)
          : router.quoteChecked(sound);
        if (!result.found) return yield* new QuoteError({ reason: result.reason });
        return result;
      }),
      isHeavy: (request) => {
        try {
          return isForWorkers(request);
        } catch (error) {
          throw asRequestError("request", error);
        }
      },
      workers,
      recompute: (route) => recomputeRoute(market, route),
      explain: (request, result) => explainQuote(market, request, result),
      quoteExplained: Effect.fnUntraced(function* (request: QuoteRequest) {
        const sound = yield* Effect.try({
          try: () => soundRequest(graph, request),
          catch: (error) => asRequestError("request", error),
        });
        if (workers !== undefined) return yield* workers.explained(sound);
        return holding("search", () => quoteExplained(market, sound));
      }),
      overlay: (assumptions) => openOverlay(market, assumptions),
      cycles: (token, maxHops) => cycles.find(token, maxHops),
      searchCycles: Effect.fnUntraced(function* (token: TokenIndex, maxHops: number) {
        yield* Effect.try({
          try: () => cycles.check(token, maxHops),
          catch: (error) => asRequestError("request", error),
        });
        if (workers !== undefined) return yield* workers.cycles(token, maxHops);
        return holding("search", () => cycles.find(token, maxHops));
      }),
      excludeFromTransit: (tokens) => market.writer.excludeFromTransit(soundTokens(tokens)),
      snapshot: market.snapshot,
      applied: Stream.fromPubSub(hub),
      onApplied: (listener) => blocks.onApplied(soundListener(listener)),
      onPart: (listener) => blocks.onPart(soundListener(listener)),
      history: () => source.history?.(),
      sourceFailure: Deferred.await(failure),
    });
  });
}

const OPEN_TIMEOUT_MS = 60_000;

function expectToken(graph: PoolGraph, token: TokenIndex): TokenIndex {
  if (isIndex(token, graph.tokenCount)) return token;
  throw noSuchToken("token", token);
}

/** Strings that are not addresses match no token. */
function soundTokens(tokens: ReadonlySet<Address>): ReadonlySet<Address> {
  return readArgument("tokens", () => {
    if (!(tokens instanceof Set)) throw invalidArgument("tokens", "a set of addresses is expected");
    // Of the Set itself, in case the argument has an iterator of its own.
    return new Set<Address>(Set.prototype.values.call(tokens));
  });
}

/** Calling a listener that is not a function would stop the engine from following the market. */
function soundListener<A>(listener: (block: A) => void): (block: A) => void {
  if (typeof listener === "function") return listener;
  throw invalidArgument("listener", "a function is expected");
}

function noBlock(source: MarketSource, openTimeoutMs: number): MarketSourceError {
  const why = [source.obstacle?.(), source.diagnosis?.()].filter((words) => words !== undefined);
  return new MarketSourceError({
    source: `chain ${source.chainId}`,
    reason: "TimedOut",
    detail: [`no block within ${openTimeoutMs} ms`, ...why].join("; "),
  });
}

function emptySource(source: MarketSource): MarketSourceError {
  return new MarketSourceError({
    source: `chain ${source.chainId}`,
    reason: "Malformed",
    detail: "the source ended without a block",
  });
}
