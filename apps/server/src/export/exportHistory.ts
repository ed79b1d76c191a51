import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type { Address } from "@millrace/core";
import {
  type CandlesQuery,
  chainOfHistory,
  embeddedHistory,
  type HistoryBlock,
  HistoryError,
  type HistoryStore,
} from "@millrace/history";
import { Effect } from "effect";
import { type ExportColumn, exportedCandle, TRADE_COLUMNS } from "./columns.ts";
import { csvFile, parquetFile } from "./rowFiles.ts";

/** A time in Unix ms, or the number of a block. */
export type ExportEnd = { readonly timeMs: number } | { readonly block: number };

export interface ExportOptions {
  /** The history's file; it is only read, and a service may write it meanwhile. */
  readonly file: string;
  readonly out: string;
  readonly format: "csv" | "parquet";
  /** Both inclusive; all that is kept without them. */
  readonly from?: ExportEnd | undefined;
  readonly to?: ExportEnd | undefined;
  readonly what:
    | { readonly kind: "trades" }
    | { readonly kind: "candles"; readonly seconds: number; readonly token: Address }
    /** Without `pair`, the two tokens are those of the pool's newest trade. */
    | {
        readonly kind: "candles";
        readonly seconds: number;
        readonly pool: Address;
        readonly pair?: readonly [Address, Address] | undefined;
      };
}

export interface ExportResult {
  readonly rows: number;
  /**
   * Blocks of the span whose swaps are not kept, between blocks whose swaps are; both ends
   * inclusive.
   */
  readonly gaps: ReadonlyArray<{ readonly fromBlock: number; readonly toBlock: number }>;
}

/** Trades, or candles, that are read at once. */
const READ_AT_ONCE = 5_000;

/**
 * Writes the trades or candles of a span of time into a file, in parts, the oldest first. The file
 * gets its name once it is complete. An export of trades fails where exported blocks are reverted
 * meanwhile: the rest would be of another branch of the chain.
 */
export const exportHistory = Effect.fnUntraced(function* (options: ExportOptions) {
  const { file: path, what } = options;
  const chainId = yield* chainOfHistory(path);
  const store = yield* embeddedHistory({ path, chainId, isReadOnly: true });
  const gaps = yield* gapsIn(store, options);
  if (what.kind === "trades") {
    const writeTrades = (write: WriteRows<Trade>) => trades(store, options, write);
    return { gaps, rows: yield* writeFile(options, TRADE_COLUMNS, writeTrades) };
  }
  const of = yield* subjectOf(store, what);
  const { kind: _, ...subject } = of;
  const rows = yield* writeFile(options, exportedCandle(subject), (write) =>
    candles(store, options, { of, seconds: what.seconds }, write),
  );
  return { gaps, rows };
}, Effect.scoped);

type Trade = Parameters<(typeof TRADE_COLUMNS)[number]["of"]>[0];

const gapsIn = Effect.fnUntraced(function* (
  store: HistoryStore,
  { from = { block: 0 }, to = { block: Number.MAX_SAFE_INTEGER } }: ExportOptions,
): Effect.fn.Return<ExportResult["gaps"], HistoryError> {
  const firstSince = (fromMs: number) =>
    Effect.map(
      store.blocks({ after: -1, fromMs, swapsMax: 1 }),
      ([block]) => block?.stamp.number ?? Number.MAX_SAFE_INTEGER,
    );
  const first = "block" in from ? from.block : yield* firstSince(from.timeMs);
  const last = "block" in to ? to.block : (yield* firstSince(to.timeMs + 1)) - 1;
  const ranges = yield* store.coverage;
  return ranges.slice(1).flatMap((range, index) => {
    const fromBlock = Math.max(first, ranges[index]!.toBlock + 1);
    const toBlock = Math.min(last, range.fromBlock - 1);
    return fromBlock <= toBlock ? [{ fromBlock, toBlock }] : [];
  });
});

type WriteRows<Row> = (rows: ReadonlyArray<Row>) => Effect.Effect<void, HistoryError>;

const writeFile = <Row>(
  { out, format }: ExportOptions,
  columns: ReadonlyArray<ExportColumn<Row>>,
  produce: (write: WriteRows<Row>) => Effect.Effect<void, HistoryError>,
): Effect.Effect<number, HistoryError> => {
  const part = `${out}.part`;
  const writing = (file: FileHandle) =>
    Effect.gen(function* () {
      const rowFile = yield* attempt(() =>
        format === "csv" ? csvFile(file, columns) : parquetFile(file, columns),
      );
      let count = 0;
      yield* produce((rows) => {
        count += rows.length;
        return attempt(() => rowFile.write(rows));
      });
      yield* attempt(() => rowFile.end());
      yield* attempt(() => file.sync());
      return count;
    });
  return Effect.acquireUseRelease(
    attempt(() => open(part, "w")),
    writing,
    (file) => Effect.promise(() => file.close()),
  ).pipe(
    Effect.tap(() => attempt(() => rename(part, out))),
    Effect.onError(() => Effect.promise(() => rm(part, { force: true }))),
  );
};

