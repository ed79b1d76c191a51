import type { BlockStamp } from "@millrace/core";
import type {
  CandlesQuery,
  CoveredRange,
  HistoryBlock,
  HistoryCandle,
  HistoryChange,
  HistorySwap,
  HistoryTrade,
  StatesQuery,
  StoredState,
  TradesQuery,
} from "@millrace/history";

const DAY_MS = 86_400_000;

/** A history that keeps a list of blocks, and counts everything anew each time it is asked. */
export class PlainHistory {
  readonly #blocks = new Map<number, HistoryBlock>();
  readonly #covered = new Map<number, string>();
  #states: StoredState[] = [];

  write(changes: ReadonlyArray<HistoryChange>): void {
    for (const change of changes) {
      if (change.kind === "block") {
        const { stamp, swaps } = change.block;
        if (this.#replace(stamp) && this.#covered.get(stamp.number)) {
          this.#covered.set(stamp.number, stamp.hash);
        }
        if (swaps.length > 0 && !this.#blocks.has(stamp.number)) {
          this.#blocks.set(stamp.number, change.block);
        }
      } else if (change.kind === "covered") {
        const { fromBlock, toBlock, blocks } = change.range;
        for (const stamp of blocks) this.#replace(stamp);
        for (let number = fromBlock; number <= toBlock; number++) this.#covered.set(number, "");
        for (const { number, hash } of blocks) this.#covered.set(number, hash);
      } else if (change.kind === "revert") {
        for (const hash of change.hashes) this.#revert(hash);
      } else if (change.kind === "revertStates") {
        const reverted = new Set(change.hashes);
        this.#states = this.#states.filter(({ stamp }) => !reverted.has(stamp.hash));
      } else if (change.kind === "revertAbove") {
        const isAbove = (number: number) => number > change.number;
        for (const number of [...this.#covered.keys()].filter(isAbove))
          this.#covered.delete(number);
        for (const number of [...this.#blocks.keys()].filter(isAbove)) this.#blocks.delete(number);
        this.#states = this.#states.filter(({ stamp }) => !isAbove(stamp.number));
      } else if (change.kind === "forgetUncovered") {
        for (const number of this.#blocks.keys()) {
          if (!this.#covered.has(number)) this.#blocks.delete(number);
        }
      } else if (change.kind === "state") {
        this.#states = this.#states.filter(
          ({ kind, stamp }) =>
            kind !== change.state.kind || stamp.number !== change.state.stamp.number,
        );
        this.#states.push(change.state);
      } else {
        this.#forget(change.beforeMs);
      }
    }
  }

  blocks(): HistoryBlock[] {
    return [...this.#blocks.values()].sort((a, b) => a.stamp.number - b.stamp.number);
  }

  /** From … to of each range. */
  coverage(): Array<Pick<CoveredRange, "fromBlock" | "toBlock">> {
    const ranges: Array<{ fromBlock: number; toBlock: number }> = [];
    for (const number of [...this.#covered.keys()].sort((a, b) => a - b)) {
      const last = ranges.at(-1);
      if (last?.toBlock === number - 1) last.toBlock = number;
      else ranges.push({ fromBlock: number, toBlock: number });
    }
    return ranges;
  }

  trades({
    of,
    pair,
    maker,
    before,
    fromMs = 0,
    toMs = Infinity,
    limit,
  }: TradesQuery): HistoryTrade[] {
    const isOf = (swap: HistorySwap) => {
      if (of.kind === "transaction") return swap.transactionHash === of.hash;
      if (of.kind === "pool") return swap.pool === of.address;
      if (of.kind === "maker") return swap.maker === of.address;
      return swap.tokenIn === of.address || swap.tokenOut === of.address;
    };
    const isOfPair = ({ tokenIn, tokenOut }: HistorySwap) =>
      pair === undefined || (pair.includes(tokenIn) && pair.includes(tokenOut));
    const isBefore = ({ stamp, logIndex }: HistoryTrade) =>
      before === undefined ||
      stamp.number < before.blockNumber ||
      (stamp.number === before.blockNumber && logIndex < before.logIndex);
    return this.blocks()
      .flatMap(({ stamp, swaps }) => swaps.map((swap) => ({ ...swap, stamp })))
      .filter(({ stamp }) => stamp.timestampMs >= fromMs && stamp.timestampMs <= toMs)
      .filter((trade) => maker === undefined || trade.maker === maker)
      .filter((trade) => isOf(trade) && isOfPair(trade) && isBefore(trade))
      .reverse()
      .slice(0, limit);
  }

  candles({ of, seconds, fromMs = 0, toMs = Infinity, limit }: CandlesQuery): HistoryCandle[] {
    const starts = new Map<number, { prices: number[]; value: number }>();
    for (const { stamp, swaps, prices } of this.blocks()) {
      const startMs = Math.floor(stamp.timestampMs / 1_000 / seconds) * seconds * 1_000;
      if (startMs < fromMs || startMs > toMs) continue;
      for (const swap of swaps) {
        const tokens = [swap.tokenIn, swap.tokenOut];
        const isOf =
          of.kind === "token"
            ? tokens.includes(of.token)
            : swap.pool === of.pool && tokens.includes(of.token0) && tokens.includes(of.token1);
        if (!isOf) continue;
        const candle = starts.get(startMs) ?? { prices: [], value: 0 };
        starts.set(startMs, candle);
        const price = of.kind === "token" ? prices.get(of.token) : swap.priceAfter;
        if (price !== undefined && price > 0) candle.prices.push(price);
        candle.value += swap.value;
      }
    }
    return [...starts]
      .filter(([, { prices }]) => prices.length > 0)
      .sort(([a], [b]) => a - b)
      .slice(-limit)
      .map(([startMs, { prices, value }]) => ({
        startMs,
        open: prices[0]!,
        high: Math.max(...prices),
        low: Math.min(...prices),
        close: prices.at(-1)!,
        volumeUsd: value / 10_000,
      }));
  }

  states({ asOf }: StatesQuery): StoredState[] {
    const checkpoint = this.#states
      .filter(({ kind, stamp }) => kind === "checkpoint" && stamp.number <= asOf)
      .sort((a, b) => b.stamp.number - a.stamp.number)[0];
    if (checkpoint === undefined) return [];
    const deltas = this.#states
      .filter(
        ({ kind, stamp: { number } }) =>
          kind === "delta" && number >= checkpoint.stamp.number && number <= asOf,
      )
      .sort((a, b) => a.stamp.number - b.stamp.number);
    return [checkpoint, ...deltas];
  }

  /** Whether a block of another hash stood in its place, which goes. */
  #replace({ number, hash }: Pick<BlockStamp, "number" | "hash">): boolean {
    const kept = this.#blocks.get(number);
    if (kept === undefined || kept.stamp.hash === hash) return false;
    this.#blocks.delete(number);
    this.#states = this.#states.filter(({ stamp }) => stamp.hash !== kept.stamp.hash);
    return true;
  }

  #forget(beforeMs: number): void {
    const checkpoints = this.#states.filter(
      ({ kind, stamp }) => kind === "checkpoint" && stamp.timestampMs < beforeMs,
    );
    const last = Math.max(...checkpoints.map(({ stamp }) => stamp.number));
    this.#states = this.#states.filter(({ stamp }) => stamp.number >= last);
    const dayMs = Math.floor(beforeMs / DAY_MS) * DAY_MS;
    const old = this.blocks().filter(({ stamp }) => stamp.timestampMs < dayMs);
    for (const { stamp } of old) this.#blocks.delete(stamp.number);
    const newest = old.at(-1)?.stamp.number ?? -1;
    for (const number of this.#covered.keys()) if (number <= newest) this.#covered.delete(number);
  }

  #revert(hash: string): void {
    const reverted =
      [...this.#covered].find(([, covered]) => covered === hash)?.[0] ??
      this.blocks().find(({ stamp }) => stamp.hash === hash)?.stamp.number;
    if (reverted !== undefined) this.#covered.delete(reverted);
    for (const [number, { stamp }] of this.#blocks) {
      if (stamp.hash === hash) this.#blocks.delete(number);
    }
    this.#states = this.#states.filter(({ stamp }) => stamp.hash !== hash);
  }
}
