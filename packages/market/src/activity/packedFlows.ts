import type { ByteReader } from "../bytes/ByteReader.ts";
import type { PoolFlow } from "./PoolFlow.ts";

/** Flows as the numbers of each, one after the other: for keeping them, and for saving them. */
export type PackedFlows = Float64Array;

const NUMBERS = 9;

export function packFlows(flows: ReadonlyArray<PoolFlow>): PackedFlows {
  const numbers = new Float64Array(NUMBERS * flows.length);
  let at = 0;
  for (const flow of flows) {
    numbers[at++] = flow.pool;
    numbers[at++] = flow.token0;
    numbers[at++] = flow.token1;
    numbers[at++] = flow.value;
    numbers[at++] = flow.buys;
    numbers[at++] = flow.sells;
    numbers[at++] = flow.transactions;
    numbers[at++] = flow.token0Transactions;
    numbers[at++] = flow.token1Transactions;
  }
  return numbers;
}

export function unpackFlows(numbers: PackedFlows): PoolFlow[] {
  const flows: PoolFlow[] = [];
  for (let at = 0; at < numbers.length; at += NUMBERS) {
    flows.push({
      pool: numbers[at]!,
      token0: numbers[at + 1]!,
      token1: numbers[at + 2]!,
      value: numbers[at + 3]!,
      buys: numbers[at + 4]!,
      sells: numbers[at + 5]!,
      transactions: numbers[at + 6]!,
      token0Transactions: numbers[at + 7]!,
      token1Transactions: numbers[at + 8]!,
    });
  }
  return flows;
}

/** Flows of so many pools and tokens, from an array that was written; throws DamagedBytes. */
export function readFlows(reader: ByteReader, pools: number, tokens: number): PackedFlows {
  const numbers = reader.array(Float64Array);
  reader.check(numbers.length % NUMBERS === 0 && numbers.every(Number.isInteger), "whole flows");
  for (let at = 0; at < numbers.length; at += NUMBERS) {
    const [pool, token0, token1] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!];
    const isKnown = isBelow(pool, pools) && isBelow(token0, tokens) && isBelow(token1, tokens);
    reader.check(isKnown, "pools and tokens that are known");
  }
  return numbers;
}

function isBelow(value: number, bound: number): boolean {
  return value >= 0 && value < bound;
}
