import type { Address, TokenListing } from "@millrace/core";
import { Effect } from "effect";
import type { BlockReader } from "../reading/callAll.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import { readStates } from "../reading/readStates.ts";
import { readTokens, type TokenProblem } from "../reading/readTokens.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { MarketContent } from "./MarketContent.ts";
import type { MarketReading } from "./MarketReading.ts";

/**
 * Tokens and states of pools at the reader's block; pools whose tokens are unsound are left out.
 */
export const readPools = Effect.fnUntraced(function* (
  reader: BlockReader,
  { dexes, onProgress }: Pick<MarketReading, "dexes" | "onProgress">,
  pools: ReadonlyArray<DiscoveredPool>,
  known: ReadonlyMap<Address, TokenListing | TokenProblem>,
): Effect.fn.Return<PoolsRead, RpcError> {
  const wanted = new Set(pools.flatMap(({ listing }) => listing.tokens));
  const unknown = [...wanted].filter((token) => !known.has(token));
  const tokens = unknown.length === 0 ? [] : yield* readTokens(reader, unknown);
  const sound = new Map(known);
  for (const token of tokens) sound.set(token.address, token);
  const playable = pools.filter(({ listing }) =>
    listing.tokens.every((token) => !("problem" in sound.get(token)!)),
  );
  const states = yield* readStates(
    reader,
    playable.map(({ listing }) => ({ listing, dex: dexes.of(listing) })),
    onProgress,
  );
  const read: PoolsRead["states"][number][] = [];
  const senseless: Address[] = [];
  playable.forEach(({ listing }, index) => {
    const state = states[index];
    if (state === undefined || "refused" in state) senseless.push(listing.address);
    else read.push({ pool: listing.address, state });
  });
  const isPlayable = new Set(playable);
  const unsound = pools
    .filter((pool) => !isPlayable.has(pool))
    .map(({ listing }) => listing.address);
  return { tokens, states: read, unsound, senseless };
});

export interface PoolsRead {
  readonly tokens: ReadonlyArray<TokenListing | TokenProblem>;
  readonly states: MarketContent["states"];
  /** Pools with a token that cannot be used. */
  readonly unsound: ReadonlyArray<Address>;
  /** Pools whose answers are no state. */
  readonly senseless: ReadonlyArray<Address>;
}
