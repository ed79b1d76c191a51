import type { Address } from "@millrace/core";
import type { ChainDex, Hex } from "@millrace/protocols";
import { protocols } from "@millrace/protocols";
import { Effect } from "effect";
import { encodeAbiParameters, keccak256, numberToHex, toEventSelector, toHex } from "viem";
import { Dexes } from "../../src/follow/Dexes.ts";
import { rpcError, type Script } from "./scriptedEndpoints.ts";

const FACTORY: Address = `0x${"fa".repeat(20)}`;
const PAIR_CREATED = toEventSelector("PairCreated(address,address,address,uint256)");

/** The dexes, as discovery takes them. */
export const opened = (dexes: ReadonlyArray<ChainDex>) => new Dexes(dexes, protocols).followed;

export const pairDex: ChainDex = {
  id: "UNISWAP_V2",
  name: "Uniswap V2",
  protocol: "constant-product",
  factory: FACTORY,
  feePips: 3_000,
  startBlock: 100,
};

export interface RawLog {
  readonly address: string;
  readonly topics: ReadonlyArray<string>;
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
  readonly removed: boolean;
}

/** The creation of the factory's `number`th pair, in a block. */
export function pairCreated(number: number, block: number, logIndex = number): RawLog {
  return {
    address: FACTORY,
    topics: [PAIR_CREATED, wordOf(2 * number), wordOf(2 * number + 1)],
    data: encodeAbiParameters(
      [{ type: "address" }, { type: "uint256" }],
      [pairAt(number), BigInt(number)],
    ),
    blockNumber: numberToHex(block),
    blockHash: hashOf(block),
    transactionHash: keccak256(toHex(`transaction ${number}`)),
    logIndex: numberToHex(logIndex),
    removed: false,
  };
}

export function pairAt(number: number): Address {
  return `0x${(0xa000 + number).toString(16).padStart(40, "0")}`;
}

export function hashOf(block: number): Hex {
  return keccak256(toHex(`block ${block}`));
}

/** A node that knows blocks up to `head`, with these logs. */
export function nodeOf(logs: ReadonlyArray<RawLog>, head: number): Script {
  return (method, params) => {
    if (method === "eth_getBlockByNumber") {
      const number = Number(params[0]);
      return Effect.succeed(
        number > head
          ? null
          : {
              number: numberToHex(number),
              hash: hashOf(number),
              parentHash: hashOf(number - 1),
            },
      );
    }
    const { from, to } = rangeOf(params);
    // As a node that lags: it gives only the logs that it has.
    return Effect.succeed(
      logs.filter(({ blockNumber }) => {
        const number = Number(blockNumber);
        return number >= from && number <= Math.min(to, head);
      }),
    );
  };
}

/** A node that refuses ranges longer than `blockCount`, with its own message. */
export function limitedTo(blockCount: number, node: Script, refusal = rpcError("Refused")): Script {
  return (method, params) => {
    if (method !== "eth_getLogs") return node(method, params);
    const { from, to } = rangeOf(params);
    return to - from + 1 > blockCount ? Effect.fail(refusal) : node(method, params);
  };
}

export function rangeOf(params: ReadonlyArray<unknown>): { from: number; to: number } {
  const filter = params[0] as { readonly fromBlock: string; readonly toBlock: string };
  return { from: Number(filter.fromBlock), to: Number(filter.toBlock) };
}

function wordOf(value: number): Hex {
  return numberToHex(value + 0x1000, { size: 32 });
}
