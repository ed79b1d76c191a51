import { expect } from "vitest";
import type { FamilyPool, FamilyQuoteRequest, TicksState } from "../src/families/FamilyPool.ts";
import type { FamilyPools } from "../src/families/FamilyPools.ts";
import type { Position } from "./FamilyBench.ts";

const TICK_MAX = 887_272;

/** A pool of recorded vectors. */
export interface RecordedPool {
  readonly state: Readonly<Record<string, string>> & {
    readonly ticks?: ReadonlyArray<readonly [string, string]>;
  };
}

export interface Vectors {
  readonly pools: Readonly<Record<string, RecordedPool>>;
  readonly cases: ReadonlyArray<
    readonly [
      pool: string,
      kind: "in" | "out",
      indexIn: 0 | 1,
      indexOut: 0 | 1,
      amount: string,
      expected: string | null,
    ]
  >;
}

/** Has a pool quote every case that was recorded of it; gives how many these are. */
export async function expectCases(
  { cases }: Vectors,
  name: string,
  pools: FamilyPools,
  pool: FamilyPool,
): Promise<number> {
  const own = cases.filter(([of]) => of === name);
  const requests = own.map(
    ([, kind, indexIn, , amount]): FamilyQuoteRequest => ({
      kind: kind === "in" ? "exactIn" : "exactOut",
      ...{ zeroForOne: indexIn === 0, amount: BigInt(amount) },
    }),
  );
  const quoted = await Promise.all(requests.map((request) => pools.quote(pool, request)));
  const due = own.map(([, , , , , answer]) => (answer === null ? undefined : BigInt(answer)));
  const told = (answers: typeof due) =>
    requests.map((request, index) => ({ ...request, answer: answers[index] }));
  expect(told(quoted)).toEqual(told(due));
  return own.length;
}

/** A recorded state of a pool along ticks, without its fee. */
export function ticksStateOf({ state }: RecordedPool): Omit<TicksState, "fee"> {
  return {
    sqrtPriceX96: BigInt(state["sqrtPriceX96"]!),
    tick: Number(state["tick"]),
    liquidity: BigInt(state["liquidity"]!),
    tickSpacing: Number(state["tickSpacing"]),
    ticks: state.ticks!.map(([tick, net]) => [Number(tick), BigInt(net)] as const),
  };
}

/** Whether the ticks on each side of the price make up the liquidity there: of the same moment. */
export const addsUp = ({ tick, liquidity, ticks }: Omit<TicksState, "fee">): boolean =>
  ticks.reduce((sum, [index, net]) => (index <= tick ? sum + net : sum), 0n) === liquidity &&
  ticks.reduce((sum, [, net]) => sum + net, 0n) === 0n;

/**
 * Positions side by side that leave a pool with this liquidity and these ticks. Where a recorded
 * book does not end at its outermost ticks, they go on to the ends of all ticks.
 */
export function positionsOf({
  tick,
  liquidity,
  tickSpacing,
  ticks,
}: Omit<TicksState, "fee" | "sqrtPriceX96">): ReadonlyArray<Position> {
  const end = TICK_MAX - (TICK_MAX % tickSpacing);
  const borders = [-end, ...ticks.map(([index]) => index), end];
  const nets = new Map(ticks);
  const current = borders.findLastIndex((border) => border <= tick);
  const held = new Map([[current, liquidity]]);
  for (let at = current + 1; at < borders.length - 1; at++)
    held.set(at, held.get(at - 1)! + nets.get(borders[at]!)!);
  for (let at = current - 1; at >= 0; at--)
    held.set(at, held.get(at + 1)! - nets.get(borders[at + 1]!)!);
  return [...held]
    .map(([at, amount]) => [borders[at]!, borders[at + 1]!, amount] as const)
    .filter(([lower, upper, amount]) => lower < upper && amount > 0n);
}
