import type { QuoteResult } from "@millrace/core";
import type { RandomSource } from "@millrace/testing";
import { expect } from "vitest";
import type { MillraceEngine, RouteQuote, RouteRequest } from "../src/index.ts";

/** Tokens as the market has them, sizes of all magnitudes; every other with options. */
export function anyQuestion(engine: MillraceEngine, random: RandomSource) {
  const tokens = engine.prices();
  const { address: tokenIn, decimals } = random.pick(tokens.slice(0, 200));
  const others = tokens.filter(({ address }) => address !== tokenIn);
  const tokenOut = random.pick(others.slice(0, 100)).address;
  const kind = random.pick(["exactIn", "exactOut"] as const);
  const amount = 1n + random.bigint(10n ** BigInt(decimals + random.between(-1, 2)));
  const bounds = { maxHops: random.between(1, 3), maxSplits: random.pick([1, 1, 4]) };
  const amounts = kind === "exactIn" ? { amountIn: amount } : { amountOut: amount };
  const parameters: RouteRequest = { tokenIn, tokenOut, ...amounts, ...bounds };
  const options = random.chance(0.5) ? {} : anyOptions(engine, random);
  return { parameters, options, amount, kind };
}

function anyOptions(engine: MillraceEngine, random: RandomSource): Partial<RouteRequest> {
  const { dexes } = engine.network;
  const pool = () => random.pick(engine.pools({ limit: 40 }).items).pool;
  return {
    ...(random.chance(0.2) && { dexId: random.pick(dexes).id }),
    ...(random.chance(0.2) && { excludeDexIds: [random.pick(dexes).id] }),
    ...(random.chance(0.2) && { excludePools: [pool(), pool()] }),
    ...(random.chance(0.3) && { gasPriceWei: 10n ** BigInt(random.between(6, 12)) }),
    ...(random.chance(0.2) && { executable: random.chance(0.5) }),
    ...(random.chance(0.3) && { certify: true }),
    ...(random.chance(0.2) && { gapBps: random.pick([0.01, 1, 30, 1_000]), maxSplits: 1 }),
    ...(random.chance(0.4) && { explain: true }),
    ...(random.chance(0.3) && { assume: [{ removePool: pool() }] }),
  };
}

/** The same question over HTTP. */
export const bodyOf = ({ tokenIn, tokenOut, ...rest }: RouteRequest): string =>
  JSON.stringify({ tokenA: tokenIn, tokenB: tokenOut, ...rest }, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );

export const amountsOf = (result: QuoteResult) =>
  result.found
    ? { amountIn: result.amountIn, amountOut: result.amountOut, priceImpact: result.priceImpact }
    : { steps: "none" };

type Fields = Readonly<Record<string, string>>;

/** All that both say of a quote. */
export function expectSame(
  quote: RouteQuote,
  // biome-ignore lint/suspicious/noExplicitAny: as it came.
  answered: any,
): void {
  expect({
    amounts: [quote.amountIn, quote.amountOut].map(String),
    facts: [quote.priceImpact, quote.tokenPrice, quote.executable, String(quote.gasEstimate)],
    block: [String(quote.block.number), quote.block.hash, quote.block.timestampMs],
    unverified: quote.unverified,
    steps: stepsOf(quote),
    explanation: quote.explanation && {
      ...{ midPrice: quote.explanation.midPrice, totalBps: quote.explanation.totalBps },
      parts: quote.explanation.steps.map(({ pool, ...parts }) => ({ ...parts, pool })),
      runnerUp: quote.explanation.runnerUp && stepsOf(quote.explanation.runnerUp),
    },
  }).toEqual({
    amounts: [answered.amountIn, answered.amountOut],
    facts: [
      ...[answered.priceImpact, answered.tokenPrice, answered.executable, answered.gasEstimate],
    ],
    block: [answered.blockNumber, answered.blockHash, answered.timestamp],
    unverified: (answered.unverified ?? []).map((token: string) => token.toLowerCase()),
    steps: answered.routePlan.map(stepOf),
    explanation: answered.explanation && {
      ...{ midPrice: answered.explanation.midPrice, totalBps: answered.explanation.totalBps },
      parts: answered.explanation.steps.map(({ poolAddress, poolId, ...parts }: Fields) => ({
        ...parts,
        pool: poolId ?? poolAddress!.toLowerCase(),
      })),
      runnerUp: answered.explanation.runnerUp?.routePlan.map(stepOf),
    },
  });
}

const stepsOf = ({ steps }: Pick<RouteQuote, "steps">) =>
  steps.map(({ pool, dexId, tokenIn, tokenOut, feePips, amountIn, amountOut }) => [
    ...[pool, dexId, tokenIn, tokenOut, feePips, String(amountIn), String(amountOut)],
  ]);

const stepOf = ({ poolId, poolAddress, dexId, tokenA, tokenB, fee, ...step }: Fields) => [
  ...[poolId ?? poolAddress!.toLowerCase(), dexId, tokenA, tokenB, fee],
  ...[step["amountIn"], step["amountOut"]],
];
