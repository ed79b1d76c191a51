import type { Address, TokenListing } from "@millrace/core";
import { Effect } from "effect";
import type { BlockReader } from "../reading/callAll.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import { readStates } from "../reading/readStates.ts";
import { readTokens, type TokenProblem } from "../reading/readTokens.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { NOT_LOADABLE } from "./Admissions.ts";
import type { MarketContent } from "./MarketContent.ts";
import type { MarketReading } from "./MarketReading.ts";

/** Tokens and states of pools at the reader's block. Pools with an unusable token are left out. */
export const readPools = Effect.fnUntraced(function* (
  reader: BlockReader,
  { dexes, nativeToken, onProgress }: Pick<MarketReading, "dexes" | "nativeToken" | "onProgress">,
  pools: ReadonlyArray<DiscoveredPool>,
  known: ReadonlyMap<Address, TokenListing | TokenProblem>,
): Effect.fn.Return<PoolsRead, RpcError> {
  const wanted = new Set(pools.flatMap(({ listing }) => listing.tokens));
  const unknown = [...wanted].filter((token) => !known.has(token));
  const tokens = unknown.length === 0 ? [] : yield* readTokens(reader, unknown, nativeToken);
  const sound = new Map(known);
  for (const token of tokens) sound.set(token.address, token);
  const playable = pools.filter(({ listing }) =>
    listing.tokens.every((token) => !("problem" in sound.get(token)!)),
  );
  const answers = yield* readStates(
    reader,
    playable.map(({ listing }) => ({ listing, dex: dexes.of(listing) })),
    onProgress,
  );
  const states: PoolsRead["states"][number][] = [];
  const refused = new Map<Address, string>();
  const senseless: Address[] = [];
  playable.forEach(({ listing }, index) => {
    const state = answers[index];
    if (state === undefined) senseless.push(listing.address);
    else if ("refused" in state) refused.set(listing.address, state.refused);
    else states.push({ pool: listing.address, state });
  });
  const isPlayable = new Set(playable);
  for (const pool of pools) {
    if (!isPlayable.has(pool)) refused.set(pool.listing.address, NOT_LOADABLE.token);
  }
  return { tokens, states, refused, senseless };
});

export interface PoolsRead {
  readonly tokens: ReadonlyArray<TokenListing | TokenProblem>;
  readonly states: MarketContent["states"];
  /** Pools that cannot be loaded, and why. */
  readonly refused: ReadonlyMap<Address, string>;
  /** Pools whose answers are not a valid state. */
  readonly senseless: ReadonlyArray<Address>;
}
