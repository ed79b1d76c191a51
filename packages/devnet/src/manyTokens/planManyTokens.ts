import { type Address, getContractAddress } from "viem";
import type { MarketToken } from "../market/Market.ts";
import type { Ground } from "./ManyTokenHouse.ts";
import type { ManyTokenMarketPool, ManyTokenPlan } from "./ManyTokenPlan.ts";

/** A plan's pools with their addresses; the governor makes them in this order. */
export function planManyTokens(
  { pools }: ManyTokenPlan,
  given: Omit<Ground, "nextOf">,
  known: ReadonlyArray<MarketToken>,
): ReadonlyArray<ManyTokenMarketPool> {
  const nonces = new Map<Address, bigint>();
  const nextOf = (from: Address): Address => {
    // A contract's nonces begin at 1.
    const nonce = (nonces.get(from) ?? 0n) + 1n;
    nonces.set(from, nonce);
    return getContractAddress({ from, nonce }).toLowerCase() as Address;
  };
  const ground = { ...given, nextOf };
  return pools.map(({ dexId, house, tokens: symbols, depthUsd }) => {
    const { kind, nativeAt, version, isSorted } = house;
    const tokens = symbols.map((symbol) => known.find((token) => token.symbol === symbol)!);
    if (isSorted) tokens.sort((one, other) => (one.address < other.address ? -1 : 1));
    const pool = {
      ...{ kind, dexId, ...house.create(ground, tokens) },
      tokens: tokens.map(({ address }) => address),
      ...(nativeAt !== undefined && { nativeAt }),
      ...(version !== undefined && { version }),
    };
    return { pool, house, tokens, depthUsd };
  });
}
