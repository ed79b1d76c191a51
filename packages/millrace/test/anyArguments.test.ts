import { disguised, law, type RandomSource, sharedDataPath, spoiled } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type MillraceEngine,
  MillraceError,
  openEngine,
  type RouteQuote,
  type RouteRequest,
} from "../src/index.ts";
import { anyQuestion } from "./questions.ts";

const UNIVERSE = sharedDataPath("ethereum-2026-03/universe-a.json");
const SENDER = `0x${"11".repeat(20)}`;
/** The same for all: without one it moves with the clock. */
const DEADLINE = Math.floor(Date.now() / 1_000) + 3_000;
/** Opening takes longer than any other call. */
const OPENINGS = 0.005;

let engine: MillraceEngine;
beforeAll(async () => {
  engine = await openEngine({ marketFile: UNIVERSE });
});
afterAll(() => engine.close());

type Call = (...given: ReadonlyArray<never>) => unknown;

/** A function that anybody may call, and arguments for it that make sense. */
interface PublicCall {
  readonly call: Call;
  readonly sane: ReadonlyArray<unknown>;
}

describe("whatever the facade is called with", () => {
  it("it answers, or fails with a code; the same arguments in another shape are the same", {
    timeout: 1_200_000,
  }, async () => {
    const drawn = law("any arguments of the facade", 2_800);
    const random = drawn.random();
    const sane = Array.from({ length: 60 }, () => {
      const { parameters, options } = anyQuestion(engine, random);
      return { ...parameters, ...options };
    });
    const answers = () => Promise.all(sane.map((asked) => outcome(quote, [asked])));
    const before = { answers: await answers(), snapshot: engine.core.snapshot() };
    const quotes = before.answers.flatMap(({ answer }) => (answer as RouteQuote) ?? []);
    const counts = { refused: 0, disguised: 0 };
    for (let index = 0; index < drawn.cases; index++) {
      const { call, sane: args } = publicCall(sane, quotes, random);
      if (random.chance(0.2)) {
        const shape = args.map((argument) => disguised(argument, random));
        expect(await outcome(call, shape)).toStrictEqual(await outcome(call, args));
        counts.disguised++;
      } else {
        const odd = args.map((argument) => spoiled(argument, random));
        if (random.chance(0.1)) odd.pop();
        if ((await outcome(call, odd)).code !== undefined) counts.refused++;
      }
    }
    expect(await answers()).toStrictEqual(before.answers);
    expect(Buffer.compare(engine.core.snapshot(), before.snapshot)).toBe(0);
    expect(counts.disguised).toBeGreaterThan(drawn.cases / 10);
    expect(counts.refused).toBeGreaterThan(drawn.cases / 4);
  });
});

const quote: Call = (asked: never) => engine.quote(asked);

/** The answer, or the code; any other error is thrown. Nothing here is a fault of ours. */
async function outcome(
  call: Call,
  args: ReadonlyArray<unknown>,
): Promise<{ answer?: unknown; code?: string }> {
  try {
    return { answer: await call(...(args as ReadonlyArray<never>)) };
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    if (error.code === "INTERNAL") throw error;
    return { code: error.code };
  }
}

function publicCall(
  requests: ReadonlyArray<RouteRequest>,
  quotes: ReadonlyArray<RouteQuote>,
  random: RandomSource,
): PublicCall {
  if (random.chance(OPENINGS)) return { call: opened, sane: [anyOpening(random)] };
  const request = random.pick(requests);
  const options = { signal: new AbortController().signal };
  const { kind, tokenIn, tokenOut, amountIn, amountOut, steps } = random.pick(quotes);
  const found = { kind, tokenIn, tokenOut, amountIn, amountOut, steps };
  const partnerFees = { recipient: SENDER, fee: 5 };
  const terms = { sender: SENDER, slippage: 1, deadline: DEADLINE, partnerFees };
  return random.pick<PublicCall>([
    { call: quote, sane: [request] },
    { call: (asked: never, more: never) => engine.quote(asked, more), sane: [request, options] },
    { call: firstUpdate, sane: [request, options] },
    { call: (of: never, on: never) => engine.swap(of, on), sane: [found, terms] },
    { call: (of: never, on: never) => engine.permit(of, on), sane: [found, terms] },
    { call: (token: never, hops: never) => engine.cycles(token, hops), sane: [tokenIn, 2] },
    { call: (tokens: never) => engine.prices(tokens), sane: [[tokenIn, tokenOut]] },
    {
      call: (list: never) => engine.tokens(list),
      sane: [{ page: 2, limit: 3, sort: "-price", symbol: "WETH", dex: "UNISWAP_V2" }],
    },
    {
      call: (list: never) => engine.pools(list),
      sane: [{ page: 1, limit: 3, sort: "fee", token: tokenIn, minLiquidityUsd: 10, fee: 3_000 }],
    },
    {
      call: (asked: never) => engine.candles(asked),
      sane: [{ token: tokenIn, interval: "1d", fromMs: 1, toMs: 2, limit: 3, fill: true }],
    },
    {
      call: (asked: never) => engine.trades(asked),
      sane: [{ token: tokenIn, maker: SENDER, before: "7-1", fromMs: 1, toMs: 2, limit: 3 }],
    },
    { call: (listener: never) => engine.onBlock(listener)(), sane: [() => undefined] },
  ]);
}

/** What a reading begins with. */
const firstUpdate = async (asked: never, options: never) => {
  const updates = engine.quotes(asked, options);
  const { value } = await updates.next();
  await updates.return();
  return value?.kind === "problem" ? value.problem.code : value;
};

/** A small market of its own, which is closed again. */
const opened = async (options: never) => {
  const other = await openEngine(options);
  const { chainId, network } = other;
  await other.close();
  return { chainId, network };
};

const anyOpening = (random: RandomSource): object =>
  random.pick([
    {
      timeoutMs: 20_000,
      log: () => undefined,
      config: {
        ...{ id: "TINY", chainId: 1, name: "Tiny" },
        source: { kind: "generated", seed: 1, poolCount: 5 },
      },
    },
    { marketFile: "/no/such/file", network: "ETH", timeoutMs: 1_000 },
    // Where the timeout is spoiled, the signal ends it: by default it waits for a minute.
    {
      network: "BASE",
      rpcUrls: ["http://127.0.0.1:1"],
      timeoutMs: 50,
      signal: AbortSignal.timeout(5_000),
    },
  ]);
