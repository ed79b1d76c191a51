import {
  Engine,
  type Overlay,
  type PoolIndex,
  pathsOf,
  type Quote,
  QuoteError,
  type QuoteRequest,
  QuoteRequestError,
  type QuoteResult,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generatedMarket } from "@millrace/replay";
import { disguised, law, type RandomSource, spoiled } from "@millrace/testing";
import { Cause, Effect, Exit } from "effect";
import { describe, expect, it } from "vitest";

type OpenEngine = Engine["Service"];
type Call = (...given: ReadonlyArray<never>) => unknown;

/** A public function, and valid arguments for it. */
interface PublicCall {
  readonly call: Call;
  readonly sane: ReadonlyArray<unknown>;
}

const CODES = /^(INVALID_REQUEST|UNKNOWN_TOKEN|UNKNOWN_POOL)$/;

describe("whatever the engine is called with", () => {
  it("it answers, or throws a coded error; the same arguments in another shape are the same", async () => {
    const drawn = law("any arguments of the engine", 8_400);
    const random = drawn.random();
    const counts = { refused: 0, disguised: 0 };
    const program = Effect.gen(function* () {
      const source = generatedMarket({ seed: 3, poolCount: 80 });
      const engine = yield* Engine.make({ source, curves });
      const sane = Array.from({ length: 40 }, () => anyRequest(engine, random));
      const answers = () => sane.map((request) => engine.quoteUnsafe(request));
      const before = { snapshot: engine.snapshot(), answers: answers() };
      for (let index = 0; index < drawn.cases; index++) {
        const { call, sane: args } = publicCall(engine, sane, random);
        if (random.chance(0.2)) {
          const shape = args.map((argument) => disguised(argument, random));
          expect(outcome(call, shape)).toStrictEqual(outcome(call, args));
          counts.disguised++;
        } else {
          const odd = args.map((argument) => spoiled(argument, random));
          if (random.chance(0.1)) odd.pop();
          if (outcome(call, odd).code !== undefined) counts.refused++;
        }
      }
      // A refused call has left nothing behind.
      engine.excludeFromTransit(new Set());
      expect(answers()).toStrictEqual(before.answers);
      expect(Buffer.compare(engine.snapshot(), before.snapshot)).toBe(0);
    });
    await Effect.runPromise(Effect.scoped(program));
    expect(counts.disguised).toBeGreaterThan(drawn.cases / 10);
    expect(counts.refused).toBeGreaterThan(drawn.cases / 4);
  });
});

/** The answer, or the code; any other error is thrown. */
function outcome(call: Call, args: ReadonlyArray<unknown>): { answer?: unknown; code?: string } {
  try {
    return { answer: call(...(args as ReadonlyArray<never>)) };
  } catch (error) {
    if (!(error instanceof QuoteRequestError)) throw error;
    expect(error.code).toMatch(CODES);
    return { code: error.code };
  }
}

function publicCall(
  engine: OpenEngine,
  requests: ReadonlyArray<QuoteRequest>,
  random: RandomSource,
): PublicCall {
  const { graph } = engine;
  const request = random.pick(requests);
  const pool = random.integer(graph.poolCount) as PoolIndex;
  const token = random.integer(graph.tokenCount) as TokenIndex;
  const result = () => engine.quoteUnsafe(request);
  const assumptions = () => anyAssumptions(engine, result(), pool, random);
  return random.pick<() => PublicCall>([
    () => ({ call: checkedQuote(engine.quoteUnsafe), sane: [request] }),
    () => ({ call: checkedQuote(quoted(engine)), sane: [request] }),
    () => ({ call: (asked: never) => engine.isHeavy(asked), sane: [request] }),
    () => ({ call: (plan: never) => engine.recompute(plan), sane: [planOf(request, result())] }),
    () => ({ call: engine.explain, sane: [request, result()] }),
    () => ({ call: asked(engine, (overlay) => overlay.graph.poolCount), sane: [assumptions()] }),
    () => ({
      call: asked(engine, (overlay, of: never) => overlay.quoteUnsafe(of)),
      sane: [assumptions(), request],
    }),
    () => ({
      call: asked(engine, (overlay, of: never) => overlay.explain(of, overlay.quoteUnsafe(of))),
      sane: [assumptions(), request],
    }),
    () => ({
      call: asked(engine, (overlay, of: never) => typeof overlay.familyOf(of)),
      sane: [[], pool],
    }),
    () => ({ call: engine.cycles, sane: [token, random.between(2, 3)] }),
    () => ({ call: (of: never) => typeof engine.familyOf(of), sane: [pool] }),
    () => ({ call: engine.tokenListing, sane: [token] }),
    () => ({ call: engine.totalSupply, sane: [token] }),
    () => ({ call: engine.excludeFromTransit, sane: [new Set([graph.tokenAddress(token)])] }),
    () => ({ call: (of: never) => graph.findToken(of), sane: [graph.tokenAddress(token)] }),
    () => ({ call: (of: never) => graph.findPool(of), sane: [graph.poolAddress(pool)] }),
    // Subscribed and unsubscribed again.
    () => ({ call: (listener: never) => engine.onApplied(listener)(), sane: [() => undefined] }),
    () => ({ call: (listener: never) => engine.onPart(listener)(), sane: [() => undefined] }),
  ])();
}

