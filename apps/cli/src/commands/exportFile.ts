import { existsSync, realpathSync } from "node:fs";
import { resolve as resolvePath } from "node:path";
import type { ExportEnd, ExportOptions } from "@millrace/server/export";
import { Effect } from "effect";
import { type CommandError, commandRefused, wrongUsage } from "../CommandError.ts";
import { timeOfText } from "../flags.ts";
import { Output } from "../output/Output.ts";
import { type MarketFlags, ownMarketFlags } from "../service/MarketFlags.ts";

/** The history to read and the file to write. */
interface ExportWords {
  readonly history: string;
  readonly out: string;
  readonly format: "csv" | "parquet";
  /** Empty, a time, or the number of a block. */
  readonly from: string;
  readonly to: string;
}

/** Writes the file, and prints its number of rows and the blocks whose swaps the history lacks. */
export const exportFile = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { history, out, format, from, to }: ExportWords,
  what: ExportOptions["what"],
): Effect.fn.Return<void, CommandError> {
  if (ownMarketFlags(flags).length > 0 || flags.url !== "")
    return yield* wrongUsage("a history's file is exported: --history alone says of which market");
  const taken = ["", "-wal", "-shm"].map((suffix) => realPath(`${history}${suffix}`));
  if (taken.includes(realPath(out))) return yield* wrongUsage("--out is the history itself");
  const output = yield* Output.open(flags.json);
  const { exportHistory } = yield* Effect.promise(() => import("@millrace/server/export"));
  const ends = { from: endOf(from), to: endOf(to) };
  const { rows, gaps } = yield* exportHistory({ file: history, out, format, what, ...ends }).pipe(
    Effect.mapError(({ reason, detail }) => commandRefused(`${reason}: ${detail}`)),
  );
  if (output.isJson) return output.json({ file: out, rows, gaps });
  output.line(`${rows} rows in ${out}`);
  for (const { fromBlock, toBlock } of gaps) {
    output.line(`swaps of blocks ${fromBlock} to ${toBlock} are not kept: they are missing`);
  }
});

/** Does the same for candles, of a token or of a pool. */
export const exportCandles = (
  flags: MarketFlags,
  words: ExportWords,
  { token, pool, seconds }: { token: string; pool: string; seconds: number },
): Effect.Effect<void, CommandError> => {
  if ((token === "") === (pool === ""))
    return Effect.fail(wrongUsage("candles are of a token or of a pool: --token or --pool"));
  const of = token === "" ? { pool: pool as `0x${string}` } : { token: token as `0x${string}` };
  return exportFile(flags, words, { kind: "candles", seconds, ...of });
};

const realPath = (path: string): string =>
  existsSync(path) ? realpathSync(path) : resolvePath(path);

function endOf(text: string): ExportEnd | undefined {
  if (text === "") return undefined;
  return /^\d+$/.test(text) ? { block: Number(text) } : { timeMs: timeOfText(text) };
}
