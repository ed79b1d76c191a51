import { type Law, readData } from "@millrace/testing";

export type Trade = readonly [
  tokenIn: string,
  tokenOut: string,
  amountIn: string,
  amountOut: string,
];

/** Real trades on the recorded markets of Ethereum; amounts in units of their tokens. */
export const { trades } = readData<{ trades: ReadonlyArray<Trade> }>(
  "ethereum-2026-03/workload-a.json",
);

/** Other trades with each seed: one for each case of the law, at most as many as there are. */
export function tradesOf(law: Law): Trade[] {
  return law.random().shuffled(trades).slice(0, law.cases);
}
