import { spawnSync } from "node:child_process";
import { mkdtemp, open, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedHistory, type HistoryBlock, type HistoryStore } from "@millrace/history";
import { RandomSource, TestScope } from "@millrace/testing";
import { Effect } from "effect";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest";
import { type ExportOptions, exportHistory } from "../../src/export/exportHistory.ts";

const CHAIN_ID = 8_453;
const BLOCKS = 600;
/** More rows than a row group holds. */
const SWAPS = 100;
const START_MS = 1_790_000_000_000;

const scope = new TestScope();
let folder: string;
let file: string;
let store: HistoryStore;
let blocks: HistoryBlock[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-export-"));
  file = join(folder, "history.sqlite");
  // Meanwhile the service runs, and has the file open for writing.
  store = await scope.run(embeddedHistory({ path: file, chainId: CHAIN_ID }));
  const random = new RandomSource(7);
  blocks = Array.from({ length: BLOCKS }, (_, index) => anyBlock(random, index));
  for (let at = 0; at < BLOCKS; at += 50) {
    const part = blocks.slice(at, at + 50);
    await scope.run(store.write(part.map((block) => ({ kind: "block", block }))));
  }
});
afterAll(async () => {
  await scope.close();
  await rm(folder, { recursive: true });
});

const tokens = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}` as const);
const pools = ["1", "2"].map((digit) => `0x${digit.repeat(40)}` as const);

describe("an export", { timeout: 120_000 }, () => {
  it("to Parquet holds what the store holds, as another reader reads it", async () => {
    const out = await exported({ what: { kind: "trades" }, format: "parquet" });
    const buffer = await asyncBufferFromFile(out);
    const metadata = await parquetMetadataAsync(buffer);
    expect(metadata.row_groups.length).toBeGreaterThan(1);
    const rows = await parquetReadObjects({ file: buffer, metadata });
    const expected = tradesOf(blocks);
    expect(rows).toHaveLength(expected.length);
    for (const [at, row] of rows.entries()) {
      // The reader converts decimals to floats.
      const dollars = row["value_usd"] as number | null;
      const units = dollars === null ? null : Math.round(dollars * 1e4);
      const { block_number: block, log_index: log } = row as Record<string, bigint>;
      const read = { ...row, block_number: Number(block), log_index: Number(log) };
      assert.deepEqual<unknown>({ ...read, value_usd: units }, expected[at], `row ${at}`);
    }
  });

  it("to CSV holds the same as text, exactly", async () => {
    const out = await exported({ what: { kind: "trades" }, format: "csv" });
    const [names, ...lines] = (await readFile(out, "utf8")).trimEnd().split("\r\n");
    expect(names).toBe(
      "time,block_number,block_hash,transaction_hash,log_index,pool,token_in,token_out,amount_in,amount_out,price_after,value_usd,maker",
    );
    const expected = tradesOf(blocks).map((trade) => {
      const { time, value_usd: value, ...rest } = trade;
      const dollars = value === null ? null : (BigInt(value) / 10_000n).toString();
      const cents = value === null ? "" : `.${String(value).padStart(4, "0").slice(-4)}`;
      const fields = { time: time.toISOString(), ...rest, value: dollars && `${dollars}${cents}` };
      const { maker, value: usd, ...first } = fields;
      return [...Object.values(first), usd, maker].map((field) => field ?? "").join(",");
    });
    expect(lines).toEqual(expected);
    expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("of a span of blocks, or of time, has what is in it, both ends included", async () => {
    const span = blocks.slice(20, 31);
    const ends = [span[0]!.stamp, span.at(-1)!.stamp] as const;
    const out = await exported({
      ...{ what: { kind: "trades" }, format: "csv" },
      ...{ from: { block: ends[0].number }, to: { block: ends[1].number } },
    });
    const byBlocks = await readFile(out, "utf8");
    expect(byBlocks.trimEnd().split("\r\n")).toHaveLength(1 + tradesOf(span).length);
    await exported({
      ...{ what: { kind: "trades" }, format: "csv" },
      ...{ from: { timeMs: ends[0].timestampMs }, to: { timeMs: ends[1].timestampMs } },
    });
    expect(await readFile(out, "utf8")).toBe(byBlocks);
  });

  it("of candles has those of the store, of a token or of two of a pool", async () => {
    for (const subject of [{ token: tokens[0]! }, { pool: pools[0]! }]) {
      const what = { kind: "candles", seconds: 60, ...subject } as const;
      const out = await exported({ what, format: "parquet" });
      const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out) });
      const [token0, token1] = [tokens[0]!, tokens[1]!];
      const of =
        "token" in subject
          ? ({ kind: "token", token: subject.token } as const)
          : ({ kind: "pair", pool: subject.pool, token0, token1 } as const);
      const kept = await scope.run(store.candles({ of, seconds: 60, limit: 1_000_000 }));
      expect(kept.length).toBeGreaterThan(10);
      const { kind: _, ...names } = of;
      expect(rows).toEqual(
        kept.map(({ startMs, volumeUsd, ...candle }) => ({
          ...{ time: new Date(startMs), ...names, ...candle, volume_usd: volumeUsd },
        })),
      );
    }
  });

  it("of candles up to a block has none of later blocks", async () => {
    const kept = blocks.filter(({ swaps }) => swaps.some(({ pool }) => pool === pools[0]));
    // The next trade of the pool is a minute later at least.
    const at = kept.findIndex(({ stamp }, index) => {
      const next = kept[index + 1]?.stamp.timestampMs ?? 0;
      return Math.floor(next / 60_000) > Math.floor(stamp.timestampMs / 60_000);
    });
    const { number, timestampMs } = kept[at]!.stamp;
    for (const block of [number, kept[at + 1]!.stamp.number - 1]) {
      const what = { kind: "candles", seconds: 60, pool: pools[0]! } as const;
      const out = await exported({ what, format: "parquet", to: { block } });
      const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out) });
      const newest = (rows.at(-1)!["time"] as Date).getTime();
      expect(newest).toBe(60_000 * Math.floor(timestampMs / 60_000));
    }
  });
});

describe("an export of a history that changes", () => {
  it("tells of the gaps in its span", async () => {
    const change = (from: number, to: number) => {
      const of = blocks.slice(from, to + 1).map(({ stamp }) => stamp);
      const [first, last] = [of[0]!, of.at(-1)!];
      const range = { fromBlock: first.number, toBlock: last.number, fromMs: first.timestampMs };
      return { kind: "covered", range: { ...range, blocks: of } } as const;
    };
    await scope.run(store.write([change(0, 99), change(120, 299), change(310, 599)]));
    const numberOf = (index: number) => blocks[index]!.stamp.number;
    const timeOf = (index: number) => blocks[index]!.stamp.timestampMs;
    const gapsIn = async (span: Pick<ExportOptions, "from" | "to">) => {
      const what = { kind: "candles", seconds: 3_600, pool: pools[0]! } as const;
      const out = join(folder, "gaps.csv");
      const options = { what, format: "csv", file, out } as const;
      return (await scope.run(exportHistory({ ...options, ...span }))).gaps;
    };
    const first = { fromBlock: numberOf(99) + 1, toBlock: numberOf(120) - 1 };
    const second = { fromBlock: numberOf(299) + 1, toBlock: numberOf(310) - 1 };
    expect(await gapsIn({})).toEqual([first, second]);
    expect(await gapsIn({ to: { timeMs: timeOf(200) } })).toEqual([first]);
    expect(await gapsIn({ from: { timeMs: timeOf(200) }, to: { block: numberOf(305) } })).toEqual([
      { ...second, toBlock: numberOf(305) },
    ]);
    expect(await gapsIn({ from: { block: numberOf(310) } })).toEqual([]);
  });

  it("fails, and leaves no file, where a block that it has is taken back meanwhile", async () => {
    const out = join(folder, "changed.csv");
    const what = { kind: "trades" } as const;
    // The export writes only as fast as the reader reads.
    spawnSync("mkfifo", [`${out}.part`]);
    const exporting = scope.run(Effect.flip(exportHistory({ what, format: "csv", file, out })));
    const reader = await open(`${out}.part`, "r");
    await reader.read(Buffer.alloc(1_024));
    await scope.run(store.write([{ kind: "revertAbove", number: 1_000 }]));
    const rest = reader.readFile();
    expect((await exporting).detail).toContain("taken back");
    await rest;
    await reader.close();
    expect((await readdir(folder)).filter((name) => name.startsWith("changed"))).toEqual([]);
  });
});

async function exported(options: Pick<ExportOptions, "what" | "format" | "from" | "to">) {
  const out = join(folder, `out.${options.format}`);
  await scope.run(exportHistory({ ...options, file, out }));
  return out;
}

function anyBlock(random: RandomSource, index: number): HistoryBlock {
  const hash = (text: string): `0x${string}` => `0x${text.padStart(64, "0")}`;
  const number = 1_000 + 2 * index;
  return {
    stamp: { number, hash: hash(number.toString(16)), timestampMs: START_MS + 12_000 * index },
    prices: new Map(tokens.map((token) => [token, 1 + random.next()])),
    swaps: Array.from({ length: random.between(SWAPS - 10, SWAPS + 10) }, (_, at) => {
      const pool = random.integer(2);
      const [tokenIn, tokenOut] = random.shuffled([tokens[pool]!, tokens[pool + 1]!]);
      return {
        pool: pools[pool]!,
        ...{ tokenIn: tokenIn!, tokenOut: tokenOut! },
        ...{ amountIn: random.amount(256), amountOut: random.amount(200) },
        priceAfter: random.chance(0.1) ? 0 : random.next() * 10 ** random.between(-20, 20),
        value: random.chance(0.1) ? 0 : random.integer(2 ** 31) * random.between(1, 1_000),
        transactionHash: random.hex(32),
        ...(random.chance(0.5) && { maker: random.hex(20) }),
        logIndex: at,
      };
    }),
  };
}

/** The rows, with times as dates and dollars in ten-thousandths. */
const tradesOf = (of: ReadonlyArray<HistoryBlock>) =>
  of.flatMap(({ stamp, swaps }) =>
    swaps.map((swap) => ({
      time: new Date(stamp.timestampMs),
      ...{ block_number: stamp.number, block_hash: stamp.hash },
      ...{ transaction_hash: swap.transactionHash, log_index: swap.logIndex, pool: swap.pool },
      ...{ token_in: swap.tokenIn, token_out: swap.tokenOut },
      ...{ amount_in: String(swap.amountIn), amount_out: String(swap.amountOut) },
      ...{ price_after: swap.priceAfter || null, value_usd: swap.value || null },
      maker: swap.maker ?? null,
    })),
  );
