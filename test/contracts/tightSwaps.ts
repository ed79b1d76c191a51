import { expect } from "vitest";
import { NATIVE, type OrderLeg, pathOf } from "./orders.ts";
import type { ExecutedSwap, FixtureSwap, PoolFixture } from "./PoolFixture.ts";
import { amountInOf, amountOutOf } from "./poolAnswers.ts";

export const KINDS = ["exactIn", "exactOut"] as const;

/** A path's output for an input, or its input for an output, pool by pool. */
async function pathAnswer(
  { arena }: PoolFixture,
  kind: FixtureSwap["kind"],
  legs: ReadonlyArray<OrderLeg>,
  amount: bigint,
): Promise<bigint> {
  let other = amount;
  for (const leg of kind === "exactIn" ? legs : [...legs].reverse())
    other = await (kind === "exactIn" ? amountOutOf : amountInOf)(arena, leg, other);
  return other;
}

/**
 * A swap with the tightest limits, and its total input and output by its pools. Path n gets n times
 * the amount of the first path.
 */
export async function tightSwap(
  stage: PoolFixture,
  kind: FixtureSwap["kind"],
  routes: ReadonlyArray<ReadonlyArray<OrderLeg>>,
  amount: bigint,
) {
  const [tokenIn, tokenOut] = [routes[0]![0]!.tokenIn, routes[0]!.at(-1)!.tokenOut];
  const amounts = routes.map((_, place) => amount * BigInt(place + 1));
  let [given, other] = [0n, 0n];
  for (const [place, legs] of routes.entries()) {
    given += amounts[place]!;
    other += await pathAnswer(stage, kind, legs, amounts[place]!);
  }
  const [amountIn, amountOut] = kind === "exactIn" ? [given, other] : [other, given];
  const swap: FixtureSwap = {
    ...{ kind, tokenIn, tokenOut, amountIn, amountOutMin: amountOut },
    paths: routes.map((legs, place) => pathOf(amounts[place]!, ...legs)),
    ...(tokenIn === NATIVE && { value: amountIn }),
  };
  return { swap, amountIn, amountOut };
}

/**
 * Checks to the wei that the whole input came from the sender and the whole output went to the
 * recipient.
 */
export async function checkTight(
  stage: PoolFixture,
  { change, outcome }: ExecutedSwap,
  { swap, amountIn, amountOut }: Awaited<ReturnType<typeof tightSwap>>,
  name: string,
): Promise<void> {
  const tokenOf = (token: string) => (token === NATIVE ? undefined : (token as typeof NATIVE));
  expect(outcome, name).toMatchObject({ succeeded: true });
  expect(change(tokenOf(swap.tokenIn), stage.sender), name).toBe(-amountIn);
  expect(change(tokenOf(swap.tokenOut), stage.recipient), name).toBe(amountOut);
  await checkNothingStays(stage, change);
}

export async function checkNothingStays(
  { arena, a, b, c }: PoolFixture,
  change: ExecutedSwap["change"],
): Promise<void> {
  const tokens = [a, b, c, arena.wrappedNative, undefined];
  const nothing = tokens.map(() => 0n);
  expect(tokens.map((token) => change(token, arena.executor))).toEqual(nothing);
  const held = await arena.balances(tokens.map((token) => [token, arena.executor]));
  expect(held).toEqual(nothing);
}
