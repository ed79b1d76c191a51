import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { timeBuilding } from "./buildTimes.ts";
import { measureGas } from "./gasTable.ts";
import { openSwapGround } from "./swapGround.ts";

const FULL = { orders: 2_000, warmUps: 2, rounds: 5 };
const SMOKE = { orders: 50, warmUps: 0, rounds: 1 };

/**
 * How long it takes to build the transaction of a quote, and what gas such transactions use on a
 * real EVM: through our executor, the Universal Router, and Uniswap's older routers side by side.
 */
export const swaps = Effect.fnUntraced(
  function* (smoke: boolean) {
    const ground = yield* openSwapGround;
    const times = timeBuilding(ground, smoke ? SMOKE : FULL);
    return [...times, ...(yield* measureGas(ground, smoke))] satisfies ReadonlyArray<Figure>;
  },
  Effect.scoped,
  Effect.mapError((cause) => new BenchmarkError({ message: String(cause) })),
);
