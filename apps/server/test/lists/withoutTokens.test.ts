import { type Address, type MarketBlock, NO_HASH } from "@millrace/core";
import { describe, expect, it } from "vitest";
import { withoutTokens } from "../../src/networks/withoutTokens.ts";

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const [PLAIN, OTHER, REBASING] = [address("1"), address("2"), address("3")];
const [KEPT, LEFT] = [address("a"), address("b")];

const EMPTY: MarketBlock = {
  stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
  dexes: [],
  tokens: [],
  pools: [],
  removedPools: [],
  states: [],
  swaps: [],
  supplies: [],
};
const listing = (token: Address) => ({ address: token, decimals: 18, symbol: "T", name: "T" });
const pool = (at: Address, tokens: ReadonlyArray<Address>) => ({
  address: at,
  dexId: "D",
  tokens,
  feePips: 0,
  parameter: 0,
});
const state = (at: Address) => ({ pool: at, state: { words: new BigUint64Array(5) } });

describe("a source without some tokens", () => {
  it("a token that is left out takes its pools with it, in the first block and in every later one", () => {
    const prune = withoutTokens(new Set([REBASING]));
    const first = prune({
      ...EMPTY,
      tokens: [PLAIN, OTHER, REBASING].map(listing),
      pools: [pool(KEPT, [PLAIN, OTHER]), pool(LEFT, [PLAIN, REBASING])],
      states: [state(KEPT), state(LEFT)],
      supplies: [{ token: REBASING, totalSupply: 1n }],
    });
    expect(first.tokens.map((token) => token.address)).toEqual([PLAIN, OTHER]);
    expect(first.pools.map((listed) => listed.address)).toEqual([KEPT]);
    expect(first.states.map((change) => change.pool)).toEqual([KEPT]);
    expect(first.supplies).toEqual([]);
    const later = prune({ ...EMPTY, states: [state(LEFT), state(KEPT)] });
    expect(later.states.map((change) => change.pool)).toEqual([KEPT]);
    const removed = prune({ ...EMPTY, removedPools: [LEFT, KEPT] });
    expect(removed.removedPools).toEqual([KEPT]);
    // The address may come back as another pool.
    const reused = prune({ ...EMPTY, pools: [pool(LEFT, [PLAIN, OTHER])], states: [state(LEFT)] });
    expect([reused.pools.length, reused.states.length]).toEqual([1, 1]);
  });

  it("a pool that a block puts where it takes another away is judged by its own tokens", () => {
    const prune = withoutTokens(new Set([REBASING]));
    prune({ ...EMPTY, pools: [pool(LEFT, [PLAIN, REBASING]), pool(KEPT, [PLAIN, OTHER])] });
    const swapped = prune({
      ...EMPTY,
      removedPools: [LEFT, KEPT],
      pools: [pool(LEFT, [PLAIN, OTHER]), pool(KEPT, [OTHER, REBASING])],
      states: [state(LEFT), state(KEPT)],
    });
    expect(swapped.removedPools).toEqual([KEPT]);
    expect(swapped.pools.map((listed) => listed.address)).toEqual([LEFT]);
    expect(swapped.states.map((change) => change.pool)).toEqual([LEFT]);
    const later = prune({ ...EMPTY, states: [state(LEFT), state(KEPT)] });
    expect(later.states.map((change) => change.pool)).toEqual([LEFT]);
  });

  it("a token that is left out takes its swaps with it, of pools that never were in the market too", () => {
    const prune = withoutTokens(new Set([REBASING]));
    prune({ ...EMPTY, pools: [pool(KEPT, [PLAIN, OTHER]), pool(LEFT, [PLAIN, REBASING, OTHER])] });
    const swap = (at: Address, tokenIn: Address, tokenOut: Address) => ({
      ...{ pool: at, tokenIn, tokenOut, transactionHash: NO_HASH, logIndex: 0 },
      ...{ amountIn: 1n, amountOut: 1n, priceAfter: 1 },
    });
    const swaps = [
      swap(KEPT, PLAIN, OTHER),
      swap(LEFT, PLAIN, OTHER),
      swap(address("c"), REBASING, PLAIN),
      swap(address("d"), OTHER, PLAIN),
    ];
    const wanted = [swaps[0], swaps[3]];
    const { stamp } = EMPTY;
    const pruned = prune({ ...EMPTY, swaps, history: [{ stamp, swaps }] });
    expect(pruned.swaps).toEqual(wanted);
    expect(pruned.history).toEqual([{ stamp, swaps: wanted }]);
    expect(prune({ ...EMPTY, swaps })).not.toHaveProperty("history");
  });

  it("without such tokens blocks pass as they are", () => {
    expect(withoutTokens(new Set())(EMPTY)).toBe(EMPTY);
  });
});
