import type { Protocol } from "@millrace/core";
import { protocols } from "@millrace/protocols";

const LEAST_GAS = 50_000;
const GAS_STEP = 1_000;
const STEP_COUNT = 101n;

/**
 * The families as they are, but for gas that differs from pool to pool and with every amount: by a
 * rule that no search can have in it.
 */
export const unevenGas: ReadonlyArray<Protocol> = protocols.map((protocol) => ({
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
