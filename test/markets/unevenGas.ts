import type { Curve, PoolIndex } from "@millrace/core";
import { curves } from "@millrace/protocols";

const LEAST_GAS = 50_000;
const GAS_STEP = 1_000;
const STEP_COUNT = 101n;

/**
 * The families with gas that differs from pool to pool and with every amount, by a rule that no
 * search can anticipate.
 */
export const unevenGas: ReadonlyArray<Curve> = curves.map((protocol) => ({
  ...protocol,
  open: (graph) => ({
    ...protocol.open(graph),
    typicalGas: (pool, tokenIn, _tokenOut, amountIn) => {
      const steps = (BigInt(pool * 37 + tokenIn * 11) + amountIn) % STEP_COUNT;
      return LEAST_GAS + Number(steps) * GAS_STEP;
    },
    leastGas: LEAST_GAS,
  }),
}));

/**
 * The families with gas that differs from pool to pool but not with the amount, so that a plain
 * search can add it up.
 */
export const gasByPool: ReadonlyArray<Curve> = curves.map((protocol) => ({
  ...protocol,
  open: (graph) => ({
    ...protocol.open(graph),
    typicalGas: gasOfPool,
    leastGas: LEAST_GAS,
  }),
}));

/** A pool's gas in `gasByPool`: up to three times the least. */
export function gasOfPool(pool: PoolIndex): number {
  return LEAST_GAS + ((pool * 37) % 11) * 10 * GAS_STEP;
}
