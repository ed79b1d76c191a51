import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import { type BlockId, type Header, headerByHash, headerByNumber } from "./Header.ts";

/** With fewer missing headers than this, fetching them one by one is as fast. */
const PREFETCH_MIN = 4;
const CONCURRENT_HEADERS = 8;

/** Headers from a block back to a number, newest first, each the parent of the one before. */
export const headersBack = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  fromBlock: number,
  to: BlockId,
): Effect.fn.Return<ReadonlyArray<Header>, RpcError> {
  const fetched = yield* prefetch(endpoint, fromBlock, to.number);
  const headers: Header[] = [];
  let { hash } = to;
  for (let number = to.number; number >= fromBlock; number--) {
    const header: Header = fetched.get(hash) ?? (yield* headerByHash(endpoint, hash));
    if (header.number !== number) {
      const detail = `block ${hash} is number ${header.number}, not ${number}`;
      return yield* badData(endpoint, "eth_getBlockByHash", detail);
    }
    headers.push(header);
    hash = header.parentHash;
  }
  return headers;
});

/**
 * Headers by number, many at once, keyed by hash. The caller's walk decides whether they belong to
 * the branch, and asks by hash for any that are missing.
 */
export const prefetch = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  fromNumber: number,
  toNumber: number,
) {
  const count = toNumber - fromNumber + 1;
  if (count < PREFETCH_MIN) return new Map<Hex, Header>();
  const numbers = Array.from({ length: count }, (_, index) => fromNumber + index);
  const headers = yield* Effect.forEach(
    numbers,
    (number) =>
      headerByNumber(endpoint, number).pipe(
        Effect.catchIf(
          ({ reason }) => reason === "Refused",
          () => Effect.succeed(undefined),
        ),
      ),
    { concurrency: CONCURRENT_HEADERS },
  );
  return new Map(headers.flatMap((header) => (header ? [[header.hash, header] as const] : [])));
});
