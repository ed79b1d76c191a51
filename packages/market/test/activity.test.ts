import { assert, describe, it } from "@effect/vitest";
import type { BlockStamp, PastBlock, SwapEvent } from "@millrace/core";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import {
  ANCHORS,
  DECIMALS,
  hashOf,
  openActivity,
  PAIRS,
  POOLS_IN_GRAPH,
  pool,
  swapOf,
  TOKENS_IN_GRAPH,
  token,
} from "./activityChain.ts";
import { type CountedBlock, recount, tradesOf, valueOf } from "./activityRecount.ts";

const KEPT_MS = 3 * 86_400_000;
const START_MS = Date.UTC(2026, 2, 1);
/** In a long one, blocks leave what can be undone, and all windows. */
const STORIES = [
  ...[1, 2, 3, 4].map((seed) => ({ seed, turns: 120, blocksATurn: 1 })),
  { seed: 5, turns: 60, blocksATurn: 40 },
];

describe("activity", () => {
  for (const { seed, turns, blocksATurn } of STORIES) {
    const name = `in story ${seed}, of ${turns} turns and ${blocksATurn} blocks in some of them`;
    it(`is a plain recount of the blocks that were published and not reverted, ${name}`, () => {
      const story = new Story(seed, blocksATurn);
      for (let turn = 0; turn < turns; turn++) story.turn();
      assert.isAbove(story.compared, turns);
    });
  }
});

/** A chain that goes on and back, and what is published of it. */
class Story {
  compared = 0;
  readonly #next: () => number;
  readonly #prices = { priceUsd: [...ANCHORS.map(({ priceUsd }) => priceUsd), 61_234.5, 0] };
  #hashes = 0;
  /** The chain, ascending. */
  #chain: PastBlock[] = [];
  /** Value: what was published of the block of a hash. */
  readonly #published = new Map<string, CountedBlock>();
  #open: ReturnType<typeof openActivity>;

  readonly #blocksATurn: number;

  constructor(seed: number, blocksATurn: number) {
    this.#next = new RandomSource(TEST_SEED + seed).next;
    this.#blocksATurn = blocksATurn;
    for (let block = 0; block < 80; block++) this.#extend(this.#upTo(4_000) * 1_000);
    this.#open = openActivity(this.#head.stamp, this.#prices);
  }

