import { join } from "node:path";
import {
  embeddedHistory,
  type HistoryChange,
  type HistoryError,
  type HistoryStore,
} from "@millrace/history";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { median, quantile } from "../statistics.ts";
import { HistoryTraffic } from "./HistoryTraffic.ts";
import { quotesBeside } from "./quotesBeside.ts";
import { tileHistory } from "./tiledHistory.ts";

const FULL = {
  market: { pools: 20_000, tokens: 15_000, makers: 200_000 },
  minutes: 10,
  beside: { rounds: 9, roundSeconds: 5, trades: 2_500 },
  /** Swaps of a block; with a block a minute, one day is repeated `days` times. */
  daySwaps: 240,
  days: 300,
  largeBlock: 20_000,
  rounds: 9,
};
const SMOKE: typeof FULL = {
  market: { pools: 200, tokens: 100, makers: 300 },
  minutes: 0.03,
  beside: { rounds: 1, roundSeconds: 1, trades: 100 },
  daySwaps: 3,
  days: 3,
  largeBlock: 500,
  rounds: 2,
};
const DAY_BLOCKS = 1_440;
const MONTH_MINUTES = 43_200;
const SWAPS_A_SECOND = 2_000;
const BATCH_SWAPS = 2_000;
/** Swaps of one page. */
const PAGE = 100;
const RARE = 0.9;

/**
 * The store of a history in a file: writes in real time and their cost to the thread that sends
 * them, a large block, quotes beside the writes, and reads of one month among many, with SQLite's
 * caches cold and warm.
 */
export const history = (
  smoke: boolean,
  minutes?: number,
): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.gen(function* () {
    const sizes = smoke ? SMOKE : FULL;
    const seconds = Math.ceil(60 * (minutes ?? sizes.minutes));
    const traffic = new HistoryTraffic({ ...sizes.market, blockSeconds: 1 });
    const beside = quotesBeside(sizes.beside, () => nextChanges(traffic, SWAPS_A_SECOND));
    return [
      ...(yield* timeWrites(sizes, seconds)),
      ...(yield* Effect.scoped(beside)),
      ...(yield* timeReads(sizes, smoke)),
    ];
  }).pipe(
    Effect.scoped,
    Effect.mapError(({ message }) => new BenchmarkError({ message })),
  );

const timeWrites = Effect.fnUntraced(function* (sizes: typeof FULL, seconds: number) {
  const path = join(yield* temporaryFolder, "writes.sqlite");
  const store = yield* embeddedHistory({ path, chainId: 1 });
  const traffic = new HistoryTraffic({ ...sizes.market, blockSeconds: 1 });
  const behindMs = new Float64Array(seconds);
  const start = performance.now();
  let sendingMs = 0;
  for (let second = 0; second < seconds; second++) {
    const changes = nextChanges(traffic, SWAPS_A_SECOND);
    const due = start + 1_000 * second;
    yield* Effect.sleep(Math.max(0, due - performance.now()));
    const before = performance.eventLoopUtilization();
    yield* store.write(changes);
    sendingMs += performance.eventLoopUtilization(before).active;
    behindMs[second] = performance.now() - due;
  }
  const large = nextChanges(traffic, sizes.largeBlock);
  const before = performance.now();
  yield* store.write(large);
  const largeMs = performance.now() - before;
  const { swaps, bytes } = yield* store.size;
  const perSwap = (1_000 * sendingMs) / (seconds * SWAPS_A_SECOND);
  return [
    { name: "history.writes.minutes", value: seconds / 60, unit: "minutes" },
    { name: "history.writes.behind.p50", value: quantile(behindMs, 0.5), unit: "ms" },
    { name: "history.writes.behind.p99", value: quantile(behindMs, 0.99), unit: "ms" },
    { name: "history.writes.behind.worst", value: Math.max(...behindMs), unit: "ms" },
    { name: "history.writes.sending", value: perSwap, unit: "µs" },
    { name: "history.writes.bytes", value: bytes / swaps, unit: "bytes" },
    { name: "history.large-block.swaps", value: sizes.largeBlock, unit: "swaps" },
    { name: "history.large-block", value: largeMs, unit: "ms" },
  ] satisfies ReadonlyArray<Figure>;
});

