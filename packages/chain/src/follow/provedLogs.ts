import type { ChainLog } from "@millrace/protocols";
import { Effect } from "effect";
import { concatBytes, hexToBytes } from "viem/utils";
import { decodeLogs } from "../reading/decodeLogs.ts";
import { readSafeInteger } from "../reading/hex.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import type { Header } from "./Header.ts";
import { logsBloom } from "./logsBloom.ts";
import { minimal, type RlpItem, receiptsRoot, rlp } from "./receiptsRoot.ts";

/**
 * All logs of a block, proved: the receipts that hold them hash to the root in its header, so that
 * none is missing, added or changed. Chains whose receipts hold more than Ethereum's, or than those
 * of deposits on the OP stack, cannot be proved in this way.
 */
export const provedLogs = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  header: Header,
): Effect.fn.Return<ReadonlyArray<ChainLog>, RpcError> {
  const method = "eth_getBlockReceipts";
  const raw = yield* endpoint.request(method, [header.hash]);
  const receipts = Array.isArray(raw) ? raw.map(decodeReceipt) : [undefined];
  const problem = receipts.includes(undefined)
    ? "not receipts"
    : receiptsRoot(receipts.map((receipt) => receipt!.encoded)) === header.receiptsRoot
      ? undefined
      : "their root is not the header's";
  if (problem === undefined) return receipts.flatMap((receipt) => receipt!.logs);
  const detail = `receipts of block ${header.number} ${header.hash}: ${problem}`;
  return yield* badData(endpoint, method, detail);
});

interface Receipt {
  readonly encoded: Uint8Array;
  readonly logs: ReadonlyArray<ChainLog>;
}

/** Transaction type of a deposit on the OP stack; its receipts have two more fields. */
const DEPOSIT = 0x7e;

function decodeReceipt(raw: unknown): Receipt | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const fields = raw as Readonly<Record<string, unknown>>;
  const type = readSafeInteger(fields["type"] ?? "0x0");
  const status = readSafeInteger(fields["status"]);
  const gasUsed = readSafeInteger(fields["cumulativeGasUsed"]);
  const nodeLogs = decodeLogs(fields["logs"]);
  if (type === undefined || type > DEPOSIT || status === undefined || gasUsed === undefined) {
    return undefined;
  }
  if (typeof nodeLogs === "string") return undefined;
  const logs = nodeLogs.map(({ log }) => log);
  const items: RlpItem[] = [
    minimal(status),
    minimal(gasUsed),
    hexToBytes(logsBloom(logs)),
    logs.map(({ address, topics, data }) => [
      hexToBytes(address),
      topics.map((topic) => hexToBytes(topic)),
      hexToBytes(data),
    ]),
  ];
  if (type === DEPOSIT) {
    for (const name of ["depositNonce", "depositReceiptVersion"]) {
      if (fields[name] === undefined || fields[name] === null) continue;
      const value = readSafeInteger(fields[name]);
      if (value === undefined) return undefined;
      items.push(minimal(value));
    }
  }
  const body = rlp(items);
  // A typed receipt begins with its type.
  return { encoded: type === 0 ? body : concatBytes([Uint8Array.of(type), body]), logs };
}
