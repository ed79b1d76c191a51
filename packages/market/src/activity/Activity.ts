import type {
  AppliedBlock,
  BlockStamp,
  PoolGraph,
  PoolIndex,
  SwapEvent,
  TokenIndex,
} from "@millrace/core";
import { Background } from "../Background.ts";
import type { Candle, CandleInterval, CandleRange } from "../candles/Candle.ts";
import type { Windowed } from "../MarketData.ts";
import type { PoolSumField, TokenSumField } from "../sortFields.ts";
import { auditWindows, type WindowDisagreement } from "./auditWindows.ts";
import type { BlockRecord } from "./BlockRecords.ts";
import { GraphSubjects } from "./GraphSubjects.ts";
import { idOf, type KeptTrade, placeOf } from "./KeptTrade.ts";
import { type PoolFlow, poolFlows } from "./PoolFlow.ts";
import { packFlows, unpackFlows } from "./packedFlows.ts";
import { type ReadBlock, type ReaderOptions, SwapReader } from "./SwapReader.ts";
import {
  decodeActivity,
  emptyActivity,
  encodeActivity,
  type SavedActivity,
} from "./savedActivity.ts";
import { type Trade, VALUES_A_DOLLAR, WINDOWS, type WindowName } from "./TradedBlock.ts";
import type { WindowTotals } from "./WindowTotals.ts";
import { LONGEST_WINDOW_STEPS, startOfStepMs, stepOf } from "./windowSteps.ts";

export interface ActivityOptions extends ReaderOptions {
  /** See `MarketDataOptions`. */
  readonly tradesMax: number;
  readonly candleBytes: number;
  /** Called when a newest block was taken in, before anything else can be read. */
  readonly onTaken: () => void;
}

/** What was saved, and who is told why it is left aside. */
export interface Restoration {
  readonly saved: Uint8Array | undefined;
  /** Blocks above this number are taken back. */
  readonly savedTo: number;
  readonly onLeftAside: (reason: string) => void;
}

/** A block that waits: the newest one, or one of the past. */
interface Task {
  readonly stamp: BlockStamp;
  readonly swaps: ReadonlyArray<SwapEvent>;
  readonly isPast: boolean;
  /** Hashes of blocks that are to be undone first. */
  readonly orphaned: ReadonlyArray<string>;
}

/** Old records are forgotten once in so many steps: an hour. */
const STEPS_A_SWEEP = 360;

/**
 * What trades in a market: windows, trades and candles, which are those of a plain recount of the
 * blocks that were told and not taken back, at any moment and whatever came before.
 *
 * Blocks are read in slices, in the order in which they come; then what a block did is taken in at
 * once, so that readers see whole blocks. A small block is taken in when `follow` returns.
 */
export class Activity {
  readonly #graph: PoolGraph;
  readonly #onTaken: () => void;
  readonly #state: SavedActivity;
  readonly #graphSubjects: GraphSubjects;
  readonly #reader: SwapReader;
  readonly #background: Background;
  #queue: Task[] = [];
  /** Those of the queue that are done. */
  #done = 0;
  /** What traded before this step is of no window, now or after any reorganisation. */
  #floor = 0;
  #sweptTo = 0; // step

  constructor(options: ActivityOptions, restoration: Restoration) {
    this.#graph = options.graph;
    this.#onTaken = options.onTaken;
    this.#state = restored(options, restoration) ?? emptyActivity(limitsOf(options));
    this.#graphSubjects = new GraphSubjects(options.graph, this.#state.subjects);
    this.#reader = new SwapReader(options, this.#graphSubjects);
    this.#background = new Background(
      () => this.#takeNext(),
      () => this.#done < this.#queue.length,
    );
    for (const record of this.#state.records.above(restoration.savedTo)) this.#undo(record);
    this.#forgetOld();
  }

  /** Takes in a block that the graph shows now. */
  follow({ block }: AppliedBlock): void {
    this.#graphSubjects.follow(block);
    const { stamp, swaps, orphaned = [], history = [] } = block;
    this.#queue.push({ stamp, swaps, orphaned, isPast: false });
    for (const past of history) this.#queue.push({ ...past, orphaned: [], isPast: true });
    this.#background.start();
  }

  /** Takes in all blocks that wait. */
  settle(): void {
    this.#background.finish();
  }

  /** All blocks are taken in. */
  get isSettled(): boolean {
    return this.#background.isIdle;
  }

  stop(): void {
    this.#background.stop();
  }

  /** See `Background.workCount`. */
  get workCount(): number {
    return this.#background.workCount;
  }

