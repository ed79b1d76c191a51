import {
  type Address,
  type OpenMarket,
  openMarket,
  type Quote,
  recomputeRoute,
  type TokenIndex,
} from "@millrace/core";
import {
  type BuildTerms,
  type BuiltSwap,
  buildSwap,
  openRouters,
  type Permit,
  type RouterTable,
  type SwapOrder,
} from "@millrace/execution";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law, RandomSource, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";

// Every quote of generated markets becomes a transaction that decodes to the original intent:
// otherwise `buildSwap` throws.

const NOW_SECONDS = 1_800_000_000;
const SENDER: Address = "0xc0ffee0000000000000000000000000000000001";
const FRIEND: Address = "0xc0ffee0000000000000000000000000000000002";
const PARTNER: Address = "0xc0ffee0000000000000000000000000000000003";
const EXECUTOR: Address = "0xc0ffee0000000000000000000000000000000004";
const UNIVERSAL: Address = "0xc0ffee0000000000000000000000000000000005";
const PERMIT2: Address = "0xc0ffee0000000000000000000000000000000006";

interface Desk {
  readonly market: OpenMarket;
  readonly terms: BuildTerms;
  readonly tokens: ReadonlyArray<TokenIndex>;
  readonly hubs: ReadonlyArray<TokenIndex>;
}

/** A generated market, its most linked token as the wrapped native one. */
function openDesk(chainId: 1 | 8453, seed: number, without: Partial<RouterTable> = {}): Desk {
  const market = openMarket(chainId, curves);
  market.writer.applyBlock(generateMarketBlock({ seed, poolCount: 500, chainId }));
  const { graph } = market;
  const poolCount = (token: number) => graph.slotEnd[token]! - graph.slotStart[token]!;
  const tokens = Array.from({ length: graph.tokenCount }, (_, token) => token as TokenIndex);
  const hubs = [...tokens].sort((a, b) => poolCount(b) - poolCount(a)).slice(0, 8);
  const wrappedNative = graph.tokenAddress(hubs[0]!);
  const table: RouterTable = {
    ...{ chainId, wrappedNative, executor: EXECUTOR },
    universalRouter: {
      ...{ address: UNIVERSAL, version: "2.0", permit2: PERMIT2 },
      ...{ v2DexId: "UNISWAP_V2", v3DexId: "UNISWAP_V3" },
    },
    ...without,
  };
  return {
    ...{ market, tokens, hubs },
    terms: {
      engine: {
        graph,
        familyOf: (pool) => market.families[graph.poolCurve[pool]!]!,
        recompute: (route) => recomputeRoute(market, route),
      },
      ...{ wrappedNative, table, nowSeconds: NOW_SECONDS, routers: openRouters(table) },
      forbiddenRecipients: new Set([EXECUTOR, UNIVERSAL, PERMIT2]),
    },
  };
}

/** A quote of the engine's, and how a client might order it. */
function draw(desk: Desk, random: RandomSource): { quote: Quote; order: SwapOrder } {
  const { market, hubs, tokens, terms } = desk;
  const { graph } = market;
  for (;;) {
    const tokenIn = random.pick(random.integer(2) === 0 ? hubs : tokens);
    const tokenOut = random.pick(random.integer(2) === 0 ? hubs : tokens);
    if (tokenIn === tokenOut) continue;
    const kind = random.integer(3) === 0 ? "exactOut" : "exactIn";
    const decimals = graph.tokenDecimals[kind === "exactIn" ? tokenIn : tokenOut]!;
    const amount =
      1n + random.bigint(10n ** BigInt(Math.max(1, decimals - 6 + random.integer(12))));
    const uniswap = graph.dexes.flatMap(({ id }, n) => (id.startsWith("UNISWAP") ? [n] : []));
    const quote = market.router.quote({
      ...{ tokenIn, tokenOut, kind, amount, maxHops: 1 + random.integer(4) },
      maxSplits: random.pick([1, 2, 8]),
      ...(random.integer(2) === 0 && { filter: { onlyDexes: uniswap } }),
    });
    if (!quote.found) continue;
    const isWrapped = (token: TokenIndex) => graph.tokenAddress(token) === terms.wrappedNative;
    const order: SwapOrder = {
      sender: SENDER,
      ...(random.integer(2) === 0 && { recipient: FRIEND }),
      tokenIn: graph.tokenAddress(tokenIn),
      tokenOut: graph.tokenAddress(tokenOut),
      isNativeIn: isWrapped(tokenIn) && random.integer(2) === 0,
      isNativeOut: isWrapped(tokenOut) && random.integer(2) === 0,
      ...{ kind, amountIn: quote.amountIn, amountOut: quote.amountOut },
      steps: quote.steps.map((step) => ({
        pool: graph.poolAddress(step.pool),
        tokenIn: graph.tokenAddress(step.tokenIn),
        tokenOut: graph.tokenAddress(step.tokenOut),
        ...{ amountIn: step.amountIn, amountOut: step.amountOut },
      })),
      slippagePpm: random.pick([0, 1, 1_000, 5_000, 500_000]),
      ...(random.integer(3) === 0 && { fee: { recipient: PARTNER, bps: random.integer(1_001) } }),
    };
    const built = buildSwap(order, terms);
    // On dust, rounding may take more than a slippage of zero allows.
    const isDust = built.refused && built.code === "AMOUNT_TOO_SMALL";
    if (isDust && order.slippagePpm <= 1) continue;
    return { quote, order };
  }
}

