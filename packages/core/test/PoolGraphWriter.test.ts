import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PoolGraph, PoolIndex } from "../src/graph/PoolGraph.ts";
import { openMarket } from "../src/openMarket.ts";
import { address, capacityState, emptyBlock, fixedRate, marketOf, token } from "./markets.ts";

describe("adjacency", () => {
  const pools = fc.array(
    fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 8 }),
    { maxLength: 40 },
  );

  test("lists every other token of every pool once, transit neighbours first, in order", () => {
    fc.assert(
      fc.property(pools, (tokenLists) => {
        const market = openMarket(1, [fixedRate]);
        market.writer.applyBlock(
          marketOf(
            12,
            tokenLists.map((tokens) => ({ tokens })),
          ),
        );
        expectAdjacency(market.graph, tokenLists);
      }),
      law("adjacency of pools", 100).options,
    );
  });

  test("is the same after pools came and went as if they had never been", () => {
    fc.assert(
      fc.property(pools, fc.array(fc.nat(39)), (tokenLists, removed) => {
        const gone = new Set(removed.filter((n) => n < tokenLists.length));
        const market = openMarket(1, [fixedRate]);
        market.writer.applyBlock(
          marketOf(
            12,
            tokenLists.map((tokens) => ({ tokens })),
          ),
        );
        const removal = { ...emptyBlock(2), removedPools: [...gone].map((n) => address(100 + n)) };
        expect(market.writer.applyBlock(removal).rejected).toEqual([]);
        const left = tokenLists.filter((_, n) => !gone.has(n));
        expect(market.graph.livePoolCount).toBe(left.length);
        expectAdjacency(market.graph, left);
      }),
      law("adjacency after pools came and went", 100).options,
    );
  });

  test("and the state of pools take no more room, however many come and go", () => {
    const { graph, writer } = openMarket(1, [fixedRate]);
    const all = marketOf(12, [{ tokens: [1, 2] }, { tokens: [3, 4, 5] }, { tokens: [2, 6] }]);
    writer.applyBlock(all);
    const { poolCount, stateWordsLength } = graph;
    for (let round = 0; round < 100; round++) {
      const removedPools = all.pools.map((pool) => pool.address);
      writer.applyBlock({ ...emptyBlock(2 * round + 2), removedPools });
      // Without states: what the pools before had is not theirs.
      const again = { ...emptyBlock(2 * round + 3), pools: all.pools.toReversed() };
      expect(writer.applyBlock(again).rejected).toEqual([]);
      const words = graph.stateWords.subarray(0, graph.stateWordsLength);
      expect(words.every((word) => word === 0n)).toBe(true);
      writer.applyBlock({ ...emptyBlock(2 * round + 3), states: all.states });
    }
    expect([graph.poolCount, graph.stateWordsLength]).toEqual([poolCount, stateWordsLength]);
    expectAdjacency(
      graph,
      all.pools.map(({ tokens }) => tokens.map((each) => Number(BigInt(each)))),
    );
  });

  test("is the same whether pools came at once or one after another, with new tokens or not", () => {
    fc.assert(
      fc.property(pools, fc.array(fc.nat(12)), (tokenLists, cuts) => {
        const market = openMarket(1, [fixedRate]);
        const all = marketOf(
          12,
          tokenLists.map((tokens, index) => ({ tokens, rate: 1 + index })),
        );
        market.writer.applyBlock({ ...all, tokens: [], pools: [], states: [] });
        const known = new Set<string>();
        let at = 0;
        for (const count of [...cuts, tokenLists.length]) {
          const pools = all.pools.slice(at, at + count);
          const states = all.states.slice(at, at + count);
          const names = new Set(pools.flatMap(({ tokens }) => tokens));
          const tokens = all.tokens.filter((each) => names.has(each.address));
          const fresh = tokens.filter((each) => !known.has(each.address));
          for (const { address: name } of fresh) known.add(name);
          at += pools.length;
          const block = { ...emptyBlock(2 + at), tokens: fresh, pools, states };
          expect(market.writer.applyChanges(block).rejected).toEqual([]);
          const numbered = tokenLists
            .slice(0, at)
            .map((list) => list.map((n) => 1 + market.graph.findToken(address(n))!));
          expectAdjacency(market.graph, numbered);
        }
        const atOnce = openMarket(1, [fixedRate]);
        atOnce.writer.applyBlock(all);
        expect(piecesOf(market.graph)).toEqual(piecesOf(atOnce.graph));
      }),
      law("adjacency of pools that come one after another", 100).options,
    );
  });

  /** By pool, the pieces of its slots. */
  function piecesOf(graph: PoolGraph): object {
    const part = (pieces: Float64Array, slot: number) => [
      ...pieces.subarray(4 * slot, 4 * slot + 4),
    ];
    return Array.from({ length: graph.poolCount }, (_, index) => {
      const pool = index as PoolIndex;
      const count = graph.poolTokenCount[pool]!;
      const pairs = Array.from({ length: count * count }, (_, at) => [
        at % count,
        Math.floor(at / count),
      ]);
      return pairs.map(([own, other]) => {
        if (own === other) return undefined;
        const slot = graph.poolSlot(pool, own!, other!);
        return [part(graph.slotIn, slot), part(graph.slotOut, slot)];
      });
    });
  }

  function expectAdjacency(graph: PoolGraph, tokenLists: number[][]): void {
    const neighbours = new Map<number, number[]>();
    for (const tokens of tokenLists) {
      for (const own of tokens) {
        const others = tokens.filter((other) => other !== own).map((other) => other - 1);
        neighbours.set(own - 1, [...(neighbours.get(own - 1) ?? []), ...others]);
      }
    }
    const isTransit = (index: number) => new Set(neighbours.get(index)).size > 1;
    const ranks = [...graph.tokenRank.subarray(0, graph.tokenCount)].filter((rank) => rank < 1e9);
    expect(ranks.sort((a, b) => a - b)).toEqual(ranks.map((_, index) => index));
    expect(graph.transitCount).toBe(ranks.length);
    for (let own = 0; own < graph.tokenCount; own++) {
      expect((graph.tokenRank[own] ?? 0) < 1e9).toBe(isTransit(own));
      const ascending = (neighbours.get(own) ?? []).toSorted((a, b) => a - b);
      const wanted = [
        ...ascending.filter(isTransit),
        ...ascending.filter((index) => !isTransit(index)),
      ];
      const [start, end] = [graph.slotStart[own]!, graph.slotEnd[own]!];
      expect([...graph.slotNeighbour.subarray(start, end)]).toEqual(wanted);
      expect(graph.slotTransitEnd[own]! - start).toBe(ascending.filter(isTransit).length);
      for (let slot = start; slot < end; slot++) {
        const pool = graph.slotPool[slot]! as PoolIndex;
        const positions = graph.slotPositions[slot]!;
        expect(graph.poolToken(pool, positions >> 3)).toBe(own);
        expect(graph.poolToken(pool, positions & 7)).toBe(graph.slotNeighbour[slot]);
        expect(graph.poolSlot(pool, positions >> 3, positions & 7)).toBe(slot);
        expect(graph.slotRank[slot]).toBe(graph.tokenRank[graph.slotNeighbour[slot]!]);
        expect(graph.slotOut[4 * slot + 2]).toBeGreaterThan(0);
      }
    }
  }
});