  tokenWindows(token: TokenIndex): Windowed {
    return windowed(this.#state.windows.tokens, this.#graphSubjects.ofToken(token));
  }

  poolWindows(pool: PoolIndex): Windowed {
    return windowed(this.#state.windows.pools, this.#graphSubjects.ofPool(pool));
  }

  /** One sum of any token of the graph. */
  tokenSum(field: TokenSumField): (token: number) => number {
    return this.#sum(field, this.#state.windows.tokens, (token) =>
      this.#graphSubjects.ofToken(token),
    );
  }

  /** One sum of any pool of the graph. */
  poolSum(field: PoolSumField): (pool: number) => number {
    return this.#sum(field, this.#state.windows.pools, (pool) => this.#graphSubjects.ofPool(pool));
  }

  /** One sum of many tokens of the graph, in their order. */
  readTokenSums(field: TokenSumField, tokens: Uint32Array, into: Float64Array): void {
    readSums(field, this.#state.windows.tokens, tokens, this.#graphSubjects.linkedTokens, into);
  }

  /** One sum of many pools of the graph, in their order. */
  readPoolSums(field: PoolSumField, pools: Uint32Array, into: Float64Array): void {
    readSums(field, this.#state.windows.pools, pools, this.#graphSubjects.linkedPools, into);
  }

  /** See `MarketData.trades`; an id that is none has nothing before it. */
  trades(pool: PoolIndex, limit: number, before?: string): Trade[] {
    const subject = this.#graphSubjects.ofPool(pool);
    const place = before === undefined ? undefined : placeOf(before);
    const trades: Trade[] = [];
    if (subject < 0 || (before !== undefined && place === undefined)) return trades;
    for (const trade of this.#state.trades.ofPool(subject, place)) {
      if (trades.length >= limit) break;
      trades.push(this.#tradeView(trade));
    }
    return trades;
  }

  hasCandles(token: TokenIndex): boolean {
    const subject = this.#graphSubjects.ofToken(token);
    return subject >= 0 && this.#state.candles.hasToken(subject);
  }

  tokenCandles(token: TokenIndex, interval: CandleInterval, range: CandleRange): Candle[] {
    const subject = this.#graphSubjects.ofToken(token);
    return subject < 0 ? [] : this.#state.candles.ofToken(subject, interval, range);
  }

  poolCandles(pool: PoolIndex, interval: CandleInterval, range: CandleRange): Candle[] {
    const subject = this.#graphSubjects.ofPool(pool);
    return subject < 0 ? [] : this.#state.candles.ofPool(subject, interval, range);
  }

  /** All of it as bytes, waiting blocks included. */
  save(): Uint8Array {
    this.settle();
    return encodeActivity(this.#graph.chainId, this.#state);
  }

  /**
   * Counts the windows of some pools and tokens once more, and tells where readers are told
   * something else. Each call takes others, of those that traded.
   */
  audit(count: number): WindowDisagreement[] {
    return auditWindows(this.#state, count);
  }

  get candleBytes(): number {
    return this.#state.candles.byteLength;
  }

  /** Bytes of windows and of what they need; trades, candles and records are apart. */
  get byteLength(): number {
    return this.#state.windows.byteLength + this.#graphSubjects.byteLength;
  }

  *#takeNext(): Generator<void> {
    const task = this.#queue[this.#done]!;
    const swaps = this.#isWanted(task) ? task.swaps : [];
    const block = yield* this.#reader.read(task.stamp, swaps);
    const flows = yield* poolFlows(block);
    this.#take(task, block, flows);
    if (!task.isPast) this.#onTaken();
    this.#done++;
    if (2 * this.#done < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#done);
    this.#done = 0;
  }

  /** Whether a block's swaps are to be counted: they are not yet, and not too old. */
  #isWanted({ stamp, isPast }: Task): boolean {
    if (this.#state.records.find(stamp.hash) !== undefined) return false;
    return !isPast || stepOf(stamp.timestampMs) >= this.#floor;
  }

  /** Takes in what a block did; in one step. */
  #take({ stamp, orphaned, isPast }: Task, block: ReadBlock, flows: ReadonlyArray<PoolFlow>): void {
    const { windows, records, trades, candles, subjects } = this.#state;
    for (const hash of orphaned) this.#undo(records.find(hash));
    if (isPast) this.#undo(records.rivalOf(stamp));
    // What a restart or a lost message left of a branch that the chain went back on.
    else for (const record of records.deniedBy(stamp)) this.#undo(record);
    const step = stepOf(stamp.timestampMs);
    if (!isPast && step !== windows.end) {
      windows.moveTo(step);
      this.#forgetOld();
    }
    if (block.swaps.length === 0) return;
    windows.reserve(subjects.pools.count, subjects.tokens.count);
    windows.add(step, flows, 1);
    records.add(stamp, packFlows(flows));
    if (isPast) {
      trades.addPast(block);
      candles.addPast(block, block);
    } else {
      trades.add(block);
      candles.add(block, block.tokenPriceUsd);
    }
  }

  #undo(record: BlockRecord | undefined): void {
    if (record === undefined) return;
    const { windows, records, trades, candles } = this.#state;
    const { stamp, flows } = record;
    // Of a block too old to be undone the sums stay until they leave their windows.
    if (flows !== undefined) windows.add(stepOf(stamp.timestampMs), unpackFlows(flows), -1);
    records.remove(record);
    trades.undo(stamp);
    candles.undo(stamp);
  }

  /**
   * Forgets what no window can reach any more. A reorganisation takes the end of all windows back
   * to the earliest block that can be undone, and not further.
   */
  #forgetOld(): void {
    const { windows, records } = this.#state;
    const earliestMs = records.earliestKeptMs();
    const earliest = earliestMs === undefined ? windows.end : stepOf(earliestMs);
    this.#floor = Math.min(windows.end, earliest) - LONGEST_WINDOW_STEPS + 1;
    windows.drop(this.#floor);
    if (Math.abs(this.#floor - this.#sweptTo) < STEPS_A_SWEEP) return;
    this.#sweptTo = this.#floor;
    records.drop(startOfStepMs(this.#floor));
  }

  #sum(
    field: TokenSumField | PoolSumField,
    totals: WindowTotals,
    subjectOf: (index: number) => number,
  ): (index: number) => number {
    const { window, what } = SUMS[field];
    return (index) => {
      const subject = subjectOf(index);
      return subject < 0 ? 0 : totals[what](subject, window);
    };
  }

  #tradeView(trade: KeptTrade): Trade {
    const { pools, tokens } = this.#state.subjects;
    return {
      id: idOf(trade),
      stamp: trade.stamp,
      pool: pools.addressOf(trade.pool),
      transactionHash: trade.transactionHash,
      tokenIn: tokens.addressOf(trade.tokenIn),
      tokenOut: tokens.addressOf(trade.tokenOut),
      amountIn: trade.amountIn,
      amountOut: trade.amountOut,
      valueUsd: trade.value / VALUES_A_DOLLAR,
      logIndex: trade.logIndex,
    };
  }
}

/** What was saved, when it is of this chain and whole. */
function restored(
  options: ActivityOptions,
  { saved, onLeftAside }: Restoration,
): SavedActivity | undefined {
  if (saved === undefined) return undefined;
  const decoded = decodeActivity(saved, options.graph.chainId, limitsOf(options));
  if (typeof decoded !== "string") return decoded;
  onLeftAside(decoded);
  return undefined;
}

function limitsOf({ graph, tradesMax, candleBytes }: ActivityOptions) {
  return { end: stepOf(graph.stamp.timestampMs), tradesMax, candleBytes };
}

function windowed(totals: WindowTotals, subject: number): Windowed {
  return {
    "5m": totals.sums(subject, 0),
    "1h": totals.sums(subject, 1),
    "6h": totals.sums(subject, 2),
    "24h": totals.sums(subject, 3),
  };
}

const indexOf = (name: WindowName) => WINDOWS.findIndex((window) => window.name === name);

const SUMS = {
  volume24h: { window: indexOf("24h"), what: "volumeUsd" },
  volume6h: { window: indexOf("6h"), what: "volumeUsd" },
  volume1h: { window: indexOf("1h"), what: "volumeUsd" },
  volume5m: { window: indexOf("5m"), what: "volumeUsd" },
  txns24h: { window: indexOf("24h"), what: "transactions" },
  buys24h: { window: indexOf("24h"), what: "buys" },
  sells24h: { window: indexOf("24h"), what: "sells" },
} as const;

function readSums(
  field: TokenSumField | PoolSumField,
  totals: WindowTotals,
  indexes: Uint32Array,
  linked: Uint32Array,
  into: Float64Array,
): void {
  const { window, what } = SUMS[field];
  // Read in the order in which subjects lie first: what lies together is read together.
  const column = totals.column(what, window);
  for (let at = 0; at < indexes.length; at++) into[at] = column[linked[indexes[at]!] ?? 0] ?? 0;
}
