import { randomUUID } from "node:crypto";
import { Effect, Redacted, type Scope } from "effect";
import {
  type AppendOutcome,
  ASKED_MAX,
  ENTRIES_KEPT,
  ENTRIES_READ,
  type FeedLog,
  type FeedRecord,
  type FeedRequest,
  type Lease,
} from "./FeedLog.ts";
import { type RedisArgument, RedisConnection, type RedisReply } from "./RedisConnection.ts";
import * as scripts from "./redisScripts.ts";

export interface RedisLogOptions {
  /** `redis://user:password@host:port/database`, or `rediss://`; never shown in errors. */
  readonly url: string | Redacted.Redacted<string>;
  /** Prefix of the keys: one name for each market. */
  readonly name: string;
  /** The longest wait for a reply, in milliseconds. Default 1,000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 1_000;
/** Pieces of an unfinished snapshot expire. */
const UNNAMED_SECONDS = "3600";
const ASKED_SECONDS = 600;

/**
 * A log in Redis 7 or later: a stream, guarded by scripts. Connections reopen by themselves and end
 * with the scope. Needs the optional package `@redis/client`.
 */
export const redisLog = Effect.fnUntraced(function* ({
  url: given,
  name,
  timeoutMs = TIMEOUT_MS,
}: RedisLogOptions): Effect.fn.Return<FeedLog, never, Scope.Scope> {
  const url = Redacted.isRedacted(given) ? Redacted.value(given) : given;
  const commands = yield* RedisConnection.make(url);
  // A blocking read would hold up all other commands.
  const waiting = yield* RedisConnection.make(url);
  // Megabytes of a snapshot would hold up the lease's renewal.
  const pieces = yield* RedisConnection.make(url);
  const keys = ["lease", "epoch", "entries", "snapshot", "asked"].map((key) => keyOf(name, key));
  const send = (command: ReadonlyArray<RedisArgument>) => commands.send(command, timeoutMs);
  const run = (script: string, ...words: ReadonlyArray<RedisArgument | number>) =>
    send(["EVAL", script, String(keys.length), ...keys, ...words.map((word) => wordOf(word))]);
  const sendPiece = (command: ReadonlyArray<RedisArgument>) => pieces.send(command, timeoutMs);
  const pieceKey = (manifest: string, index: number) => keyOf(name, `piece:${manifest}:${index}`);

  const loadPieces = Effect.fnUntraced(function* () {
    const manifest = yield* Effect.map(send(["GET", keys[3]!]), textOf);
    const count = Number(manifest.split(":")[1] ?? 0);
    const found: Uint8Array[] = [];
    for (let index = 0; index < count; index++) {
      const piece = yield* sendPiece(["GET", pieceKey(manifest, index)]);
      // Another snapshot replaced this one, or the server lost a piece.
      if (!Buffer.isBuffer(piece)) return undefined;
      found.push(piece);
    }
    return found.length === 0 ? undefined : found;
  });

  return {
    acquire: (holder, leaseMs, above) =>
      Effect.map(run(scripts.ACQUIRE, holder, leaseMs, above), (reply) => {
        const epoch = Number(textOf(reply));
        return epoch === 0 ? undefined : { holder, epoch };
      }),
    renew: (lease, leaseMs) =>
      Effect.map(run(scripts.RENEW, leaseText(lease), leaseMs), (reply) => reply === 1),
    release: (lease) => Effect.asVoid(run(scripts.RELEASE, leaseText(lease))),
    depose: (epoch) => Effect.asVoid(run(scripts.DEPOSE, epoch)),
    append: (lease, sequence, bytes) =>
      Effect.map(
        run(scripts.APPEND, leaseText(lease), lease.epoch, sequence, bytes, ENTRIES_KEPT),
        (reply) => textOf(reply) as AppendOutcome,
      ),
    read: ({ epoch, sequence }, waitMs) => {
      const command = ["XREAD", "COUNT", String(ENTRIES_READ)];
      const place = ["STREAMS", keys[2]!, `${epoch}-${sequence}`];
      const reply =
        waitMs === 0
          ? send([...command, ...place])
          : waiting.send([...command, "BLOCK", String(waitMs), ...place], waitMs + timeoutMs);
      return Effect.map(reply, recordsIn);
    },
    standing: Effect.map(run(scripts.STANDING), (reply) => {
      const [epoch, isLed] = reply as ReadonlyArray<RedisReply>;
      return { epoch: Number(textOf(epoch)), isLed: isLed === 1 };
    }),
    saveSnapshot: Effect.fnUntraced(function* (lease, { epoch, sequence }, snapshot) {
      // Each save has keys of its own: readers of a former one go on.
      const manifest = `${epoch}-${sequence}:${snapshot.length}:${randomUUID()}`;
      for (const [index, piece] of snapshot.entries()) {
        yield* sendPiece(["SET", pieceKey(manifest, index), piece, "EX", UNNAMED_SECONDS]);
      }
      const reply = textOf(yield* run(scripts.SAVE_MANIFEST, leaseText(lease), manifest));
      const isSaved = reply.startsWith("1");
      if (isSaved) {
        for (const index of snapshot.keys()) yield* send(["PERSIST", pieceKey(manifest, index)]);
      }
      const useless = isSaved ? reply.slice(1) : manifest;
      if (useless !== "") {
        const count = Number(useless.split(":")[1]);
        // Leaves readers of the former snapshot time to finish.
        const seconds = isSaved ? FORMER_SECONDS : "1";
        for (let index = 0; index < count; index++) {
          yield* send(["EXPIRE", pieceKey(useless, index), seconds]);
        }
      }
      return isSaved ? "Appended" : "Deposed";
    }),
    loadSnapshot: Effect.suspend(loadPieces),
    ask: (request) =>
      Effect.asVoid(run(scripts.ASK, requestText(request), ASKED_MAX, ASKED_SECONDS)),
    takeAsked: (lease) =>
      Effect.map(run(scripts.TAKE_ASKED, leaseText(lease)), (reply) =>
        (reply as ReadonlyArray<RedisReply>).flatMap((request) => requestIn(textOf(request))),
      ),
  };
});

const FORMER_SECONDS = "60";

/** The part in braces decides the node of a cluster: all keys are on one. */
const keyOf = (name: string, key: string): string => `{millrace:${name}}:${key}`;

const leaseText = ({ epoch, holder }: Lease): string => `${epoch} ${holder}`;

const wordOf = (word: RedisArgument | number): RedisArgument =>
  typeof word === "number" ? word.toString() : word;

const textOf = (reply: RedisReply): string =>
  Buffer.isBuffer(reply) ? reply.toString() : String(reply ?? "");

/** Does not throw for entries that others may have written there; skips those with other ids. */
function recordsIn(reply: RedisReply): ReadonlyArray<FeedRecord> {
  const entries = entriesIn(reply);
  return entries.flatMap((entry) => {
    const [id, fields] = entry as ReadonlyArray<RedisReply>;
    const [epoch, sequence] = textOf(id).split("-").map(Number);
    const bytes = (fields as ReadonlyArray<RedisReply>)[1];
    if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(sequence)) return [];
    const position = { epoch: epoch!, sequence: sequence! };
    return [{ position, bytes: Buffer.isBuffer(bytes) ? bytes : new Uint8Array(0) }];
  });
}

/** Entries of the one stream, in either version of the protocol. */
function entriesIn(reply: RedisReply): ReadonlyArray<RedisReply> {
  if (reply === null || reply === undefined || !Array.isArray(reply)) return [];
  const [stream] = reply as ReadonlyArray<ReadonlyArray<RedisReply>>;
  return (stream?.[1] as ReadonlyArray<RedisReply> | undefined) ?? [];
}

const requestText = (request: FeedRequest): string =>
  request === "snapshot" ? request : `${request.fromBlock}-${request.toBlock}`;

function requestIn(text: string): ReadonlyArray<FeedRequest> {
  if (text === "snapshot") return [text];
  const [fromBlock, toBlock] = text.split("-").map(Number);
  const isRange = Number.isSafeInteger(fromBlock) && Number.isSafeInteger(toBlock);
  return isRange && fromBlock! <= toBlock! ? [{ fromBlock: fromBlock!, toBlock: toBlock! }] : [];
}
