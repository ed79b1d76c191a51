import { readFile } from "node:fs/promises";
import {
  type Address,
  type MarketBlock,
  type MarketSource,
  MarketSourceError,
  type PoolState,
} from "@millrace/core";
import { Effect, Stream } from "effect";
import { decodeRecording, type Recording } from "./decodeRecording.ts";
import { Faults } from "./Faults.ts";

export interface MarketFileOptions {
  /** Start with the market as recorded, and apply one block of updates every so many ms (≥ 1). */
  readonly replayMs?: number | undefined;
}

/**
 * A recorded market: JSON with `chainId`, `block`, `blockTimestamp`, `tokens`, `pools` and
 * `updates`. Without `replayMs`, the source is one block: the last one, with all updates applied.
 * With it, the recorded blocks follow at that interval. After the last block, the source ends.
 *
 * Fails with `Unreadable` when there is no such file or it is not JSON, and with `Malformed` when
 * its content is not a market; `detail` then names every fault and its place, up to twenty.
 */
export const marketFile = Effect.fn("marketFile")(function* (
  path: string,
  options: MarketFileOptions = {},
): Effect.fn.Return<MarketSource, MarketSourceError> {
  const { replayMs } = options;
  if (replayMs !== undefined && !(Number.isSafeInteger(replayMs) && replayMs >= 1)) {
    throw new RangeError(`replayMs ${replayMs}`);
  }
  const bytes = yield* Effect.tryPromise({
    try: (signal) => readFile(path, { signal }),
    catch: (cause) => unreadable(path, cause),
  });
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: (cause) => unreadable(path, cause),
  });
  const faults = new Faults();
  const recording = decodeRecording(json, faults);
  if (recording === undefined || faults.count > 0) {
    return yield* new MarketSourceError({ source: path, reason: "Malformed", detail: `${faults}` });
  }
  const blocks =
    replayMs === undefined ? Stream.succeed(fold(recording)) : replay(recording, replayMs);
  return { chainId: recording.chainId, blocks };
});

function unreadable(path: string, cause: unknown): MarketSourceError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new MarketSourceError({ source: path, reason: "Unreadable", detail });
}

/** The last block of a recording, with the whole market at that time. */
function fold({ first, updates }: Recording): MarketBlock {
  const states = new Map<Address, PoolState>();
  for (const block of [first, ...updates]) {
    for (const { pool, state } of block.states) states.set(pool, state);
  }
  return {
    ...first,
    stamp: updates.at(-1)?.stamp ?? first.stamp,
    states: Array.from(states, ([pool, state]) => ({ pool, state })),
  };
}

function replay({ first, updates }: Recording, replayMs: number): Stream.Stream<MarketBlock> {
  const later = Stream.fromIterable(updates).pipe(
    Stream.mapEffect((block) => Effect.as(Effect.sleep(replayMs), block)),
  );
  return Stream.concat(Stream.succeed(first), later);
}
