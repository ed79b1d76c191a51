import type { TokenEntry } from "@millrace/api";
import { Effect } from "effect";
import { useEffect, useState } from "preact/hooks";
import { AGAIN_MS, client, isPassing } from "./service.ts";

/** The fields of a token that the page shows. */
export type KnownToken = Pick<
  typeof TokenEntry.Type,
  "address" | "contractAddress" | "decimals" | "name" | "safety" | "symbol"
>;

/** By network and lower-case address; kept while the page is open. */
const known = new Map<string, KnownToken>();
const asked = new Map<string, Promise<void>>();

const keyOf = (network: string, address: string): string => `${network} ${address.toLowerCase()}`;

/** The known tokens of the addresses; requests the unknown ones. */
export function useTokens(
  network: string,
  addresses: ReadonlyArray<string>,
): ReadonlyMap<string, KnownToken> {
  const [, setVersion] = useState(0);
  const [attempt, setAttempt] = useState(0);
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))];
  const missing = wanted.filter((address) => !known.has(keyOf(network, address)));
  const key = `${network} ${missing.join()}`;
  useEffect(() => {
    let isOver = false;
    let again: ReturnType<typeof setTimeout> | undefined;
    for (const address of missing) {
      load(network, address).then(
        () => !isOver && setVersion((version) => version + 1),
        (cause) => {
          if (isOver || !isPassing(cause)) return;
          again ??= setTimeout(() => setAttempt((count) => count + 1), AGAIN_MS);
        },
      );
    }
    return () => {
      isOver = true;
      clearTimeout(again);
    };
  }, [key, attempt]);
  const found = new Map<string, KnownToken>();
  for (const address of wanted) {
    const token = known.get(keyOf(network, address));
    if (token !== undefined) found.set(address, token);
  }
  return found;
}

/** Keeps a token from a list, so that it is not requested again. */
export function remember(network: string, token: KnownToken): void {
  known.set(keyOf(network, token.address), token);
}

function load(network: string, tokenAddress: string): Promise<void> {
  const key = keyOf(network, tokenAddress);
  const before = asked.get(key);
  if (before !== undefined) return before;
  const loading = Effect.runPromise(
    client.http.swap.tokenDetails({ params: { network, tokenAddress: tokenAddress as never } }),
  ).then(
    ({ result }) => void known.set(key, result),
    (cause) => {
      // The token may be known later: its users ask again.
      asked.delete(key);
      throw cause;
    },
  );
  asked.set(key, loading);
  return loading;
}
