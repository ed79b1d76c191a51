import type { Address, MarketBlock } from "@millrace/core";

/** What a block brings to a market beside swaps. */
export type NewPools = Pick<MarketBlock, "tokens" | "pools" | "states" | "supplies">;

/** A market's first pools with their tokens, and the others for blocks that come later. */
export function laterPools(
  block: MarketBlock,
  poolCount: number,
): { readonly first: MarketBlock; readonly next: (count: number) => NewPools } {
  const known = new Set<Address>();
  let taken = 0;
  const next = (count: number): NewPools => {
    const pools = block.pools.slice(taken, taken + count);
    const states = block.states.slice(taken, taken + count);
    taken += pools.length;
    const wanted = new Set(pools.flatMap(({ tokens }) => tokens));
    for (const token of wanted) {
      if (known.has(token)) wanted.delete(token);
      known.add(token);
    }
    const tokens = block.tokens.filter(({ address }) => wanted.has(address));
    const supplies = block.supplies.filter(({ token }) => wanted.has(token));
    return { pools, states, tokens, supplies };
  };
  return { first: { ...block, ...next(poolCount) }, next };
}
