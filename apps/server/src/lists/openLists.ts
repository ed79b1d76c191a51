import type { Address } from "@millrace/core";
import {
  type ListContradiction,
  type ListedToken,
  listContradictions,
  mergeTokenLists,
  parseSupplies,
  parseTokenList,
  type TokenList,
} from "@millrace/market";
import { Effect, type Scope } from "effect";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import { keepReading, type ListSource, type ReadingPace } from "./keepReading.ts";
import { readLocation } from "./readLocation.ts";

/** What token lists and the supply file of a network say, as last read. */
export interface Lists {
  /** The merged lists; always the same map, changed in place. */
  readonly listedTokens: ReadonlyMap<Address, ListedToken>;
  /** Contradictions between the lists. */
  readonly contradictions: () => ReadonlyArray<ListContradiction>;
  readonly circulatingSupply: (token: Address) => number | undefined;
  /** Registers a listener that is called after each change from now on. */
  readonly onChange: (listener: () => void) => void;
  /** Ends when each list has been read once, or could not be read. */
  readonly firstReading: Effect.Effect<void>;
}

type Config = Pick<NetworkConfig, "chainId" | "tokenLists" | "supplyFile">;

/**
 * Reads the configured lists in the background, again and again until the scope closes. A list that
 * cannot be read is logged, and its former entries stay.
 */
export const openLists = Effect.fnUntraced(function* (
  { chainId, tokenLists, supplyFile }: Config,
  read: typeof readLocation = readLocation,
  pace?: ReadingPace,
): Effect.fn.Return<Lists, never, Scope.Scope> {
  const listedTokens = new Map<Address, ListedToken>();
  const circulating = new Map<Address, number>();
  // Index: list, in the order of the configuration; undefined until it is read.
  const lists = tokenLists.map((): TokenList | undefined => undefined);
  let contradictions: ReadonlyArray<ListContradiction> = [];
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const sources: ListSource[] = tokenLists.map((location, index) => ({
    name: `tokenLists[${index}]`,
    location,
    take: (json) => {
      const list = parseTokenList(json, chainId);
      const { tokens, problems } = list;
      if (tokens.size > 0 || problems.length === 0) {
        lists[index] = list;
        const known = lists.filter((each) => each !== undefined);
        contradictions = listContradictions(known);
        const merged = mergeTokenLists(known);
        if (replace(listedTokens, merged, isSameToken)) changed();
      }
      return { entryCount: tokens.size, problems };
    },
  }));
  if (supplyFile !== undefined) {
    sources.push({
      name: "supplyFile",
      location: supplyFile,
      take: (json) => {
        const { circulating: supplies, problems } = parseSupplies(json);
        if (supplies.size > 0 || problems.length === 0) {
          if (replace(circulating, supplies, Object.is)) changed();
        }
        return { entryCount: supplies.size, problems };
      },
    });
  }
  return {
    listedTokens,
    contradictions: () => contradictions,
    circulatingSupply: (token) => circulating.get(token),
    onChange: (listener) => listeners.add(listener),
    firstReading: yield* keepReading(sources, read, pace),
  };
});

/** Makes a map equal to another; false when it was equal before. */
function replace<Key, Value>(
  map: Map<Key, Value>,
  by: ReadonlyMap<Key, Value>,
  isSame: (a: Value, b: Value) => boolean,
): boolean {
  let isChanged = map.size !== by.size;
  for (const [key, value] of by) {
    const before = map.get(key);
    if (before === undefined || !isSame(before, value)) isChanged = true;
  }
  if (!isChanged) return false;
  map.clear();
  for (const [key, value] of by) map.set(key, value);
  return true;
}

const isSameToken = (a: ListedToken, b: ListedToken): boolean =>
  a.symbol === b.symbol && a.name === b.name && a.decimals === b.decimals;
