import type { Address, MarketBlock } from "@millrace/core";

/** The parts that a block adds to a market besides swaps. */
export type NewPools = Pick<MarketBlock, "tokens" | "pools" | "states" | "supplies">;

/** A market's first pools with their tokens, and the others for later blocks. */
export function laterPools(
  block: MarketBlock,
  poolCount: number,
): { readonly first: MarketBlock; readonly next: (count: number) => NewPools } {
  const tokensOf = chosenFrom(block.tokens, ({ address }) => address);
  const suppliesOf = chosenFrom(block.supplies, ({ token }) => token);
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
    return { pools, states, tokens: tokensOf(wanted), supplies: suppliesOf(wanted) };
  };
  return { first: { ...block, ...next(poolCount) }, next };
}

/**
 * Selects the items of some addresses, in their original order, without a scan of all, which may be
 * very many.
 */
function chosenFrom<A>(all: ReadonlyArray<A>, addressOf: (one: A) => Address) {
  const places = new Map(all.map((one, place) => [addressOf(one), place]));
  return (wanted: ReadonlySet<Address>): A[] =>
    Array.from(wanted)
      .flatMap((address) => places.get(address) ?? [])
      .sort((a, b) => a - b)
      .map((place) => all[place]!);
}
