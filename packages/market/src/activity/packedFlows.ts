import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import type { PoolFlow } from "./PoolFlow.ts";

/** Flows of `FLOW_BYTES` each, for memory and for saving. */
export interface PackedFlows {
  readonly values: Float64Array;
  /** The other numbers of each flow; stride: NUMBERS. */
  readonly numbers: Int32Array;
}

const NUMBERS = 8;
export const FLOW_BYTES = Float64Array.BYTES_PER_ELEMENT + NUMBERS * Int32Array.BYTES_PER_ELEMENT;

export function packFlows(flows: ReadonlyArray<PoolFlow>): PackedFlows {
  const { length } = flows;
  const packed = { values: new Float64Array(length), numbers: new Int32Array(NUMBERS * length) };
  for (let position = 0; position < flows.length; position++)
    packFlow(packed, position, flows[position]!);
  return packed;
}

function packFlow({ values, numbers }: PackedFlows, position: number, flow: PoolFlow): void {
  values[position] = flow.value;
  let at = NUMBERS * position;
  numbers[at++] = flow.pool;
  numbers[at++] = flow.token0;
  numbers[at++] = flow.token1;
  numbers[at++] = flow.buys;
  numbers[at++] = flow.sells;
  numbers[at++] = flow.transactions;
  numbers[at++] = flow.token0Transactions;
  numbers[at++] = flow.token1Transactions;
}

export function unpackFlows({ values, numbers }: PackedFlows): PoolFlow[] {
  return Array.from(values, (value, position) => {
    const at = NUMBERS * position;
    return {
      pool: numbers[at]!,
      token0: numbers[at + 1]!,
      token1: numbers[at + 2]!,
      value,
      buys: numbers[at + 3]!,
      sells: numbers[at + 4]!,
      transactions: numbers[at + 5]!,
      token0Transactions: numbers[at + 6]!,
      token1Transactions: numbers[at + 7]!,
    };
  });
}

export function writeFlows(writer: ByteWriter, { values, numbers }: PackedFlows): void {
  writer.array(values);
  writer.array(numbers);
}

/** `pools` and `tokens`: how many there are of each. Throws DamagedBytes for other flows. */
export function readFlows(reader: ByteReader, pools: number, tokens: number): PackedFlows {
  const values = reader.array(Float64Array);
  const numbers = reader.array(Int32Array);
  const isWhole = numbers.length === NUMBERS * values.length && values.every(Number.isInteger);
  reader.check(isWhole, "whole flows");
  for (let at = 0; at < numbers.length; at += NUMBERS) {
    const [pool, token0, token1] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!];
    const isKnown = isBelow(pool, pools) && isBelow(token0, tokens) && isBelow(token1, tokens);
    reader.check(isKnown, "pools and tokens that are known");
  }
  return { values, numbers };
}

function isBelow(value: number, bound: number): boolean {
  return value >= 0 && value < bound;
}
