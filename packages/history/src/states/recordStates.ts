import { constants, createDeflate } from "node:zlib";
import { Effect, type Scope } from "effect";
import type { HistoryChange } from "../HistoryStore.ts";
import type { RecordedMarketOptions } from "./EngineView.ts";
import { type StateRecord, StateRecorder } from "./StateRecorder.ts";

export interface RecordStatesOptions extends RecordedMarketOptions {
  /** A checkpoint is written when this many blocks have passed; default: 1,000. */
  readonly everyBlocks?: number | undefined;
  /** Takes changes to be written, in order; false, or a rejection, when one is not written. */
  readonly write: (change: HistoryChange) => boolean | Promise<boolean>;
}

const EVERY_BLOCKS = 1_000;

/**
 * Records the market of an engine, or some of its pools, until the scope closes: a checkpoint now
 * and every `everyBlocks` blocks, and the changes of each block. A market can then be opened as of
 * any of these blocks: see `recordedMarket`.
 */
export const recordStates = Effect.fnUntraced(function* ({
  everyBlocks = EVERY_BLOCKS,
  write,
  ...market
}: RecordStatesOptions): Effect.fn.Return<void, never, Scope.Scope> {
  let written = Promise.resolve();
  const writeNext = async (record: StateRecord): Promise<void> => {
    try {
      if (await write(await changeOf(record))) return;
    } catch {
      // The writer reports why.
    }
    recorder.startAnew();
  };
  const recorder = new StateRecorder({
    ...{ ...market, everyBlocks },
    onRecord: (record) => {
      written = written.then(() => writeNext(record));
    },
  });
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      recorder.close();
      return written;
    }),
  );
});

async function changeOf(record: StateRecord): Promise<HistoryChange> {
  // By now the block may be on the chain again: taking back its swaps is left to others.
  if (record.kind === "revert") return { kind: "revertStates", hashes: record.hashes };
  const { kind, stamp, chunks } = record;
  return { kind: "state", state: { stamp, kind, bytes: await deflated(chunks) } };
}

/**
 * Compresses in a thread of Node's own, into memory that threads share, so that sending needs no
 * copy.
 */
async function deflated(chunks: ReadonlyArray<Uint8Array>): Promise<Uint8Array> {
  const stream = createDeflate({ level: constants.Z_BEST_SPEED, chunkSize: PART_BYTES });
  const parts: Uint8Array[] = [];
  const writing = (async () => {
    for (const chunk of chunks) {
      await new Promise<void>((resolve) => stream.write(chunk, () => resolve()));
    }
    stream.end();
  })();
  for await (const part of stream) parts.push(part as Uint8Array);
  await writing;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(new SharedArrayBuffer(length));
  let at = 0;
  for (const [index, part] of parts.entries()) {
    // Copying a quarter of a MiB takes some 50 µs.
    if (index > 0) await new Promise((resolve) => setImmediate(resolve));
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const PART_BYTES = 1 << 18;
