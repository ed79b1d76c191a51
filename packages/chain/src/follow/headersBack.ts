import { Effect } from "effect";
import { badData } from "../reading/badData.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { BlockId } from "./Discovery.ts";
import { prefetch } from "./findBranch.ts";
import { type Header, headerByHash } from "./Header.ts";

/** Headers of a block and those before it down to a number, newest first, each the next's child. */
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
