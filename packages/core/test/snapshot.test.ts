import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SnapshotError } from "../src/graph/snapshot.ts";
import { openMarket, openSnapshot } from "../src/openMarket.ts";
import { address, emptyBlock, fixedRate, marketOf, token } from "./markets.ts";

const block = marketOf(6, [
  { tokens: [1, 2], rate: 2 },
  { tokens: [2, 3, 4], rate: 3 },
  { tokens: [4, 5], capacity: 4n },
]);

function snapshot(): Uint8Array {
  const market = openMarket(1, [fixedRate]);
  market.writer.applyBlock(block);
  return market.snapshot();
}

describe("snapshots of a market", () => {
  test("a snapshot gives the same market again, byte for byte and quote for quote", () => {
    const bytes = snapshot();
    const market = openSnapshot(bytes, [fixedRate]);
    expect(Buffer.compare(market.snapshot(), bytes)).toBe(0);
    expect(market.graph.stamp).toEqual(block.stamp);
    const quote = market.router.quote({
      tokenIn: token(market, 1),
      tokenOut: token(market, 4),
      kind: "exactIn",
      amount: 7n,
      maxHops: 2,
    });
    expect(quote).toMatchObject({ found: true, amountOut: 42n });
  });

  test("equal markets are equal bytes, whatever their history", () => {
    const market = openMarket(1, [fixedRate]);
    market.writer.applyBlock({
      ...block,
      stamp: { ...block.stamp, number: 0 },
      tokens: block.tokens.toReversed(),
      pools: block.pools.toReversed(),
    });
    market.writer.applyBlock({ ...emptyBlock(0), removedPools: [address(101)] });
    market.writer.applyBlock({
      ...block,
      tokens: [],
      pools: [block.pools[1]!],
      states: [block.states[1]!],
    });
    expect(Buffer.compare(market.snapshot(), snapshot())).toBe(0);
  });

  test("a market goes on from its snapshot", () => {
    const market = openSnapshot(snapshot(), [fixedRate]);
    const more = marketOf(6, [{ tokens: [1, 6], rate: 9 }]);
    const added = {
      ...emptyBlock(2),
      pools: [{ ...more.pools[0]!, address: address(300) }],
      tokens: more.tokens,
      states: [{ pool: address(300), state: more.states[0]!.state }],
    };
    expect(market.writer.applyBlock(added).rejected).toEqual([]);
    const quote = market.router.quote({
      tokenIn: token(market, 6),
      tokenOut: token(market, 2),
      kind: "exactIn",
      amount: 1n,
      maxHops: 2,
    });
    expect(quote).toMatchObject({ found: true, amountOut: 18n });
  });

  test("a flip of any bit of any byte is found", () => {
    const bytes = snapshot();
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [1, 16, 128]) {
        const damaged = bytes.slice();
        damaged[at]! ^= bit;
        expect(() => openSnapshot(damaged, [fixedRate])).toThrow(SnapshotError);
      }
    }
  });

  test("any truncation and any addition is found", () => {
    const bytes = snapshot();
    for (let length = 0; length < bytes.length; length++) {
      expect(() => openSnapshot(bytes.slice(0, length), [fixedRate])).toThrow(SnapshotError);
    }
    expect(() => openSnapshot(Uint8Array.of(...bytes, 0), [fixedRate])).toThrow(SnapshotError);
  });

  test("no bytes at all crash the reader", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(() => openSnapshot(bytes, [fixedRate])).toThrow(SnapshotError);
      }),
      law("snapshots: any bytes", 100).options,
    );
  });

  test("a family that is not given is named as the reason", () => {
    expect(() => openSnapshot(snapshot(), [{ ...fixedRate, name: "other" }])).toThrow(
      expect.objectContaining({ reason: "Inconsistent" }),
    );
  });
});
