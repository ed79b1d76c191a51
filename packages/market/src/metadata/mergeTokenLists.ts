import type { Address } from "@millrace/core";
import type { ListedToken } from "./ListedToken.ts";
import type { TokenList } from "./parseTokenList.ts";

/**
 * The tokens of several lists, by address, which alone identifies a token. The first list that has
 * an address counts.
 */
export function mergeTokenLists(
  lists: ReadonlyArray<TokenList>,
): ReadonlyMap<Address, ListedToken> {
  const merged = new Map<Address, ListedToken>();
  for (const { tokens } of lists) {
    for (const [address, token] of tokens) if (!merged.has(address)) merged.set(address, token);
  }
  return merged;
}

/** Two lists that cannot both be right about a token. */
export interface ListContradiction {
  readonly address: Address;
  /** The entry that counts, since its list comes first. */
  readonly kept: ListedToken;
  readonly other: ListedToken;
}

/** Where a later list gives a token other decimals than the entry that counts. */
export function listContradictions(
  lists: ReadonlyArray<TokenList>,
): ReadonlyArray<ListContradiction> {
  const merged = mergeTokenLists(lists);
  return lists.flatMap(({ tokens }) =>
    Array.from(tokens).flatMap(([address, other]) => {
      const kept = merged.get(address)!;
      return kept.decimals === other.decimals ? [] : [{ address, kept, other }];
    }),
  );
}
