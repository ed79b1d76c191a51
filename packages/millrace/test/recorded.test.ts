import {
  law,
  postText,
  type RandomSource,
  ServiceProcess,
  sharedDataPath,
} from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MillraceEngine, MillraceError, openEngine, type RouteRequest } from "../src/index.ts";

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
  it("answers as HTTP and quoteUnsafe do", { timeout: 300_000 }, async () => {
    const drawn = law("facade, quoteUnsafe and HTTP answer alike", 90);
    const service = new ServiceProcess({ environment: { MILLRACE_MARKET_FILE: UNIVERSE } });
    const url = await service.ready();
    let found = 0;
    for (const [, random] of drawn.sources()) {
      const { parameters, amount, kind } = anyQuestion(random);
      const { tokenIn, tokenOut, maxHops, maxSplits } = parameters;
      const result = engine.core.quoteUnsafe({
        tokenIn: engine.core.graph.findToken(tokenIn)!,
        tokenOut: engine.core.graph.findToken(tokenOut)!,
        ...{ kind, amount, maxHops: maxHops!, maxSplits: maxSplits! },
      });
      const amounts = kind === "exactIn" ? { amountIn: `${amount}` } : { amountOut: `${amount}` };
      const body = { tokenA: tokenIn, tokenB: tokenOut, maxHops, maxSplits, ...amounts };
      const { text } = await postText(`${url}/ETH/quote`, JSON.stringify(body));
      const told = JSON.parse(text);
      if (!result.found) {
        expect(await codeOf(engine.quote(parameters))).toBe(told.code);
        continue;
      }
      found++;
      const quote = await engine.quote(parameters);
      expect(quote).toMatchObject({ amountIn: result.amountIn, amountOut: result.amountOut });
      expect(told).toMatchObject({
        amountIn: `${quote.amountIn}`,
        amountOut: `${quote.amountOut}`,
        priceImpact: quote.priceImpact,
      });
      const route = quote.steps.map(({ pool, ...step }) => [
        pool,
        step.tokenIn,
        `${step.amountOut}`,
      ]);
      expect(
        told.routePlan.map((step: Record<string, string>) => [
          step["poolId"] ?? step["poolAddress"]!.toLowerCase(),
          ...[step["tokenA"], step["amountOut"]],
        ]),
      ).toEqual(route);
    }
    expect(found).toBeGreaterThan(drawn.cases / 3);
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

/** Tokens as the market has them, sizes of all magnitudes. */
function anyQuestion(random: RandomSource) {
  const tokens = engine.prices();
  const { address: tokenIn, decimals } = random.pick(tokens.slice(0, 200));
  const others = tokens.filter(({ address }) => address !== tokenIn);
  const tokenOut = random.pick(others.slice(0, 100)).address;
  const kind = random.pick(["exactIn", "exactOut"] as const);
  const amount = 1n + random.bigint(10n ** BigInt(decimals + random.between(-1, 2)));
  const bounds = { maxHops: random.between(1, 3), maxSplits: random.pick([1, 1, 4]) };
  const amounts = kind === "exactIn" ? { amountIn: amount } : { amountOut: amount };
  const parameters: RouteRequest = { tokenIn, tokenOut, ...amounts, ...bounds };
  return { parameters, amount, kind };
}