function permitOf(amount: bigint): Permit {
  const signature = `0x${"ab".repeat(64)}1b` as const;
  const deadline = BigInt(NOW_SECONDS + 60);
  return { signature, amount, deadline, nonce: 3n, expiration: deadline };
}

function build(desk: Desk, order: SwapOrder): BuiltSwap {
  const built = buildSwap(order, desk.terms);
  if (built.refused) throw new Error(`${built.code}: ${built.detail}`);
  return built;
}

describe("a quote that is sent back at once", () => {
  for (const chainId of [1, 8453] as const) {
    it(`becomes a transaction with its own amounts, on chain ${chainId}`, () => {
      const desk = openDesk(chainId, 3);
      const orders = law(`quotes sent back, chain ${chainId}`, 200);
      const random = orders.random();
      const seen = new Map<string, number>();
      const count = (name: string) => seen.set(name, (seen.get(name) ?? 0) + 1);
      for (let done = 0; done < orders.cases; done++) {
        const { quote, order } = draw(desk, random);
        const { intent, router, swap } = build(desk, order);
        expect(intent).toMatchObject({ amountIn: quote.amountIn, amountOut: quote.amountOut });
        expect(intent.paths.flatMap(({ legs }) => legs.map(({ amountOut }) => amountOut))).toEqual(
          quote.steps.map(({ amountOut }) => amountOut),
        );
        expect(swap.to).toBe(router.kind === "executor" ? EXECUTOR : UNIVERSAL);
        expect(swap.value).toBe(order.isNativeIn ? intent.amountInMax : 0n);
        if (!order.isNativeIn && intent.amountInMax < 1n << 160n) {
          const signed = build(desk, { ...order, permit: permitOf(intent.amountInMax) });
          expect(signed.swap.data.length).toBeGreaterThan(swap.data.length);
        }
        count(router.kind);
        count(order.kind);
        if (intent.paths.length > 1) count("split");
        if (order.isNativeIn) count("native in");
        if (order.isNativeOut) count("native out");
        if (intent.fee !== undefined) count("fee");
      }
      for (const name of ["executor", "universal-router", "exactIn", "exactOut", "split", "fee"]) {
        expect(seen.get(name) ?? 0, name).toBeGreaterThanOrEqual(surely(orders.cases / 25));
      }
      for (const name of ["native in", "native out"]) {
        expect(seen.get(name) ?? 0, name).toBeGreaterThanOrEqual(surely(orders.cases / 50));
      }
    });
  }

  it("is built for the executor alone as well", () => {
    const desk = openDesk(1, 5);
    const { universalRouter: _, ...table } = desk.terms.table;
    const alone = { ...desk, terms: { ...desk.terms, table, routers: openRouters(table) } };
    for (const [, random] of law("quotes sent back, executor alone", 50).sources()) {
      expect(build(alone, draw(alone, random).order).router.kind).toBe("executor");
    }
  });
});

