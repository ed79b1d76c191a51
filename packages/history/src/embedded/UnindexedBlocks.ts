import { PackedSwaps } from "../blocks/blockBytes.ts";
import { blockCandles } from "../candles/blockCandles.ts";
import type { CandleDraft } from "../candles/CandleDraft.ts";
import type { BlockKeys } from "./BlockIndex.ts";
import type { Numbers } from "./Numbers.ts";
import type { StoredBlock } from "./readBlock.ts";

/** What is derived from a block. */
interface BlockContents {
  readonly seconds: number;
  readonly swapCount: number;
  readonly keys: BlockKeys;
  /** By subject. */
  readonly candles: ReadonlyMap<number, CandleDraft>;
}

type BlockBytes = Pick<StoredBlock, "number" | "timestampMs" | "bytes">;

/** The blocks that are not in indexes and candles yet. */
export class UnindexedBlocks {
  readonly #blocks = new Map<number, BlockContents>();
  swapCount = 0;

  /** What is derived from a block, indexed or not. */
  static contents({ number, timestampMs, bytes }: BlockBytes, numbers: Numbers): BlockContents {
    const addresses = new Set<number>();
    const makers = new Set<number>();
    const transactions = new Set<string>();
    let swapCount = 0;
    const reader = new PackedSwaps(bytes);
    while (reader.next()) {
      const { pool, token0, token1 } = numbers.pairOf(reader.pair);
      addresses.add(pool).add(token0).add(token1);
      if (reader.maker !== 0) makers.add(reader.maker);
      transactions.add(reader.transactionHash());
      swapCount++;
    }
    const candles = blockCandles(new PackedSwaps(bytes), number, (pair) => numbers.pairOf(pair));
    const seconds = Math.floor(timestampMs / 1_000);
    return { seconds, swapCount, keys: { number, addresses, makers, transactions }, candles };
  }

  get newest(): number {
    let newest = Number.NEGATIVE_INFINITY;
    for (const number of this.#blocks.keys()) newest = Math.max(newest, number);
    return newest;
  }

  clear(): void {
    this.#blocks.clear();
    this.swapCount = 0;
  }

  add(block: BlockBytes, numbers: Numbers): void {
    const contents = UnindexedBlocks.contents(block, numbers);
    this.#blocks.set(block.number, contents);
    this.swapCount += contents.swapCount;
  }

  /** False where the block is not in here. */
  remove(number: number): boolean {
    this.swapCount -= this.#blocks.get(number)?.swapCount ?? 0;
    return this.#blocks.delete(number);
  }

  contentsOf(number: number): BlockContents | undefined {
    return this.#blocks.get(number);
  }

  /** Block numbers up to `number`, ascending. */
  upTo(number: number): ReadonlyArray<number> {
    return [...this.#blocks.keys()].filter((each) => each <= number).sort((a, b) => a - b);
  }

  /**
   * Numbers of all blocks except the newest ones with this many swaps, at least one block;
   * ascending.
   */
  before(swapCount: number): ReadonlyArray<number> {
    const numbers = this.upTo(Number.POSITIVE_INFINITY);
    let swaps = 0;
    const first = numbers.findLastIndex((number, at) => {
      swaps += this.#blocks.get(number)!.swapCount;
      return swaps > swapCount && at < numbers.length - 1;
    });
    return numbers.slice(0, first + 1);
  }

  /** Numbers of blocks with a pool or a token, the newest first. */
  blocksOf(address: number): ReadonlyArray<number> {
    return this.#numbersWhere(({ keys }) => keys.addresses.has(address));
  }

  /** Numbers of blocks that name a maker, the newest first. */
  blocksBy(maker: number): ReadonlyArray<number> {
    return this.#numbersWhere(({ keys }) => keys.makers.has(maker));
  }

  blocksWith(transactionHash: string): ReadonlyArray<number> {
    return this.#numbersWhere(({ keys }) => keys.transactions.has(transactionHash));
  }

  /**
   * What blocks between two times (in seconds) add to a subject's candles, in the order of the
   * chain.
   */
  *candlesOf(
    subject: number,
    from: number,
    to: number,
  ): Generator<{ readonly seconds: number; readonly draft: CandleDraft }> {
    for (const number of this.upTo(Number.POSITIVE_INFINITY)) {
      const { seconds, candles } = this.#blocks.get(number)!;
      const draft = candles.get(subject);
      if (draft !== undefined && seconds >= from && seconds <= to) yield { seconds, draft };
    }
  }

  #numbersWhere(isWanted: (contents: BlockContents) => boolean): ReadonlyArray<number> {
    const wanted = [...this.#blocks].filter(([, contents]) => isWanted(contents));
    return wanted.map(([number]) => number).sort((a, b) => b - a);
  }
}
