import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { GraphReaders, MarketReader, openMarket, type TokenPosition } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { blockStorm } from "../markets/blockStorm.ts";
import { livePools } from "../markets/changedMarket.ts";

const GAS_LIMIT = 16_777_216;
const STATES_A_BLOCK = 20;

function opened() {
  const market = openMarket(1, curves);
  market.writer.applyBlock(generateMarketBlock({ seed: 43, poolCount: 400 }));
  const readers = new GraphReaders(market.graph);
  const mirror = new MarketReader({ chainId: 1, curves, gasLimit: GAS_LIMIT });
  return { market, readers, mirror };
}

describe("a market that another thread writes", () => {
  it("is read as it is after each block, and not at all when a block comes meanwhile", () => {
    const { market, readers, mirror } = opened();
    readers.add((update) => mirror.take(structuredCloneOf(update)));
    const storm = law("market reader: a storm of blocks", 60);
    const random = storm.random();
    const nextBlock = blockStorm(market, random);
    const { graph } = market;
    let found = 0;
    let number = 2;
    const apply = () => market.writer.applyBlock(nextBlock(number++, STATES_A_BLOCK));
    for (let round = 0; round < storm.cases; round++) {
      apply();
      // Of pools that are left: a long storm leaves most tokens without a route.
      const token = () =>
        graph.poolToken(random.pick(livePools(market)), random.integer(2) as TokenPosition);
      const [tokenIn, tokenOut] = [token(), token()];
      const maxSplits = random.pick([1, 1, 4]);
      const amount = 10n ** BigInt(random.integer(22));
      const asked = { tokenIn, tokenOut, kind: "exactIn", amount, maxHops: 3, maxSplits } as const;
      if (tokenIn === tokenOut) continue;
      // Indexes of addresses are shared, even after pools were added and removed.
      const address = graph.tokenAddress(tokenIn).toUpperCase().replace("X", "x");
      expect(mirror.read(() => mirror.graph.findToken(address) ?? "none")).toBe(tokenIn);
      const quote = mirror.read(() => mirror.quoteUnsafe(asked));
      expect(quote).toEqual(market.router.quote(asked));
      if (quote!.found) found++;
      const torn = mirror.tornCount;
      const late = mirror.read(() => {
        const early = mirror.quoteUnsafe(asked);
        apply();
        return early;
      });
      expect(late).toBeUndefined();
      expect(mirror.tornCount).toBe(torn + 1);
    }
    expect(found).toBeGreaterThan(storm.cases / 8);
  });

  it("is not read before it was told of a write", () => {
    const { market, readers, mirror } = opened();
    const told: Array<Parameters<MarketReader["take"]>[0]> = [];
    const leave = readers.add((update) => told.push(update));
    expect(mirror.read(() => "too early")).toBeUndefined();
    mirror.take(told.shift()!);
    expect(mirror.read(() => "now")).toBe("now");
    market.writer.applyBlock(blockStorm(market, law("market reader: told", 1).random())(3, 5));
    expect(mirror.isCurrent).toBe(false);
    expect(mirror.read(() => "behind")).toBeUndefined();
    for (const update of told.splice(0)) mirror.take(update);
    expect(mirror.read(() => mirror.graph.stamp.number)).toBe(3);
    leave();
    readers.close();
    market.writer.applyBlock(blockStorm(market, law("market reader: left", 1).random())(4, 5));
    expect(told).toEqual([]);
  });

  it("throws what a read of one block throws, and keeps nothing of one that was torn", () => {
    const { market, readers, mirror } = opened();
    readers.add((update) => mirror.take(update));
    const fail = () => {
      throw new Error("of the reader");
    };
    expect(() => mirror.read(fail)).toThrow("of the reader");
    const nextBlock = blockStorm(market, law("market reader: torn", 1).random());
    const tornFailure = mirror.read(() => {
      market.writer.applyBlock(nextBlock(2, 5));
      return fail();
    });
    expect(tornFailure).toBeUndefined();
    expect(mirror.read(() => "after")).toBe("after");
  });
});

/** A copy as through a port: shared memory stays shared, everything else is copied. */
const structuredCloneOf = <A>(value: A): A => {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const { message } = receiveMessageOnPort(port2)!;
  port1.close();
  return message as A;
};
