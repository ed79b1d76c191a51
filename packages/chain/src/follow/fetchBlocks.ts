import type { Address, TokenListing } from "@millrace/core";
import { Effect } from "effect";
import { resolveCreations, sortCreations } from "../reading/creations.ts";
import { type NativeToken, readTokens, type TokenProblem } from "../reading/readTokens.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { LoggedContent } from "./BlockContent.ts";
import type { BlockLogs } from "./BlockLogs.ts";
import type { Dexes } from "./Dexes.ts";
import type { Header } from "./Header.ts";

const CONCURRENT_BLOCKS = 4;

/** What fetching blocks needs. */
export interface BlockFetching {
  readonly blockLogs: BlockLogs;
  readonly dexes: Dexes;
  readonly multicall: Address;
  readonly nativeToken: NativeToken;
  /** True when a new pool is loaded in the block that creates it; its tokens are then asked too. */
  readonly loadsAtOnce: (pool: Address) => boolean;
}

/**
 * What the logs of blocks tell; each block is the child of the one before. Tokens and factories are
 * asked at `newest`, the end of the branch, since nodes may no longer have the state of older
 * blocks. `knows`: the tokens that need not be asked.
 */
export const fetchBlocks = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  { blockLogs, dexes, multicall, nativeToken, loadsAtOnce }: BlockFetching,
  headers: ReadonlyArray<Header>,
  newest: Header,
  knows: (token: Address) => boolean,
): Effect.fn.Return<ReadonlyArray<LoggedContent>, RpcError> {
  const logsOfBlocks = yield* Effect.forEach(headers, (header) => blockLogs(endpoint, header), {
    concurrency: CONCURRENT_BLOCKS,
  });
  const reader = { endpoint, blockHash: newest.hash, multicall };
  const contents: LoggedContent[] = [];
  const asked = new Set<Address>();
  for (const [index, header] of headers.entries()) {
    const logs = logsOfBlocks[index]!;
    const logged = sortCreations(dexes.creations(logs, header.number));
    const { pools, refused } = yield* resolveCreations(Effect.succeed(reader), logged);
    const unknown = new Set(
      pools
        .filter(({ listing }) => loadsAtOnce(listing.address))
        .flatMap(({ listing }) => listing.tokens)
        .filter((token) => !knows(token) && !asked.has(token)),
    );
    for (const token of unknown) asked.add(token);
    const tokens: ReadonlyArray<TokenListing | TokenProblem> =
      unknown.size === 0 ? [] : yield* readTokens(reader, [...unknown], nativeToken);
    contents.push({ header, logs, creations: pools, refused, tokens });
  }
  return contents;
});
