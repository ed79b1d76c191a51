import type { AppliedBlock, BlockStamp, SwapEvent } from "@millrace/core";
import { LaterPrices } from "../candles/LaterPrices.ts";
import { pastPrices } from "../candles/pastPrices.ts";
import { type ArchivedBlock, archivedBlock } from "./ArchivedBlock.ts";
import type { BlockRecord } from "./BlockRecords.ts";
import type { GraphSubjects } from "./GraphSubjects.ts";
import { poolFlows } from "./PoolFlow.ts";
import { packFlows, unpackFlows } from "./packedFlows.ts";
import { type ReaderOptions, SwapReader, Worths } from "./SwapReader.ts";
import type { SavedActivity } from "./savedActivity.ts";
import type { TradedBlock } from "./TradedBlock.ts";
import { WorkQueue } from "./WorkQueue.ts";
import { LONGEST_WINDOW_STEPS, startOfStepMs, stepOf } from "./windowSteps.ts";

export interface IntakeOptions extends ReaderOptions {
  /** Called when a newest block, or the last waiting one, was taken in, before anything is read. */
  readonly onTaken: () => void;
  /** See `MarketDataOptions.archive`. */
  readonly archive?: ((block: ArchivedBlock) => void) | undefined;
}

/** A waiting block: the newest one, or one of the past. */
interface WaitingBlock {
  readonly stamp: BlockStamp;
  readonly swaps: ReadonlyArray<SwapEvent>;
  readonly isPast: boolean;
  /** Hashes of blocks to be undone first. */
  readonly orphaned: ReadonlyArray<string>;
  /** Values of its tokens: when the block came, or, for a block of the past, today. */
  readonly worths: Worths;
}

/** Old records are forgotten once in this many steps: an hour. */
const STEPS_A_SWEEP = 360;

/**
 * Takes blocks into windows, trades and candles. Blocks are read in slices, in the order in which
 * they come; then the effects of each are applied at once, so that readers see whole blocks. A
 * small block is taken in when `follow` returns.
 */
export class Intake {
  /** Others can queue work that must see whole blocks. */
  readonly queue = new WorkQueue();
  readonly #state: SavedActivity;
  readonly #graphSubjects: GraphSubjects;
  readonly #reader: SwapReader;
  readonly #onTaken: () => void;
  readonly #archive: ((block: ArchivedBlock) => void) | undefined;
  readonly #laterPrices = new LaterPrices();
  #waiting = 0;
  #changeCount = 0;
  #sweptTo = 0; // step

  /** Goes on from a state; the effects of blocks above `savedTo` are reverted. */
  constructor(
    options: IntakeOptions,
    state: SavedActivity,
    graphSubjects: GraphSubjects,
    savedTo: number,
  ) {
    this.#state = state;
    this.#graphSubjects = graphSubjects;
    this.#reader = new SwapReader(options, graphSubjects);
    this.#onTaken = options.onTaken;
    this.#archive = options.archive;
    for (const record of state.records.above(savedTo)) this.#undo(record);
    this.#forgetOld();
  }