const timeReads = Effect.fnUntraced(function* (sizes: typeof FULL, isChecked: boolean) {
  const path = join(yield* temporaryFolder, "reads.sqlite");
  const traffic = new HistoryTraffic({ ...sizes.market, blockSeconds: 60 });
  yield* Effect.scoped(fillDay(path, traffic, sizes));
  tileHistory(path, sizes.days);
  const size = yield* Effect.scoped(sizeOf(path, isChecked));
  const { pools, tokens } = traffic;
  const [busy, rare] = [pools[0]!, pools[Math.floor(RARE * pools.length)]!];
  const month = (store: HistoryStore) =>
    store.candles({
      of: { kind: "pair", pool: busy.address, token0: busy.tokens[0], token1: busy.tokens[1] },
      seconds: 60,
      limit: MONTH_MINUTES,
    });
  const page = (kind: "pool" | "token", address: typeof busy.address) => (store: HistoryStore) =>
    store.trades({ of: { kind, address }, limit: PAGE });
  const reads = {
    month,
    "page.busy-pool": page("pool", busy.address),
    "page.rare-pool": page("pool", rare.address),
    "page.busy-token": page("token", tokens[0]!),
    "page.rare-token": page("token", tokens[Math.floor(RARE * tokens.length)]!),
  };
  const figures: Figure[] = [
    { name: "history.rows", value: size.swaps, unit: "swaps" },
    { name: "history.size", value: size.bytes / 1e6, unit: "MB" },
  ];
  for (const [name, read] of Object.entries(reads)) {
    const { coldMs, warmMs, hotMs, count } = yield* timeRead(path, read, sizes.rounds);
    figures.push(
      { name: `history.${name}.rows`, value: count, unit: "rows" },
      { name: `history.${name}.cold`, value: coldMs, unit: "ms" },
      { name: `history.${name}.warm`, value: warmMs, unit: "ms" },
      { name: `history.${name}.hot`, value: hotMs, unit: "ms" },
    );
  }
  return figures;
});

/** A day of blocks; `tileHistory` leaves out the newest ones, which are in no index yet. */
const fillDay = Effect.fnUntraced(function* (
  path: string,
  traffic: HistoryTraffic,
  { daySwaps }: typeof FULL,
) {
  const store = yield* embeddedHistory({ path, chainId: 1 });
  const atOnce = Math.ceil(BATCH_SWAPS / daySwaps);
  for (let left = DAY_BLOCKS; left > 0; left -= atOnce) {
    const blocks = Array.from({ length: Math.min(left, atOnce) });
    yield* store.write(blocks.flatMap(() => nextChanges(traffic, daySwaps)));
  }
});

/** The size of a tiled file. Fails if it is to be checked and the store finds it unsound. */
const sizeOf = Effect.fnUntraced(function* (path: string, isChecked: boolean) {
  const store = yield* embeddedHistory({ path, chainId: 1 });
  const { blocks, findings } = isChecked ? yield* store.check : { blocks: [], findings: [] };
  if (blocks.length + findings.length > 0) {
    return yield* new BenchmarkError({ message: `not sound: ${blocks.join()} ${findings.join()}` });
  }
  return yield* store.size;
});

/** Reads that are not counted, after which a new thread has compiled its code. */
const READS_BETWEEN = 10;

/**
 * Medians over stores that have just been opened: of the first read (cold), of the second (warm),
 * and of one after some more (hot), as in a service that has run for a while.
 */
const timeRead = Effect.fnUntraced(function* (
  path: string,
  read: (store: HistoryStore) => Effect.Effect<ReadonlyArray<unknown>, HistoryError>,
  rounds: number,
) {
  const coldMs: number[] = [];
  const warmMs: number[] = [];
  const hotMs: number[] = [];
  const between = Array.from({ length: READS_BETWEEN }, (): number[] => []);
  let count = 0;
  for (let round = 0; round < rounds; round++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const store = yield* embeddedHistory({ path, chainId: 1 });
        for (const times of [coldMs, warmMs, ...between, hotMs]) {
          const before = performance.now();
          count = (yield* read(store)).length;
          times.push(performance.now() - before);
        }
      }),
    );
  }
  return { coldMs: median(coldMs), warmMs: median(warmMs), hotMs: median(hotMs), count };
});

/** A block, and the range that says it is covered. */
function nextChanges(traffic: HistoryTraffic, swapCount: number): HistoryChange[] {
  const block = traffic.next(swapCount);
  const { number, hash, timestampMs } = block.stamp;
  const range = {
    fromBlock: number,
    toBlock: number,
    fromMs: timestampMs,
    blocks: [{ number, hash }],
  };
  return [
    { kind: "block", block },
    { kind: "covered", range },
  ];
}