  get #head(): PastBlock {
    return this.#chain.at(-1)!;
  }

  turn(): void {
    const roll = this.#next();
    if (this.#next() < 0.1) this.#prices.priceUsd[2] = 60_000 + 5_000 * this.#next();
    if (this.#next() < 0.1) this.#prices.priceUsd[3] = this.#next() < 0.5 ? 0 : 12.5;
    if (roll < 0.5) this.#goOn();
    else if (roll < 0.65) this.#reorganise();
    else if (roll < 0.8) this.#publishHistory();
    else if (roll < 0.9) this.#publishAgain();
    else this.#restart();
    this.#compare();
  }

  #goOn(): void {
    // A block that is skipped is published late.
    if (this.#next() < 0.2) this.#extend(this.#pause());
    for (let more = 1 + this.#upTo(this.#blocksATurn - 1); more > 0; more--) {
      this.#extend(this.#pause());
      this.#publish([]);
    }
  }

  #reorganise(): void {
    const depth = Math.min(1 + this.#upTo(this.#next() < 0.1 ? 60 : 4), this.#chain.length - 1);
    const orphaned = this.#chain.splice(-depth).reverse();
    const { timestampMs } = this.#head.stamp;
    this.#extend(this.#next() < 0.5 ? 12_000 : this.#pause());
    assert.isAtLeast(this.#head.stamp.timestampMs, timestampMs);
    this.#publish(orphaned.map(({ stamp }) => stamp.hash));
  }

  #publishHistory(): void {
    const unpublished = this.#chain
      .slice(0, -1)
      .filter(({ stamp }) => !this.#published.has(stamp.hash));
    const history = unpublished.slice(-1 - this.#upTo(12)).reverse();
    // Some are published twice.
    if (this.#next() < 0.3) history.push(...this.#chain.slice(-3, -1).reverse());
    this.#open.publish({ stamp: this.#head.stamp, swaps: [], history });
    for (const past of history) this.#note(past);
  }

  #publishAgain(): void {
    this.#publish([]);
  }

  #restart(): void {
    const saved = this.#open.activity.save();
    this.#open = openActivity(this.#head.stamp, this.#prices, { saved });
  }

  #publish(orphaned: ReadonlyArray<`0x${string}`>): void {
    this.#open.publish({ ...this.#head, orphaned });
    this.#note(this.#head);
  }

  #note(block: PastBlock): void {
    if (this.#published.has(block.stamp.hash) || block.swaps.length === 0) return;
    const values = block.swaps.map((swap) => valueOf(swap, this.#prices));
    this.#published.set(block.stamp.hash, { ...block, values });
  }

  #compare(): void {
    // What is days old is in no window, whatever the chain reverts.
    while (this.#head.stamp.timestampMs - this.#chain[0]!.stamp.timestampMs > KEPT_MS) {
      if (this.#chain.length < 600) break;
      this.#chain.shift();
    }
    const hashes = new Set(this.#chain.map(({ stamp }) => stamp.hash));
    for (const hash of this.#published.keys()) {
      if (!hashes.has(hash as `0x${string}`)) this.#published.delete(hash);
    }
    const counted = [...this.#published.values()];
    const { activity } = this.#open;
    const { pools, tokens } = recount(counted, this.#head.stamp.timestampMs);
    // The past that was published when it was older than a day is left out.
    const dayMs = this.#head.stamp.timestampMs - 86_400_000;
    const isOfDay = ({ stamp }: { stamp: BlockStamp }) => stamp.timestampMs > dayMs;
    const expected = tradesOf(counted);
    for (let index = 0; index < TOKENS_IN_GRAPH; index++) {
      assert.deepStrictEqual(activity.tokenWindows(token(index)), tokens[index], `token ${index}`);
      this.#compareChanges(index);
      const trades = activity.tokenTrades(token(index), 1_000_000);
      assert.deepStrictEqual(trades.filter(isOfDay), expected.tokens[index]!.filter(isOfDay));
    }
    for (let index = 0; index < POOLS_IN_GRAPH; index++) {
      assert.deepStrictEqual(activity.poolWindows(pool(index)), pools[index], `pool ${index}`);
      const trades = activity.trades(pool(index), 1_000_000);
      assert.deepStrictEqual(trades.filter(isOfDay), expected.pools[index]!.filter(isOfDay));
      if (trades.length > 0) this.compared++;
    }
    assert.deepStrictEqual(activity.audit(4), []);
  }

  /** Price changes are those of the candles as they are now, whatever was asked for before. */
  #compareChanges(index: number): void {
    const { activity } = this.#open;
    const { timestampMs } = this.#head.stamp;
    const candles = activity.tokenCandles(token(index), "1m", { limit: Infinity });
    const expected: Record<string, number> = {};
    for (const [name, seconds] of Object.entries({ "5m": 300, "6h": 21_600, "24h": 86_400 })) {
      const start = 60_000 * Math.floor(timestampMs / 60_000) - 1_000 * seconds;
      const last = candles.findLast(({ startMs }) => startMs + 60_000 <= start);
      if (last === undefined || last.startMs < start - 86_400_000) continue;
      expected[`priceChange${name}`] = 7 / last.close - 1;
    }
    const { priceChange1h: _, ...changes } = activity.priceChanges(token(index), 7, timestampMs);
    assert.deepStrictEqual(changes, expected, `token ${index}`);
  }

  #extend(pauseMs: number): void {
    const before = this.#chain.at(-1)?.stamp ?? { number: 99, timestampMs: START_MS };
    const stamp: BlockStamp = {
      number: before.number + 1,
      hash: hashOf(++this.#hashes),
      timestampMs: before.timestampMs + pauseMs,
    };
    this.#chain.push({ stamp, swaps: this.#swaps() });
  }

  /** From standing still to days. */
  #pause(): number {
    const roll = this.#next();
    if (roll < 0.1) return 0;
    if (roll < 0.8) return 1_000 * this.#upTo(24);
    if (roll < 0.97) return 1_000 * this.#upTo(6_000);
    return 1_000 * this.#upTo(150_000);
  }

  #swaps(): SwapEvent[] {
    const swaps: SwapEvent[] = [];
    let logIndex = 0;
    for (let transactions = this.#upTo(4); transactions > 0; transactions--) {
      const transaction = 0x1_0000 + ++this.#hashes;
      for (let hops = 1 + this.#upTo(3); hops > 0; hops--) {
        logIndex += 1 + this.#upTo(3);
        const at = this.#upTo(PAIRS.length - 1);
        const [token0, token1] = PAIRS[at]!;
        const sellsToken0 = this.#next() < 0.5;
        const amounts = [
          this.#amount(sellsToken0 ? token0 : token1),
          this.#amount(sellsToken0 ? token1 : token0),
        ] as const;
        swaps.push(swapOf(at, sellsToken0, amounts, transaction, logIndex));
      }
    }
    return swaps;
  }

  /** From one smallest unit to a thousand whole tokens. */
  #amount(of: number): bigint {
    return BigInt(Math.floor(10 ** ((DECIMALS[of]! + 3) * this.#next())));
  }

  /** A whole number of 0 … `most`. */
  #upTo(most: number): number {
    return Math.floor((most + 1) * this.#next());
  }
}
