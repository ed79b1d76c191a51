import type { BlockStamp } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import { readHex, readSafeInteger } from "../reading/hex.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, RpcError } from "../rpc/RpcError.ts";

/** A block, by its number and its hash. */
export interface BlockId {
  readonly number: number;
  readonly hash: Hex;
}

/** What following a chain needs of a block's header. */
export interface Header extends BlockStamp {
  readonly parentHash: Hex;
  readonly logsBloom: Hex;
  /** Undefined where the node does not give it. */
  readonly receiptsRoot: Hex | undefined;
}

/** The header of the newest block that the endpoint knows. */
export const newestHeader = (endpoint: Endpoint): Effect.Effect<Header, RpcError> =>
  readHeader(endpoint, "eth_getBlockByNumber", "latest");

/** The header of the block with the hash. */
export const headerByHash = Effect.fnUntraced(function* (endpoint: Endpoint, hash: Hex) {
  const header = yield* readHeader(endpoint, "eth_getBlockByHash", hash);
  if (header.hash === hash) return header;
  return yield* badData(endpoint, "eth_getBlock", `asked for block ${hash}, got ${header.hash}`);
});

/** The header of the canonical block with this number, as far as the endpoint knows. */
export const headerByNumber = Effect.fnUntraced(function* (endpoint: Endpoint, number: number) {
  const header = yield* readHeader(endpoint, "eth_getBlockByNumber", `0x${number.toString(16)}`);
  if (header.number === number) return header;
  return yield* badData(
    endpoint,
    "eth_getBlock",
    `asked for block ${number}, got ${header.number}`,
  );
});

/** The header of a block object; undefined for an object that is not a valid block. */
export function decodeHeader(block: unknown): Header | undefined {
  if (typeof block !== "object" || block === null) return undefined;
  const fields = block as Readonly<Record<string, unknown>>;
  const number = readSafeInteger(fields["number"]);
  const timestampMs = (readSafeInteger(fields["timestamp"]) ?? Number.NaN) * 1_000;
  const hash = readHex(fields["hash"], 32);
  const parentHash = readHex(fields["parentHash"], 32);
  const logsBloom = readHex(fields["logsBloom"], 256);
  if (number === undefined || !Number.isSafeInteger(timestampMs)) return undefined;
  if (hash === undefined || parentHash === undefined || logsBloom === undefined) return undefined;
  const receiptsRoot = readHex(fields["receiptsRoot"], 32);
  return { number, hash, parentHash, logsBloom, receiptsRoot, timestampMs };
}

const readHeader = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  method: "eth_getBlockByNumber" | "eth_getBlockByHash",
  which: string,
) {
  const block = yield* endpoint.request(method, [which, false]);
  const header = decodeHeader(block);
  if (header !== undefined) return header;
  // Nodes answer null for a block that they do not have, or no longer have.
  if (block !== null) return yield* badData(endpoint, "eth_getBlock", "not a block");
  const { name } = endpoint;
  return yield* new RpcError({ endpoint: name, method, reason: "Refused", detail: `no ${which}` });
});
