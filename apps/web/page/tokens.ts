import type { TokenEntry } from "@millrace/api";
import { Effect } from "effect";
import { useEffect, useState } from "preact/hooks";
import { client } from "./service.ts";

/** What the page shows of a token. */
export type KnownToken = Pick<
  typeof TokenEntry.Type,
  "address" | "contractAddress" | "decimals" | "name" | "symbol"
>;

/** By network and address, in lower case; as long as the page is open. */
const known = new Map<string, KnownToken>();
const asked = new Map<string, Promise<KnownToken | undefined>>();

const keyOf = (network: string, address: string): string => `${network} ${address.toLowerCase()}`;

/** Tokens by their addresses, as far as they are known yet; those that are not are asked for. */
export function useTokens(
  network: string,
  addresses: ReadonlyArray<string>,
): ReadonlyMap<string, KnownToken> {
  const [, setVersion] = useState(0);
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))];
  const missing = wanted.filter((address) => !known.has(keyOf(network, address)));
  const key = `${network} ${missing.join()}`;
  useEffect(() => {
    let isOver = false;
    for (const address of missing) {
      load(network, address).then(() => !isOver && setVersion((version) => version + 1));
    }
    return () => {
      isOver = true;
    };
  }, [key]);
  const found = new Map<string, KnownToken>();
  for (const address of wanted) {
    const token = known.get(keyOf(network, address));
    if (token !== undefined) found.set(address, token);
  }
  return found;
}

/** Notes what a list said, which need not be asked again. */
export function remember(network: string, token: KnownToken): void {
  known.set(keyOf(network, token.address), token);
}

function load(network: string, tokenAddress: string): Promise<KnownToken | undefined> {
  const key = keyOf(network, tokenAddress);
  const before = asked.get(key);
  if (before !== undefined) return before;
  const loading = Effect.runPromise(
    client.http.swap.tokenDetails({ params: { network, tokenAddress: tokenAddress as never } }),
  ).then(
    ({ result }) => {
      known.set(key, result);
      return result;
    },
    () => {
      // It may be known later: the next view asks again.
      asked.delete(key);
      return undefined;
    },
  );
  asked.set(key, loading);
  return loading;
}
