import { law, postText, ServiceProcess, sharedDataPath, surely } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MillraceEngine, MillraceError, openEngine, type RouteRequest } from "../src/index.ts";
import { amountsOf, anyQuestion, bodyOf, expectSame } from "./questions.ts";

const UNIVERSE = sharedDataPath("ethereum-2026-03/universe-a.json");
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const SENDER = `0x${"11".repeat(20)}`;

let engine: MillraceEngine;
beforeAll(async () => {
  engine = await openEngine({ marketFile: UNIVERSE });
});
afterAll(() => engine.close());

/** The code that a call fails with. */
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "none",
    (error) => (error instanceof MillraceError ? error.code : `no code: ${error}`),
  );

describe("the facade on a recorded market", () => {
  it("answers as HTTP and quoteUnsafe do", { timeout: 1_200_000 }, async () => {
    const drawn = law("facade, quoteUnsafe and HTTP answer alike", 90);
    const service = new ServiceProcess({ environment: { MILLRACE_MARKET_FILE: UNIVERSE } });
    const url = await service.ready();
    let found = 0;
    for (const [, random] of drawn.sources()) {
      const { parameters, options, amount, kind } = anyQuestion(engine, random);
      const { tokenIn, tokenOut, maxHops, maxSplits } = parameters;
      const { text } = await postText(`${url}/ETH/quote`, bodyOf({ ...parameters, ...options }));
      const answered = JSON.parse(text);
      const isPlain = Object.keys(options).length === 0;
      const result = engine.core.quoteUnsafe({
        tokenIn: engine.core.graph.findToken(tokenIn)!,
        tokenOut: engine.core.graph.findToken(tokenOut)!,
        ...{ kind, amount, maxHops: maxHops!, maxSplits: maxSplits! },
      });
      const quote = await engine.quote({ ...parameters, ...options }).catch((error) => error);
      if (quote instanceof Error) {
        expect([quote, isPlain && result.found]).toMatchObject([{ code: answered.code }, false]);
        const { explanation } = quote as MillraceError;
        expect(explanation?.kind).toBe(answered.explanation?.limit);
        continue;
      }
      found++;
      if (isPlain) expect(quote).toMatchObject(amountsOf(result));
      expectSame(quote, answered);
    }
    expect(found).toBeGreaterThanOrEqual(surely(drawn.cases / 3));
    await service.end("SIGTERM");
  });

  it("takes symbols, addresses of any case, and the native token", async () => {
    const asked = { tokenOut: "USDC", amountIn: 10n ** 18n };
    const quote = await engine.quote({ ...asked, tokenIn: "WETH" });
    for (const tokenIn of [WETH, WETH.replace("0xc02a", "0xC02A")]) {
      expect(await engine.quote({ ...asked, tokenIn })).toEqual(quote);
    }
    const native = await engine.quote({ ...asked, tokenIn: "ETH" });
    expect(native.steps).toEqual(quote.steps);
    expect(native.tokenIn).not.toBe(quote.tokenIn);
    const wrapping = await engine.quote({ tokenIn: "ETH", tokenOut: WETH, amountIn: 5n });
    expect(wrapping).toMatchObject({ amountOut: 5n, steps: [] });
  });

  it("takes the options of the service", async () => {
    const asked = { tokenIn: "WETH", tokenOut: "USDC", amountIn: 10n ** 18n };
    const { steps } = await engine.quote({ ...asked, dexId: "UNISWAP_V2", maxHops: 1 });
    expect(steps.map(({ dexId }) => dexId)).toEqual(["UNISWAP_V2"]);
    const others = await engine.quote({ ...asked, excludePools: [steps[0]!.pool], maxHops: 1 });
    expect(others.steps[0]!.pool).not.toBe(steps[0]!.pool);
    expect(await codeOf(engine.quote({ ...asked, dexId: "NOBODY" }))).toBe("UNKNOWN_DEX");
    const wrapping = { tokenIn: "ETH", tokenOut: "WETH", amountIn: 5n };
    expect(await codeOf(engine.quote({ ...wrapping, dexId: "NOBODY" }))).toBe("UNKNOWN_DEX");
    expect(await codeOf(engine.quote({ ...wrapping, maxHops: 9 }))).toBe("INVALID_REQUEST");
    const wrapped = await engine.quote({ ...wrapping, explain: true });
    expect([wrapped.explanation?.totalBps, wrapped.tokenPrice]).toEqual([0, "1"]);
    const first = await engine.quote(asked);
    const second = await engine.quote({ ...asked, assume: [{ routePlan: first.steps }] });
    expect(second.amountOut < first.amountOut).toBe(true);
    const pair = steps[0]!.pool;
    const reserves = [10n ** 6n, 10n ** 6n];
    const drained = { ...asked, dexId: "UNISWAP_V2", maxHops: 1, explain: true };
    const assume = [{ pool: pair, reserves }];
    expect((await engine.quote({ ...drained, assume })).amountOut).toBeLessThan(10n ** 6n);
    const gone = { ...drained, assume: [{ removePool: pair }] };
    await expect(engine.quote(gone)).rejects.toMatchObject({
      code: "NO_ROUTE",
      explanation: { kind: "hops", maxHops: 1, neededHops: 2 },
    });
  });

  it("refuses with a code what makes no sense", async () => {
    const asked = { tokenIn: "WETH", tokenOut: "USDC", amountIn: 10n ** 15n };
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [null, "INVALID_REQUEST"],
      [{ ...asked, amountIn: 1_000 }, "INVALID_REQUEST"],
      [{ ...asked, amountOut: 1n }, "INVALID_REQUEST"],
      [{ ...asked, amountIn: -1n }, "INVALID_REQUEST"],
      [{ ...asked, amountIn: 0n }, "AMOUNT_TOO_SMALL"],
      [{ ...asked, maxHops: 9 }, "INVALID_REQUEST"],
      [{ ...asked, maxSplits: Number.NaN }, "INVALID_REQUEST"],
      [{ ...asked, maxHop: 3 }, "INVALID_REQUEST"],
      [{ ...asked, tokenOut: WETH }, "INVALID_REQUEST"],
      [{ ...asked, tokenOut: SENDER }, "UNKNOWN_TOKEN"],
      [{ ...asked, tokenOut: "NO SUCH TOKEN" }, "UNKNOWN_TOKEN"],
      [{ ...asked, tokenOut: 5 }, "INVALID_REQUEST"],
    ];
    for (const [parameters, code] of cases) {
      expect(await codeOf(engine.quote(parameters as RouteRequest))).toBe(code);
    }
    const signal = AbortSignal.abort();
    expect(await codeOf(engine.quote(asked, { signal }))).toBe("ABORTED");
    expect(await codeOf(engine.swap(null as never, { sender: SENDER }))).toBe("INVALID_REQUEST");
    const quote = await engine.quote(asked);
    expect(await codeOf(engine.swap(quote, { sender: "0x" }))).toBe("INVALID_REQUEST");
    expect(() => engine.cycles("WETH", 9)).toThrow(MillraceError);
    expect(() => engine.prices(["NO SUCH TOKEN"])).toThrow(MillraceError);
  });

  it("tells prices, round trips and transactions", async () => {
    const [weth, usdc] = engine.prices(["WETH", USDC]);
    expect(weth!.priceUsd).toBeGreaterThan(1_000);
    expect(usdc).toMatchObject({ address: USDC, symbol: "USDC", priceUsd: 1 });
    expect(engine.prices().length).toBeGreaterThan(100);
    for (const { amountIn, amountOut, profit } of engine.cycles("WETH", 2)) {
      expect(amountOut - amountIn).toBe(profit);
    }
    const wrapping = await engine.quote({ tokenIn: "ETH", tokenOut: "WETH", amountIn: 5n });
    const swap = await engine.swap(wrapping, { sender: SENDER });
    expect(swap.transactions).toMatchObject([{ from: SENDER, value: 5n }]);
    expect(swap.minAmountOut).toBe(5n);
  });

  it("lists tokens and pools, and says what it is of", () => {
    const { items, total } = engine.tokens({ limit: 3, sort: "-liquidity" });
    expect(items.map(({ liquidityUsd }) => liquidityUsd)).toEqual(
      items.map(({ liquidityUsd }) => liquidityUsd).sort((a, b) => b - a),
    );
    expect([items.length, total]).toEqual([3, engine.tokens({ page: 9, limit: 1 }).total]);
    const pools = engine.pools({ token: "USDC", dex: "UNISWAP_V2", limit: 500 });
    expect(pools.items.length).toBe(pools.total);
    expect(pools.items.every(({ tokens, dexId }) => tokens.includes(USDC) && dexId)).toBe(true);
    for (const options of [{ page: 0 }, { limit: 501 }, { sort: "size" }, { symbols: "WETH" }]) {
      expect(() => engine.tokens(options as never)).toThrow(MillraceError);
      expect(() => engine.pools(options as never)).toThrow(MillraceError);
    }
    expect(engine.network).toMatchObject({ id: "ETH", chainId: 1, wrappedNative: WETH });
    expect(engine.health()).toMatchObject({ ready: true, block: engine.core.graph.stamp });
  });

  it("ends what is asked of it when it is closed", async () => {
    const other = await openEngine({ marketFile: UNIVERSE });
    const asked = { tokenIn: "WETH", tokenOut: "USDC", amountIn: 10n ** 15n };
    const updates: unknown[] = [];
    const reading = (async () => {
      for await (const update of other.quotes(asked)) {
        updates.push(update);
        setImmediate(() => void other.close());
      }
    })();
    await reading;
    expect(updates).toMatchObject([{ kind: "quote" }]);
    expect(await codeOf(other.quote(asked))).toBe("CLOSED");
    expect(() => other.onBlock(() => {})).toThrow(MillraceError);
    await other[Symbol.asyncDispose]();
  });
});

