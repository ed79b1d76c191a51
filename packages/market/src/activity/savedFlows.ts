import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import type { PoolFlow } from "./PoolFlow.ts";

/** Numbers of a flow, in order. */
const NUMBERS = 9;

export function writeFlows(writer: ByteWriter, flows: ReadonlyArray<PoolFlow>): void {
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
  writer.array(numbers);
}

/** Flows of so many pools and tokens; throws DamagedBytes for others. */
export function readFlows(reader: ByteReader, pools: number, tokens: number): PoolFlow[] {
  const numbers = reader.array(Float64Array);
  reader.check(numbers.length % NUMBERS === 0 && numbers.every(Number.isInteger), "whole flows");
  const flows: PoolFlow[] = [];
  for (let at = 0; at < numbers.length; at += NUMBERS) {
    const [pool, token0, token1] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!];
    const isKnown = isBelow(pool, pools) && isBelow(token0, tokens) && isBelow(token1, tokens);
    reader.check(isKnown, "pools and tokens that are known");
    flows.push({
      pool,
      token0,
      token1,
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

function isBelow(value: number, bound: number): boolean {
  return value >= 0 && value < bound;
}