describe("what is impossible is left out and named", () => {
  const listing = {
    address: address(200),
    dexId: "TEST",
    tokens: [address(1), address(2)],
    feePips: 0,
    parameter: 1,
  };
  const tokenListing = { address: address(50), decimals: 18, symbol: "", name: "" };

  test.each([
    [{ pools: [{ ...listing, dexId: "NONE" }] }, "pool", "no DEX 'NONE'"],
    [{ pools: [{ ...listing, tokens: [address(1)] }] }, "pool", "1 tokens"],
    [
      { pools: [{ ...listing, tokens: [1, 2, 3, 4, 5, 6, 7, 8, 9].map(address) }] },
      "pool",
      "9 tokens",
    ],
    [{ pools: [{ ...listing, tokens: [address(1), address(1)] }] }, "pool", "a token twice"],
    [
      { pools: [{ ...listing, tokens: [address(1), address(77)] }] },
      "pool",
      `unknown token ${address(77)}`,
    ],
    [{ pools: [{ ...listing, address: address(100) }] }, "pool", "listed twice"],
    [{ pools: [{ ...listing, address: "0xnonsense" as const }] }, "pool", "not an address"],
    [{ pools: [{ ...listing, parameter: 0 }] }, "pool", "a rate of 0"],
    [{ tokens: [{ ...tokenListing, decimals: 256 }] }, "token", "impossible decimals 256"],
    [{ tokens: [{ ...tokenListing, decimals: 1.5 }] }, "token", "impossible decimals 1.5"],
    [{ tokens: [{ ...tokenListing, address: "0x1" as const }] }, "token", "not an address"],
    [{ removedPools: [address(999)] }, "removal", "unknown pool"],
    [{ states: [{ pool: address(999), state: capacityState(2n) }] }, "state", "unknown pool"],
    [
      { states: [{ pool: address(100), state: { words: new BigUint64Array(2) } }] },
      "state",
      "2 words of state",
    ],
    [{ pools: [{ ...listing, curve: "none" }] }, "pool", "no curve 'none'"],
    [
      { pools: [{ ...listing, constants: new BigUint64Array(256) }] },
      "pool",
      "256 words of constants",
    ],
  ])("fault %#", (part, what, reason) => {
    const market = openMarket(1, [fixedRate]);
    market.writer.applyBlock(marketOf(9, [{ tokens: [1, 2] }]));
    const applied = market.writer.applyBlock({ ...emptyBlock(2), ...part });
    expect(applied.rejected).toEqual([expect.objectContaining({ what, reason })]);
    expect(market.graph.stamp.number).toBe(2);
    expect(market.graph.livePoolCount).toBe(1);
  });
});

