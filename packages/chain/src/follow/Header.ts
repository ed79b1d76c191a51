import type { BlockStamp, Hex } from "@millrace/core";
import { Effect } from "effect";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { RpcError } from "../rpc/RpcError.ts";

/** What following needs of a block's header. */
export interface Header extends BlockStamp {
  readonly parentHash: Hex;
  readonly logsBloom: Hex;
  /** Undefined where the node does not tell. */
  readonly receiptsRoot: Hex | undefined;
}

/** The header of the newest block that the endpoint knows. */
export const newestHeader = (endpoint: Endpoint): Effect.Effect<Header, RpcError> =>
  readHeader(endpoint, "eth_getBlockByNumber", "latest");

/** The header of the block with the hash. */
export const headerByHash = Effect.fnUntraced(function* (endpoint: Endpoint, hash: Hex) {
  const header = yield* readHeader(endpoint, "eth_getBlockByHash", hash);
  if (header.hash === hash) return header;
  return yield* badHeader(endpoint, `asked for block ${hash}, got ${header.hash}`);
});

/** The header of the block that is canonical at the number, as far as the endpoint knows. */
export const headerByNumber = Effect.fnUntraced(function* (endpoint: Endpoint, number: number) {
  const header = yield* readHeader(endpoint, "eth_getBlockByNumber", `0x${number.toString(16)}`);
  if (header.number === number) return header;
  return yield* badHeader(endpoint, `asked for block ${number}, got ${header.number}`);
});

/** The header of a block object, or undefined when it is none that a node would give. */
export function decodeHeader(block: unknown): Header | undefined {
  if (typeof block !== "object" || block === null) return undefined;
  const { number, hash, parentHash, timestamp, logsBloom, receiptsRoot } = block as Record<
    string,
    unknown
  >;
  const height = quantity(number);
  const seconds = quantity(timestamp);
  if (height === undefined || seconds === undefined) return undefined;
  if (!isHex(hash, 32) || !isHex(parentHash, 32) || !isHex(logsBloom, 256)) return undefined;
  return {
    number: height,
    hash,
    parentHash,
    logsBloom,
    receiptsRoot: isHex(receiptsRoot, 32) ? receiptsRoot : undefined,
    timestampMs: seconds * 1_000,
  };
}

const readHeader = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  method: "eth_getBlockByNumber" | "eth_getBlockByHash",
  which: string,
) {
  const block = yield* endpoint.request(method, [which, false]);
  const header = decodeHeader(block);
  if (header !== undefined) return header;
  // Nodes answer null for a block that they have not, or no longer.
  if (block !== null) return yield* badHeader(endpoint, "not a block");
  const { name } = endpoint;
  return yield* new RpcError({ endpoint: name, method, reason: "Refused", detail: `no ${which}` });
});

function badHeader(endpoint: Endpoint, detail: string): RpcError {
  const method = "eth_getBlock";
  return new RpcError({ endpoint: endpoint.name, method, reason: "BadData", detail });
}

/** A JSON-RPC quantity that is a safe integer when times a thousand, or undefined. */
function quantity(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^0x[0-9a-f]{1,12}$/i.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number * 1_000) ? number : undefined;
}

function isHex(value: unknown, bytes: number): value is Hex {
  return typeof value === "string" && value.length === 2 + 2 * bytes && /^0x[0-9a-f]*$/.test(value);
}
