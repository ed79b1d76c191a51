import { assert, describe, it } from "@effect/vitest";
import type { BlockStamp } from "@millrace/core";
import { law } from "@millrace/testing";
import type { TradedBlock } from "../src/activity/TradedBlock.ts";
import { Trades } from "../src/activity/Trades.ts";
import { hashOf } from "./activityChain.ts";

const POOLS = 4;
const TOKENS = 5;

describe("the list of trades", () => {
  it("is the newest of what was published, without a gap, whatever comes late and is reverted", () => {
    for (const [, { next }] of law("trades: the newest of what was published", 30).sources()) {
      const upTo = (most: number) => Math.floor((most + 1) * next());
      const most = 1 + upTo(60);
      const trades = new Trades(most);
      let hashes = 0;
      const chain: TradedBlock[] = [];
      const published = new Set<TradedBlock>();
      const extend = () => {
        const number = 10 + chain.length;
        const hash = hashOf(++hashes);
        const stamp = { number, hash, timestampMs: 1_000 * number };
        chain.push(blockOf(stamp, upTo(next() < 0.05 ? 100 : 6), upTo));
      };
      for (let block = 0; block < 30; block++) extend();
      // What is published of all that is above a block that was once full stays published.
      for (let turn = 0; turn < 300; turn++) {
        const roll = next();
        if (roll < 0.45) {
          if (next() < 0.2) extend();
          extend();
          published.add(chain.at(-1)!);
          trades.add(chain.at(-1)!);
        } else if (roll < 0.6) {
          for (let depth = 1 + upTo(5); depth > 0; depth--) {
            const block = chain.pop()!;
            if (published.delete(block)) trades.undo(block.stamp);
          }
        } else {
          const unpublished = chain.filter((block) => !published.has(block));
          const block =
            next() < 0.7 ? unpublished.at(-1) : unpublished[upTo(unpublished.length - 1)];
          if (block === undefined || block === chain.at(-1)) continue;
          published.add(block);
          trades.addPast(block);
        }
        compare(
          trades,
          most,
          chain.filter((block) => published.has(block)),
        );
      }
    }
  });

  it("is as long as it may be, when more came, and takes no older one in then", () => {
    const trades = new Trades(10);
    const blocks = [1, 2, 3, 4].map((number) =>
      blockOf({ number, hash: hashOf(number), timestampMs: 0 }, 6, () => 0),
    );
    trades.add(blocks[2]!);
    trades.addPast(blocks[1]!);
    const ids = () => trades.all().map(({ blockNumber, logIndex }) => `${blockNumber}-${logIndex}`);
    assert.deepStrictEqual(ids().slice(0, 4), ["2-2", "2-3", "2-4", "2-5"]);
    assert.strictEqual(trades.count, 10);
    trades.addPast(blocks[0]!);
    trades.add(blocks[3]!);
    assert.deepStrictEqual(ids().slice(0, 5), ["3-2", "3-3", "3-4", "3-5", "4-0"]);
    trades.undo(blocks[3]!.stamp);
    // There is room again, but what stood before is no longer known.
    trades.addPast(blocks[1]!);
    assert.deepStrictEqual(ids(), ["3-2", "3-3", "3-4", "3-5"]);
  });

  it("takes in late blocks of a new branch that begins below what was left out", () => {
    const trades = new Trades(3);
    const block = (number: number, count: number) =>
      blockOf({ number, hash: hashOf(number), timestampMs: 1_000 * number }, count, () => 0);
    trades.add(block(30, 4));
    trades.undo(block(30, 4).stamp);
    trades.add(block(27, 5));
    trades.add(block(29, 2));
    trades.addPast(block(28, 2));
    const ids = trades.all().map(({ blockNumber, logIndex }) => `${blockNumber}-${logIndex}`);
    assert.deepStrictEqual(ids, ["28-1", "29-0", "29-1"]);
    assert.deepStrictEqual(trades.floor, { blockNumber: 28, logIndex: 0, timestampMs: 28_000 });
  });

  it("is of a sound length", () => {
    for (const most of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
      assert.throws(() => new Trades(most), RangeError, String(most));
    }
  });
});

function blockOf(stamp: BlockStamp, count: number, upTo: (most: number) => number): TradedBlock {
  const swaps = Array.from({ length: count }, (_, at) => ({
    pool: upTo(POOLS - 1),
    series: 0,
    ...pairOf(upTo),
    amountIn: 1n,
    amountOut: 2n,
    sellsToken0: true,
    value: 3,
    priceAfter: 4,
    transactionHash: "0x",
    transaction: at,
    logIndex: at,
  }));
  return { stamp, swaps };
}

/** Any two tokens. */
function pairOf(upTo: (most: number) => number) {
  const tokenIn = upTo(TOKENS - 1);
  return { tokenIn, tokenOut: (tokenIn + 1 + upTo(TOKENS - 2)) % TOKENS };
}

/** What the list holds is the end of what was published; by pool and by token it is the same. */
function compare(trades: Trades, most: number, published: ReadonlyArray<TradedBlock>): void {
  const expected = published.flatMap(({ stamp, swaps }) =>
    swaps.map(({ pool, logIndex }) => ({ pool, hash: stamp.hash, logIndex })),
  );
  const all = trades
    .all()
    .map(({ pool, stamp, logIndex }) => ({ pool, hash: stamp.hash, logIndex }));
  assert.isAtMost(all.length, most);
  assert.deepStrictEqual(all, expected.slice(expected.length - all.length));
  if (trades.floor === undefined) assert.strictEqual(all.length, expected.length);
  for (let pool = 0; pool < POOLS; pool++) {
    const ofPool = all.filter((trade) => trade.pool === pool).reverse();
    const listed = [...trades.ofPool(pool)].map(({ stamp, logIndex }) => ({
      pool,
      hash: stamp.hash,
      logIndex,
    }));
    assert.deepStrictEqual(listed, ofPool);
  }
  const stored = trades.all().reverse();
  for (let token = 0; token < TOKENS; token++) {
    const ofToken = stored.filter(
      ({ tokenIn, tokenOut }) => tokenIn === token || tokenOut === token,
    );
    assert.deepStrictEqual([...trades.ofToken(token)], ofToken);
    const middle = ofToken[Math.floor(ofToken.length / 2)];
    if (middle === undefined) continue;
    const before = ofToken.slice(ofToken.indexOf(middle) + 1);
    assert.deepStrictEqual([...trades.ofToken(token, middle)], before);
  }
}