describe("a writer of the pool graph", () => {
  test("a pool whose new state is impossible gives no quotes until it has a sound one", () => {
    const market = openMarket(1, [fixedRate]);
    market.writer.applyBlock(marketOf(2, [{ tokens: [1, 2] }]));
    const request = {
      tokenIn: token(market, 1),
      tokenOut: token(market, 2),
      kind: "exactIn",
      amount: 5n,
      maxHops: 3,
    } as const;
    expect(market.router.quote(request)).toMatchObject({ found: true, amountOut: 5n });
    const apply = (number: number, capacity: bigint) =>
      market.writer.applyBlock({
        ...emptyBlock(number),
        states: [{ pool: address(100), state: capacityState(capacity) }],
      });
    expect(apply(2, 7n).rejected).toEqual([
      { what: "state", address: address(100), reason: "an odd capacity" },
    ]);
    expect(market.router.quote(request)).toEqual({ found: false, reason: "InsufficientLiquidity" });
    expect(apply(3, 8n).rejected).toEqual([]);
    expect(market.router.quote(request)).toMatchObject({
      found: true,
      amountOut: 5n,
      stamp: { number: 3 },
    });
  });

  test("a path through a pool of eight tokens uses any two of them", () => {
    const market = openMarket(1, [fixedRate]);
    market.writer.applyBlock(
      marketOf(10, [
        { tokens: [1, 2, 3, 4, 5, 6, 7, 8], rate: 3 },
        { tokens: [8, 9], rate: 2 },
        { tokens: [1, 9], rate: 5 },
      ]),
    );
    const quote = market.router.quote({
      tokenIn: token(market, 1),
      tokenOut: token(market, 9),
      kind: "exactIn",
      amount: 10n,
      maxHops: 4,
    });
    expect(quote).toMatchObject({
      found: true,
      amountOut: 60n,
      steps: [{ amountOut: 30n }, { amountOut: 60n }],
    });
    const exactOut = market.router.quote({
      tokenIn: token(market, 1),
      tokenOut: token(market, 9),
      kind: "exactOut",
      amount: 60n,
      maxHops: 4,
    });
    expect(exactOut).toMatchObject({ found: true, amountIn: 10n });
  });
});