/** As `quoteUnsafe`, but a failure is thrown. */
const quoted = (engine: OpenEngine) => (request: QuoteRequest) => {
  const exit = Effect.runSyncExit(engine.quote(request));
  if (Exit.isSuccess(exit)) return exit.value;
  const error = Cause.squash(exit.cause);
  if (!(error instanceof QuoteError)) throw error;
  return { found: false, reason: error.reason } as const;
};

/** Asks an overlay; if it is refused, gives the reason. */
const asked =
  (engine: OpenEngine, ask: (overlay: Overlay, ...of: ReadonlyArray<never>) => unknown): Call =>
  (assumptions: never, ...of) => {
    const overlay = engine.overlay(assumptions);
    return overlay.refused ? overlay : ask(overlay, ...of);
  };

/** Checks that an answer matches its request. */
const checkedQuote = (quote: (request: QuoteRequest) => QuoteResult) => (request: never) => {
  const result = quote(request);
  if (result.found) {
    expect(result.amountIn > 0n && result.amountOut > 0n).toBe(true);
    expect(result.priceImpact >= 0 && result.priceImpact <= 1 && result.gas > 0).toBe(true);
    const inputs = pathsOf(result).map(([first]) => first!.amountIn);
    expect(inputs.reduce((sum, each) => sum + each, 0n)).toBe(result.amountIn);
  }
  return result;
};

function anyRequest({ graph }: OpenEngine, random: RandomSource): QuoteRequest {
  const tokenIn = random.integer(graph.tokenCount) as TokenIndex;
  const tokenOut = ((tokenIn + 1 + random.integer(graph.tokenCount - 1)) %
    graph.tokenCount) as TokenIndex;
  return {
    ...{ tokenIn, tokenOut, kind: random.pick(["exactIn", "exactOut"] as const) },
    ...{ amount: random.amount(90), maxHops: random.between(1, 3) },
    ...(random.chance(0.3) && { maxSplits: random.between(1, 4) }),
    ...(random.chance(0.2) && { gasPrice: random.next() * 10 ** random.between(0, 12) }),
    ...(random.chance(0.3) && {
      filter: {
        withoutPools: [random.integer(graph.poolCount) as PoolIndex],
        withoutDexes: [random.integer(graph.dexes.length)],
        dexSets: [graph.dexes.map((_, dex) => dex)],
      },
    }),
  };
}

const planOf = ({ kind }: QuoteRequest, result: QuoteResult): object => ({
  kind,
  paths: pathsOf({ steps: result.found ? result.steps : [] }).map((path) => ({
    amount: kind === "exactIn" ? path[0]!.amountIn : path.at(-1)!.amountOut,
    hops: path.map(({ pool, tokenIn, tokenOut }) => ({ pool, tokenIn, tokenOut })),
  })),
});

function anyAssumptions(
  { graph }: OpenEngine,
  result: QuoteResult,
  pool: PoolIndex,
  random: RandomSource,
): ReadonlyArray<unknown> {
  const swapped = (result.found ? (result as Quote).steps : []).map(
    ({ pool: through, tokenIn, tokenOut, amountIn }) => ({
      ...{ kind: "swapped", pool: through, tokenIn, tokenOut, amountIn },
    }),
  );
  const start = graph.poolStateStart[pool]!;
  const words = graph.stateWords.slice(start, start + random.between(1, 8));
  const book = { keys: Int32Array.of(1), words: BigInt64Array.of(1n, 0n) };
  const state = random.chance(0.8) ? { words } : { words, book };
  return [
    ...swapped,
    ...(random.chance(0.3) ? [{ kind: "poolState", pool, state }] : []),
    ...(random.chance(0.3) ? [{ kind: "poolRemoved", pool }] : []),
  ];
}
