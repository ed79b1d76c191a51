import {
  type Address,
  type Engine,
  openMarket,
  type PlannedRoute,
  type PoolIndex,
  pathsOf,
  recomputeRoute,
  type TokenIndex,
} from "@millrace/core";
import { buildSwap, type GasShape, openRouters, routeShape, swapGas } from "@millrace/execution";
import { calldataProtocols, curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { NetworkRouters } from "../../src/networks/NetworkRouters.ts";
import { GasEstimates, PLAIN_AMOUNT_END } from "../../src/quote/GasEstimates.ts";

const address = (n: number): Address => `0x${n.toString(16).padStart(40, "c")}`;

describe("gas estimates of a quote", () => {
  it("the gas of a quote is that of the router which its swap is built for", () => {
    const market = openMarket(1, curves);
    market.writer.applyBlock(generateMarketBlock({ seed: 3, poolCount: 800, chainId: 1 }));
    const { graph, families, router } = market;
    const [v2, v3] = ["constant-product", "concentrated-liquidity"].map(
      (name) => graph.dexes.find(({ protocol }) => protocol === name)!.id,
    );
    const wrappedNative = graph.tokenAddress(0 as TokenIndex);
    const table = {
      ...{ chainId: 1, wrappedNative, executor: address(1) },
      universalRouter: {
        ...{ address: address(2), version: "2.0" as const, permit2: address(3) },
        ...{ v2DexId: v2!, v3DexId: v3! },
      },
    };
    const open = () =>
      new GasEstimates(
        {
          graph,
          familyOf: (pool) => families[graph.poolCurve[pool]!]!,
        } as Engine["Service"],
        new NetworkRouters(table),
      );
    const estimates = open();
    const engine = {
      graph,
      familyOf: (pool: PoolIndex) => market.families[graph.poolCurve[pool]!]!,
      recompute: (route: PlannedRoute) => recomputeRoute(market, route),
    };
    const counts = { "universal-router": 0, executor: 0 };
    const quotes = law("quotes are estimated through the router of their swap", 300);
    for (const [, random] of quotes.sources()) {
      const [tokenIn, tokenOut] = [random.integer(30), random.integer(30)] as TokenIndex[];
      if (tokenIn === tokenOut) continue;
      const kind = random.integer(2) === 0 ? "exactIn" : "exactOut";
      const only = graph.dexes.flatMap(({ id }, dex) => (id === v2 || id === v3 ? [dex] : []));
      const quote = router.quote({
        ...{ tokenIn: tokenIn!, tokenOut: tokenOut!, kind, amount: 10n ** 15n, gasPrice: 0 },
        ...{ maxHops: 3, maxSplits: 1 + random.integer(4) },
        ...(random.integer(2) === 0 && { filter: { onlyDexes: only } }),
      });
      // Gas depends on a pool's state, and a pool that several paths use has several states.
      const poolCount = quote.found && new Set(quote.steps.map(({ pool }) => pool)).size;
      if (!quote.found || poolCount !== quote.steps.length) continue;
      const built = buildSwap(
        {
          ...{ sender: address(9), isNativeIn: false, isNativeOut: false, kind },
          ...{ tokenIn: graph.tokenAddress(tokenIn!), tokenOut: graph.tokenAddress(tokenOut!) },
          ...{ amountIn: quote.amountIn, amountOut: quote.amountOut, slippagePpm: 50_000 },
          steps: quote.steps.map((step) => ({
            ...{ pool: graph.poolAddress(step.pool) },
            ...{ tokenIn: graph.tokenAddress(step.tokenIn) },
            ...{ tokenOut: graph.tokenAddress(step.tokenOut) },
            ...{ amountIn: step.amountIn, amountOut: step.amountOut },
          })),
        },
        {
          ...{ engine, wrappedNative, forbiddenRecipients: new Set(), nowSeconds: 1 },
          ...{ table, routers: openRouters(table) },
        },
      );
      if (built.refused) continue;
      // An exact output of dust is sent as an exact input, which other routers may support.
      if (kind === "exactOut" && built.intent.amountInMax === built.intent.amountIn) continue;
      const chosen = built.router.kind as keyof typeof counts;
      counts[chosen]++;
      const last = pathsOf(quote).at(-1)!.at(-1)!;
      const shape: GasShape = {
        ...{ kind, router: chosen, isNativeIn: false, isNativeOut: false, hasFee: false },
        endsInPair: graph.dexes[graph.poolDex[last.pool]!]!.id === v2,
        ...routeShape(built.intent.paths),
      };
      const ends = { kind, isNativeIn: false, isNativeOut: false } as const;
      expect(estimates.of(ends, quote.steps)).toEqual({
        gas: Math.round(swapGas(shape, quote.typicalGas!)),
        isExecutable: true,
      });
      // What is kept of a route is true of other amounts, from dust to what routers refuse.
      const times = 1n << BigInt(random.integer(140));
      const steps = quote.steps.map((step) => ({
        ...step,
        amountIn: step.amountIn * times,
        amountOut: step.amountOut * times,
      }));
      const isNativeIn = random.integer(2) === 0;
      const others = { kind: kind === "exactIn" ? "exactOut" : "exactIn", isNativeIn } as const;
      for (const sides of [ends, { ...ends, ...others }, { ...ends, isNativeOut: true }]) {
        expect(estimates.of(sides, steps)).toEqual(open().of(sides, steps));
      }
    }
    const ends = calldataProtocols.flatMap(({ universalRouter }) => universalRouter ?? []);
    expect(ends.length).toBeGreaterThan(0);
    for (const { amountEnd } of ends) expect(amountEnd > PLAIN_AMOUNT_END).toBe(true);
    expect(Math.min(...Object.values(counts))).toBeGreaterThanOrEqual(surely(quotes.cases / 8));
  });
});