const trades = Effect.fnUntraced(function* (
  store: HistoryStore,
  { from, to }: ExportOptions,
  write: WriteRows<Trade>,
) {
  let after = from !== undefined && "block" in from ? from.block - 1 : -1;
  let written: HistoryBlock | undefined;
  const last = to !== undefined && "block" in to ? to.block : Number.MAX_SAFE_INTEGER;
  const times = { fromMs: timeOf(from), toMs: timeOf(to) };
  for (;;) {
    // Reads the last block once more: a reorganisation that reverts earlier blocks reverts it, too.
    const swapsMax = READ_AT_ONCE + (written?.swaps.length ?? 0);
    const read = [...(yield* store.blocks({ after, ...times, swapsMax }))];
    if (written !== undefined && read.shift()?.stamp.hash !== written.stamp.hash) {
      return yield* new HistoryError({ reason: "Unavailable", detail: REVERTED });
    }
    const blocks = read.filter(({ stamp }) => stamp.number <= last);
    if (blocks.length > 0) {
      yield* write(blocks.flatMap(({ stamp, swaps }) => swaps.map((swap) => ({ ...swap, stamp }))));
    }
    written = blocks.at(-1);
    if (written === undefined || blocks.length < read.length) return;
    after = written.stamp.number - 1;
  }
});

const REVERTED = "blocks were taken back while they were exported: it can be tried again";

const timeOf = (end: ExportEnd | undefined): number | undefined =>
  end !== undefined && "timeMs" in end ? end.timeMs : undefined;

const candles = Effect.fnUntraced(function* (
  store: HistoryStore,
  { from, to }: ExportOptions,
  query: Pick<CandlesQuery, "of" | "seconds">,
  write: WriteRows<Effect.Success<ReturnType<HistoryStore["candles"]>>[number]>,
) {
  const first = yield* firstMoment(store, from ?? { block: 0 });
  const last = yield* lastMoment(store, query.of, to ?? { timeMs: Date.now() });
  if (first === undefined || last === undefined) return;
  const stepMs = 1_000 * query.seconds;
  const beginMs = Math.floor(first / stepMs) * stepMs;
  for (let fromMs = beginMs; fromMs <= last; fromMs += READ_AT_ONCE * stepMs) {
    const toMs = Math.min(last, fromMs + READ_AT_ONCE * stepMs - 1);
    const rows = yield* store.candles({ ...query, fromMs, toMs, limit: READ_AT_ONCE });
    if (rows.length > 0) yield* write(rows);
  }
});

/** The time of an end; of a block, that of the first block from it on with swaps. */
const firstMoment = Effect.fnUntraced(function* (store: HistoryStore, end: ExportEnd) {
  if ("timeMs" in end) return end.timeMs;
  const [block] = yield* store.blocks({ after: end.block - 1, swapsMax: 1 });
  return block?.stamp.timestampMs;
});

/** The time of an end; of a block, that of the newest trade up to it. */
const lastMoment = Effect.fnUntraced(function* (
  store: HistoryStore,
  of: CandlesQuery["of"],
  end: ExportEnd,
) {
  if ("timeMs" in end) return end.timeMs;
  const subject = {
    kind: of.kind === "token" ? of.kind : "pool",
    address: of.kind === "token" ? of.token : of.pool,
  } as const;
  const before = { blockNumber: end.block + 1, logIndex: 0 };
  const [trade] = yield* store.trades({ of: subject, before, limit: 1 });
  return trade?.stamp.timestampMs;
});

const subjectOf = Effect.fnUntraced(function* (
  store: HistoryStore,
  what: Extract<ExportOptions["what"], { readonly kind: "candles" }>,
): Effect.fn.Return<CandlesQuery["of"], HistoryError> {
  if ("token" in what) return { kind: "token", token: lower(what.token) };
  const pool = lower(what.pool);
  const [trade] =
    what.pair === undefined
      ? yield* store.trades({ of: { kind: "pool", address: pool }, limit: 1 })
      : [{ tokenIn: what.pair[0], tokenOut: what.pair[1] }];
  if (trade === undefined) {
    const detail = `no trade of pool ${pool} is kept: its tokens are not known`;
    return yield* new HistoryError({ reason: "Invalid", detail });
  }
  const [token0, token1] = [trade.tokenIn, trade.tokenOut].map(lower).sort();
  return { kind: "pair", pool, token0: token0!, token1: token1! };
});

const lower = (address: Address): Address => address.toLowerCase() as Address;

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, HistoryError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new HistoryError({
        reason: (cause as { code?: string }).code === "ENOSPC" ? "Full" : "Unavailable",
        detail: cause instanceof Error ? cause.message : String(cause),
      }),
  });
