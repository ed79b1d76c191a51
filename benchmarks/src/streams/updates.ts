import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { median, quantile } from "../statistics.ts";
import type { Heard } from "./listener.ts";
import type { MovingMarket } from "./MovingMarket.ts";
import { ask, attempt, startClients, startProbedService } from "./processes.ts";

const LISTENER = fileURLToPath(new URL("./listener.ts", import.meta.url));
const ON_ONE_CONNECTION = 50;
const LOOK_EVERY_MS = 250;
/** Wait after the last block, for work in the background. */
const SETTLE_MS = 1_000;

export interface UpdateSizes {
  /** Between two blocks. */
  readonly replayMs: number;
  /** Blocks after the last subscription that are not counted. */
  readonly warmUps: number;
}

/** The updates that subscribers heard, and when each block was applied. */
interface Watched {
  /** By block number, when the block was applied: microseconds since the Unix epoch. */
  readonly appliedAtUs: ReadonlyMap<number, number>;
  readonly heard: ReadonlyArray<Heard>;
}

/** Has the service replay a market, with one subscription for each operation's text. */
export const watchUpdates = (
  moving: MovingMarket,
  operations: ReadonlyArray<string>,
  { replayMs, warmUps }: UpdateSizes,
  folder: string,
): Effect.Effect<Watched, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const path = join(folder, "market.json");
      const configuration = join(folder, "millrace.json");
      yield* attempt(() => writeFile(path, moving.recording()));
      yield* attempt(() => writeFile(configuration, configurationText(path, replayMs)));
      const service = yield* startProbedService(configuration);
      const connections = Math.ceil(operations.length / ON_ONE_CONNECTION);
      const listener = yield* startClients(LISTENER, [service.port]);
      const shared = Array.from({ length: connections }, (_, connection) =>
        operations.slice(ON_ONE_CONNECTION * connection, ON_ONE_CONNECTION * (connection + 1)),
      );
      yield* ask(listener, shared);
      const { applied } = yield* service.report;
      const newest = applied.at(-1)![0];
      const counted = newest + warmUps;
      const appliedAtUs = new Map<number, number>();
      // Sends no requests in the meantime, which would disturb the service.
      yield* Effect.sleep(replayMs * (moving.lastBlock - newest));
      while (!appliedAtUs.has(moving.lastBlock)) {
        yield* Effect.sleep(LOOK_EVERY_MS);
        const { applied } = yield* service.report;
        for (const [block, us] of applied) if (block > counted) appliedAtUs.set(block, us);
      }
      yield* Effect.sleep(SETTLE_MS);
      const heard = yield* ask<ReadonlyArray<Heard>>(listener, "report");
      yield* checkWhole(heard);
      return { appliedAtUs, heard };
    }),
  );

/**
 * Milliseconds from a block's application to its last message, and the count of its messages, as
 * quantiles over the blocks. Read: when a client in another process had all bytes, after the server
 * had written them; sent: the last `sentAt`, just before.
 */
export function updateFigures(
  name: string,
  { appliedAtUs, heard }: Watched,
): ReadonlyArray<Figure> {
  const ofBlock = new Map<number, { count: number; readUs: number; sentUs: number }>();
  for (const { block, receivedAtUs, sentAtUs } of heard) {
    if (!appliedAtUs.has(block)) continue;
    const last = ofBlock.get(block) ?? { count: 0, readUs: 0, sentUs: 0 };
    ofBlock.set(block, {
      count: last.count + 1,
      readUs: Math.max(last.readUs, receivedAtUs),
      sentUs: Math.max(last.sentUs, sentAtUs),
    });
  }
  const msAfter = (pick: "readUs" | "sentUs") =>
    Array.from(ofBlock, ([block, last]) => (last[pick] - appliedAtUs.get(block)!) / 1_000);
  const of = (what: string, value: number, unit: string) => ({
    name: `streams.${name}.${what}`,
    value,
    unit,
  });
  return [
    of("messages", median(Array.from(ofBlock.values(), ({ count }) => count)), "messages/block"),
    of("read.p50", median(msAfter("readUs")), "ms"),
    of("read.p90", quantile(msAfter("readUs"), 0.9), "ms"),
    of("sent.p50", median(msAfter("sentUs")), "ms"),
  ];
}

/** Fails if an update is missing: no subscriber here is slow enough for the service to skip one. */
function checkWhole(heard: ReadonlyArray<Heard>): Effect.Effect<void, BenchmarkError> {
  const seqs = new Map<number, number>();
  for (const { operation, seq } of heard) {
    if (seq !== (seqs.get(operation) ?? 0) + 1) {
      const message = `seq ${seq} after ${seqs.get(operation)}`;
      return Effect.fail(new BenchmarkError({ message }));
    }
    seqs.set(operation, seq);
  }
  return Effect.void;
}

function configurationText(path: string, replayMs: number): string {
  return JSON.stringify({
    networks: [
      { id: "ETH", name: "Recorded", chainId: 1, source: { kind: "marketFile", path, replayMs } },
    ],
    streams: { connectionsPerAddress: 1_000, operationsPerSecond: 1_000 },
  });
}
