import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { timeBuilding } from "./buildTimes.ts";
import { measureGas } from "./gasTable.ts";
import { openSwapFixture } from "./swapFixture.ts";

const FULL = { orders: 2_000, warmUps: 2, rounds: 5 };
const SMOKE = { orders: 50, warmUps: 0, rounds: 1 };

/**
 * How long it takes to build the transaction of a quote, and what gas such transactions use on a
 * real EVM: through our executor, the Universal Router, and Uniswap's older routers side by side.
 */
export const swaps = Effect.fnUntraced(
  function* (smoke: boolean) {
    const fixture = yield* openSwapFixture;
    const times = timeBuilding(fixture, smoke ? SMOKE : FULL);
    return [...times, ...(yield* measureGas(fixture, smoke))] satisfies ReadonlyArray<Figure>;
  },
  Effect.scoped,
  Effect.mapError((cause) => new BenchmarkError({ message: String(cause) })),
);
