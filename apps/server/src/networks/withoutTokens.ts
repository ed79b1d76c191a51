import type { Address, MarketBlock, SwapEvent } from "@millrace/core";

/**
 * Leaves tokens out of a market, with all their pools: gives the function that its blocks pass
 * through, in order. Addresses are lower case.
 */
export function withoutTokens(excluded: ReadonlySet<Address>): (block: MarketBlock) => MarketBlock {
  if (excluded.size === 0) return (block) => block;
  const excludedPools = new Set<Address>();
  // A swap may also be of a pool that never was in the market.
  const isOfOthers = ({ pool, tokenIn, tokenOut }: SwapEvent) =>
    !(excluded.has(tokenIn) || excluded.has(tokenOut) || excludedPools.has(pool));
  return (block) => {
    // A block removes pools before it adds others: it may replace one at the same address.
    const removedPools = block.removedPools.filter((address) => !excludedPools.delete(address));
    for (const { address, tokens } of block.pools) {
      if (tokens.some((token) => excluded.has(token))) excludedPools.add(address);
    }
    return {
      ...block,
      tokens: block.tokens.filter(({ address }) => !excluded.has(address)),
      pools: block.pools.filter(({ address }) => !excludedPools.has(address)),
      removedPools,
      states: block.states.filter(({ pool }) => !excludedPools.has(pool)),
      swaps: block.swaps.filter(isOfOthers),
      ...(block.history !== undefined && {
        history: block.history.map(({ stamp, swaps }) => ({
          stamp,
          swaps: swaps.filter(isOfOthers),
        })),
      }),
      supplies: block.supplies.filter(({ token }) => !excluded.has(token)),
    };
  };
}

/** Addresses as the configuration writes them, for `withoutTokens` and its like. */
export const addressSet = (addresses: ReadonlyArray<string>): ReadonlySet<Address> =>
  new Set(addresses.map((address) => address.toLowerCase() as Address));
