import type { Address, MarketBlock, PoolListing, PoolState } from "@millrace/core";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import type { blockAfter } from "./marketPools.ts";
import { mockAddress, type testMarket } from "./recordedMarkets.ts";

type TestMarket = ReturnType<typeof testMarket>;
type Happens = Parameters<typeof blockAfter>[1];

/** Blocks of random changes of a market, and back again. */
export class PoolTraffic {
  readonly #market: TestMarket;
  readonly #random = new RandomSource(TEST_SEED);
  readonly #listings: Map<string, PoolListing>;
  readonly #states: Map<string, PoolState>;
  #undo: Happens = {};
  #added = 0;

  constructor(market: TestMarket, { pools, states }: MarketBlock) {
    this.#market = market;
    this.#listings = new Map(pools.map((listing) => [listing.address, listing]));
    this.#states = new Map(states.map(({ pool, state }) => [pool, state]));
  }

  /**
   * Large swaps in fifty pools; two pools are removed, and ten are added between any tokens at any
   * price.
   */
  next(): Happens {
    const removed = [this.#pick(), this.#pick()].filter(({ address }) =>
      this.#listings.delete(address),
    );
    const added = Array.from({ length: 10 }, () => {
      const model = this.#pick();
      const address = mockAddress(0xadd0000 + this.#added++);
      this.#states.set(address, this.#states.get(model.address)!);
      const other = this.#pick().tokens.find((token) => token !== model.tokens[0])!;
      return { ...model, tokens: [model.tokens[0]!, other], address };
    });
    const swapped = Array.from({ length: 50 }, () => this.#pick().address);
    const before = [...removed.map(({ address }) => address), ...new Set(swapped)];
    this.#undo = {
      removedPools: added.map(({ address }) => address),
      pools: removed,
      states: before.map((pool) => ({ pool, state: this.#states.get(pool)! })),
    };
    const states = swapped.map((pool) => ({ pool, state: this.#swapped(pool) }));
    for (const listing of added) this.#listings.set(listing.address, listing);
    return {
      removedPools: removed.map(({ address }) => address),
      pools: added,
      states: [
        ...added.map(({ address }) => ({ pool: address, state: this.#states.get(address)! })),
        ...states,
      ],
    };
  }

  /** Undoes all changes of the last block. */
  back(): Happens {
    for (const { pool, state } of this.#undo.states!) this.#states.set(pool, state);
    for (const pool of this.#undo.removedPools!) this.#listings.delete(pool);
    for (const listing of this.#undo.pools!) this.#listings.set(listing.address, listing);
    return this.#undo;
  }

  #pick(): PoolListing {
    return this.#random.pick([...this.#listings.values()]);
  }

  /** The pool's state after a swap of up to a third of its holding in the graph. */
  #swapped(address: Address): PoolState {
    const { graph, familyOf } = this.#market;
    const pool = graph.findPool(address)!;
    const family = familyOf(pool);
    const tokenIn = this.#random.integer(2);
    const held = family.tokenAmounts(pool)[tokenIn]!;
    const amountIn = held / BigInt(3 + this.#random.integer(300));
    const before = this.#states.get(address)!;
    const swap =
      amountIn > 0n ? family.swapExactIn(pool, tokenIn, 1 - tokenIn, amountIn) : undefined;
    if (swap === undefined) return before;
    const { book } = before;
    const state = book === undefined ? swap.state : { ...swap.state, book };
    this.#states.set(address, state);
    return state;
  }
}
