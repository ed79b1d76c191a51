import type { Address, MarketBlock } from "@millrace/core";

/**
 * Leaves tokens out of a market, with all their pools: gives the function that its blocks pass
 * through, in order. Addresses are lower case.
 */
export function withoutTokens(excluded: ReadonlySet<Address>): (block: MarketBlock) => MarketBlock {
  if (excluded.size === 0) return (block) => block;
  const excludedPools = new Set<Address>();
  return (block) => {
    for (const { address, tokens } of block.pools) {
      if (tokens.some((token) => excluded.has(token))) excludedPools.add(address);
    }
    return {
      ...block,
      tokens: block.tokens.filter(({ address }) => !excluded.has(address)),
      pools: block.pools.filter(({ address }) => !excludedPools.has(address)),
      removedPools: block.removedPools.filter((address) => !excludedPools.delete(address)),
      states: block.states.filter(({ pool }) => !excludedPools.has(pool)),
      swaps: block.swaps.filter(({ pool }) => !excludedPools.has(pool)),
      supplies: block.supplies.filter(({ token }) => !excluded.has(token)),
    };
  };
}