  /** Number of blocks not taken in yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Grows whenever an answer may have changed. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** Takes in a block that the graph shows now. */
  follow({ block }: AppliedBlock): void {
    this.#graphSubjects.follow(block);
    const { stamp, swaps, orphaned = [], history = [] } = block;
    const worths = this.#reader.worths(swaps);
    const waiting: WaitingBlock[] = [
      { stamp, swaps, orphaned, worths, isPast: false },
      ...history.map((past) => ({ ...past, orphaned: [], worths: new Worths(), isPast: true })),
    ];
    this.#waiting += waiting.length;
    this.queue.add(waiting.map((each) => () => this.#takeIn(each)));
  }

  *#takeIn(waiting: WaitingBlock): Generator<void> {
    const { stamp, worths, isPast, orphaned } = waiting;
    const { windows, records, trades, candles, subjects } = this.#state;
    const isCounted = this.#isWanted(waiting);
    const isRead = isCounted || this.#archive !== undefined;
    const read = yield* this.#reader.read(stamp, isRead ? waiting.swaps : [], worths);
    const block = isCounted ? read : { stamp, swaps: [] };
    const flows = yield* poolFlows(block);
    const past = isPast ? yield* candles.pastPrices(block, worths) : undefined;
    const priceUsd = past === undefined ? worths.tokenPriceUsd : priceOf(past);
    const blockCandles = yield* candles.read(block, priceUsd);
    const denied = () => (isPast ? [records.rivalOf(stamp)] : records.deniedBy(stamp));
    const reverted = [...orphaned, ...denied().flatMap((record) => record?.stamp.hash ?? [])];
    const archived =
      this.#archive &&
      (isCounted
        ? yield* archivedBlock(read, reverted, subjects, priceUsd)
        : yield* this.#archivedPast(read, reverted, worths));

    // Nothing yields from here until everything is taken in.
    if (archived !== undefined) this.#archive!(archived);
    for (const hash of orphaned) this.#undo(records.find(hash));
    // What a restart or a lost message left of a branch that the chain has abandoned.
    for (const record of denied()) this.#undo(record);
    const step = stepOf(stamp.timestampMs);
    if (!isPast && step !== windows.end) {
      windows.moveTo(step);
      this.#forgetOld();
    }
    if (block.swaps.length > 0) {
      windows.reserve(subjects.pools.count, subjects.tokens.count);
      windows.add(step, flows, 1);
      records.add(stamp, packFlows(flows));
      if (isPast) trades.addPast(block);
      else trades.add(block);
      candles.add(blockCandles);
    }
    this.#waiting--;
    this.#changeCount++;
    if (!isPast || this.#waiting === 0) this.#onTaken();

    yield* candles.settleOldest(blockCandles);
    this.#changeCount++;
  }

  /** A block that no window reaches: it is valued at the prices of its time. */
  *#archivedPast(
    block: TradedBlock,
    reverted: ReadonlyArray<string>,
    worths: Worths,
  ): Generator<void, ArchivedBlock> {
    const { timestampMs } = block.stamp;
    const near = (token: number) => this.#laterPrices.near(token, timestampMs);
    const prices = yield* pastPrices(block, this.#laterPrices.instead(worths), near);
    this.#laterPrices.note(prices, timestampMs);
    const priceUsd = priceOf(prices);
    const valued = this.#reader.revalued(block, worths, priceUsd);
    return yield* archivedBlock(valued, reverted, this.#state.subjects, priceUsd);
  }

  /** Whether a block's swaps are to be counted: they are not counted yet, and not too old. */
  #isWanted({ stamp, isPast }: WaitingBlock): boolean {
    if (this.#state.records.find(stamp.hash) !== undefined) return false;
    return !isPast || stepOf(stamp.timestampMs) >= this.#floor;
  }

  #undo(record: BlockRecord | undefined): void {
    if (record === undefined) return;
    const { windows, records, trades, candles } = this.#state;
    const { stamp, flows } = record;
    // The sums of a block too old to be undone stay until they leave their windows.
    if (flows !== undefined) windows.add(stepOf(stamp.timestampMs), unpackFlows(flows), -1);
    records.remove(record);
    trades.undo(stamp);
    candles.undo(stamp);
  }

  /** Trades before this step are in no window, now or after any reorganisation. */
  get #floor(): number {
    const { windows, records } = this.#state;
    // A reorganisation moves the end of all windows back to the newest settled block at most.
    return Math.min(windows.end, stepOf(records.settledMs)) - LONGEST_WINDOW_STEPS + 1;
  }

  /** Forgets what no window can reach any more. */
  #forgetOld(): void {
    const { windows, records } = this.#state;
    const floor = this.#floor;
    windows.drop(floor);
    if (Math.abs(floor - this.#sweptTo) < STEPS_A_SWEEP) return;
    this.#sweptTo = floor;
    records.drop(startOfStepMs(floor));
  }
}

const priceOf =
  (prices: ReadonlyMap<number, number>) =>
  (token: number): number =>
    prices.get(token) ?? 0;