describe("opening", () => {
  it("fails within its time-out, and says why", async () => {
    const rpcUrls = ["http://127.0.0.1:1"];
    const opening = openEngine({ network: "BASE", rpcUrls, timeoutMs: 300 });
    await expect(opening).rejects.toMatchObject({
      code: "TIMED_OUT",
      message: expect.stringMatching(/chain 8453: no block within 300 ms; .*endpoint 1: /),
    });
    const source = { kind: "marketFile", path: UNIVERSE };
    const config = { id: "ETH", chainId: 1, source, headAgeLimitMs: 1_000 };
    await expect(openEngine({ config, timeoutMs: 300 })).rejects.toMatchObject({
      code: "TIMED_OUT",
      message: expect.stringMatching(/^not open within 300 ms: the newest block is \d+ ms old$/),
    });
    const signal = AbortSignal.timeout(100);
    expect(await codeOf(openEngine({ network: "BASE", rpcUrls, signal }))).toBe("ABORTED");
  });

  it("refuses what it cannot open", async () => {
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [undefined, "INVALID_REQUEST"],
      [{}, "INVALID_REQUEST"],
      [{ network: "NOWHERE", rpcUrls: ["http://127.0.0.1:1"] }, "UNKNOWN_NETWORK"],
      [{ network: "BASE", rpcUrls: [] }, "INVALID_REQUEST"],
      [{ network: "BASE", rpcUrls: ["ftp://127.0.0.1"] }, "INVALID_CONFIG"],
      [{ marketFile: "/no/such/file" }, "INVALID_CONFIG"],
      [{ marketFile: UNIVERSE, network: "BASE" }, "UNREADABLE_MARKET"],
      [{ marketFile: UNIVERSE, timeoutMs: -1 }, "INVALID_REQUEST"],
      [{ marketFile: UNIVERSE, timeOutMs: 5 }, "INVALID_REQUEST"],
      [{ marketFile: UNIVERSE, devnet: "ETH" }, "INVALID_REQUEST"],
      [{ marketFile: UNIVERSE, log: "console" }, "INVALID_REQUEST"],
      [{ devnet: "MARS" }, "UNKNOWN_NETWORK"],
      [{ config: { id: "X" } }, "INVALID_CONFIG"],
    ];
    for (const [options, code] of cases) {
      expect(await codeOf(openEngine(options as never))).toBe(code);
    }
  });
});