describe("a permit", () => {
  const desk = openDesk(1, 3);
  const ordered = (kind: "executor" | "universal-router"): BuiltSwap & { order: SwapOrder } => {
    const random = new RandomSource(21);
    for (;;) {
      const { order } = draw(desk, random);
      const built = build(desk, { ...order, isNativeIn: false });
      if (built.router.kind === kind) return { ...built, order: { ...order, isNativeIn: false } };
    }
  };
  const refusal = (order: SwapOrder, change: Partial<Permit>, amount: bigint) => {
    const built = buildSwap({ ...order, permit: { ...permitOf(amount), ...change } }, desk.terms);
    return built.refused ? [built.code, built.path] : "built";
  };

  it("of less than may go in is refused, on both routers", () => {
    for (const kind of ["executor", "universal-router"] as const) {
      const { order, intent } = ordered(kind);
      expect(refusal(order, {}, intent.amountInMax)).toBe("built");
      expect(refusal(order, {}, intent.amountInMax + 1n)).toBe("built");
      expect(refusal(order, {}, intent.amountInMax - 1n)).toEqual([
        "INVALID_REQUEST",
        ["permit", "amount"],
      ]);
    }
  });

  it("is refused where the input is native, or nothing is to be approved", () => {
    const { wrappedNative } = desk.terms;
    const wrap: SwapOrder = {
      ...{ sender: SENDER, tokenIn: wrappedNative, tokenOut: wrappedNative },
      ...{ isNativeIn: false, isNativeOut: true, kind: "exactIn", steps: [], slippagePpm: 0 },
      ...{ amountIn: 7n, amountOut: 7n, permit: permitOf(7n) },
    };
    for (const order of [wrap, { ...wrap, isNativeIn: true, isNativeOut: false }]) {
      expect(buildSwap(order, desk.terms)).toMatchObject({
        ...{ refused: true, code: "INVALID_REQUEST", path: ["permit"] },
      });
      const { permit: _, ...bare } = order;
      expect(build(desk, bare).router.kind).toBe("wrapper");
    }
  });

  it("is refused when a field of it cannot be", () => {
    const both: ReadonlyArray<Partial<Permit>> = [
      { signature: "0x" },
      { signature: `0x${"ab".repeat(64)}` },
      { signature: `0x${"zz".repeat(65)}` },
      { amount: -1n },
      { amount: 1n << 256n },
      { nonce: -1n },
      { nonce: 1n << 256n },
      { deadline: -1n },
      { deadline: 1n << 256n },
      { deadline: BigInt(NOW_SECONDS) - 1n },
    ];
    const permit2Only: ReadonlyArray<Partial<Permit>> = [
      { amount: 1n << 160n },
      { nonce: 1n << 48n },
      { expiration: -1n },
      { expiration: 1n << 48n },
      { expiration: BigInt(NOW_SECONDS) - 1n },
    ];
    const tokenOnly: ReadonlyArray<Partial<Permit>> = [{ signature: `0x${"ab".repeat(64)}1d` }];
    const [ours, theirs] = [ordered("executor"), ordered("universal-router")];
    const path = (change: object) => ["INVALID_REQUEST", ["permit", Object.keys(change)[0]]];
    for (const change of [...both, ...tokenOnly]) {
      expect(refusal(ours.order, change, ours.intent.amountInMax)).toEqual(path(change));
    }
    for (const change of [...both, ...permit2Only]) {
      expect(refusal(theirs.order, change, theirs.intent.amountInMax)).toEqual(path(change));
    }
    const { expiration: _, ...endless } = permitOf(theirs.intent.amountInMax);
    expect(buildSwap({ ...theirs.order, permit: endless }, desk.terms)).toMatchObject({
      ...{ code: "INVALID_REQUEST", path: ["permit", "expiration"] },
    });
  });
});

describe("calldata that is not what was meant", () => {
  it("is never handed out: that is a fault of ours, and throws", () => {
    const desk = openDesk(1, 3);
    const { order } = draw(desk, new RandomSource(2));
    const own = build(desk, order).router;
    const careless = {
      ...own,
      encode: (...given: Parameters<typeof own.encode>) => ({
        ...own.encode(...given),
        to: FRIEND,
      }),
    };
    const routers = { all: [careless], choose: () => careless, dexSets: () => undefined };
    expect(() => buildSwap(order, { ...desk.terms, routers })).toThrow(/not what was meant/);
  });
});
