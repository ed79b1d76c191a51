import type { Address } from "@millrace/core";
import type { ChainCall, ChainLog, Hex } from "@millrace/protocols";
import {
  type Abi,
  type AbiEvent,
  type AbiParameter,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  parseAbiItem,
} from "viem";

/** A log of an event in its human-readable form, as a contract of that interface writes it. */
export function eventLog(
  event: string,
  values: ReadonlyArray<unknown>,
  address: Address,
): ChainLog {
  const item = parseAbiItem(event) as AbiEvent;
  const inputs = item.inputs.map((input, place) => ({ input, value: values[place] }));
  const args = inputs.filter(({ input }) => input.indexed).map(({ value }) => value);
  const plain = inputs.filter(({ input }) => !input.indexed);
  const topics = encodeEventTopics({ abi: [item], args } as never) as Hex[];
  const data = encodeAbiParameters(
    plain.map(({ input }) => input as AbiParameter),
    plain.map(({ value }) => value),
  );
  return { address, topics, data, transactionHash: topics[0]!, logIndex: 0 };
}

/** Answers a call of an interface as its contract would; `answer` may give nothing to revert. */
export function answerCall(
  abi: Abi,
  { data }: ChainCall,
  answer: (name: string, args: ReadonlyArray<unknown>) => unknown,
): Hex | undefined {
  const { functionName, args = [] } = decodeFunctionData({ abi, data });
  const result = answer(functionName, args as ReadonlyArray<unknown>);
  if (result === undefined) return undefined;
  return encodeFunctionResult({ abi, functionName, result } as never);
}
