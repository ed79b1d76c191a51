import type { BlockStamp, MarketBlock } from "@millrace/core";
import { DraftWriter, PackedReader, PackedWriter, readDraft } from "@millrace/history";
import type { FeedPosition } from "../log/FeedLog.ts";
import { MarketReplica, type ReplicaContent } from "../market/MarketReplica.ts";
import { packStamp, readMany, unpackStamp } from "./blockBytes.ts";
import {
  readDigest,
  readHistory,
  readNotes,
  readPosition,
  readWhole,
  writeDigest,
  writeHistory,
  writeNotes,
  writePosition,
} from "./entryBytes.ts";
import { FeedBytesError, type SealedForm, seal, unseal } from "./sealed.ts";

/** A market right after an entry, and what its leader computed from all swaps so far. */
export interface FeedSnapshot {
  readonly chainId: number;
  readonly position: FeedPosition;
  readonly replica: MarketReplica;
  readonly standsAt: BlockStamp;
  /** Undefined where the leader attaches nothing. */
  readonly attachment: Uint8Array | undefined;
}

export interface SnapshotContent extends Omit<FeedSnapshot, "replica" | "standsAt"> {
  readonly market: ReplicaContent & Pick<MarketReplica, "notes" | "history">;
}

const PIECE: SealedForm = { mark: "MRfs", version: 1 };
/** Writing one piece blocks a store for about a millisecond. */
const PIECE_BYTES = 1 << 20;

/** Encodes a snapshot into pieces; yields often. */
export function* encodeFeedSnapshot(content: SnapshotContent): Generator<void, Uint8Array[]> {
  const { chainId, position, market, attachment } = content;
  const draft = new DraftWriter(undefined);
  for (const dex of market.dexes.values()) draft.dex(dex);
  for (const token of market.tokens.values()) draft.token(token);
  for (const [token, supply] of market.supplies) draft.supply(token, supply);
  let pools = 0;
  for (const { listing, words, book } of market.pools.values()) {
    draft.pool(listing);
    draft.state(listing.address, { words, book });
    if (++pools % POOLS_AT_ONCE === 0) yield;
  }
  if (market.excluded !== undefined) draft.exclusions(market.excluded);
  const writer = new PackedWriter();
  writer.count(chainId);
  writePosition(writer, position);
  packStamp(writer, market.stamp);
  writeDigest(writer, market.digest);
  writeHistory(writer, market.history);
  writeNotes(writer, market.notes);
  writer.count(market.line.length);
  for (const stamp of market.line) packStamp(writer, stamp);
  const drafted = draft.end();
  writer.count(drafted.reduce((sum, { length }) => sum + length, 0));
  const parts: Uint8Array[] = [writer.take(), ...drafted];
  writer.byte(attachment === undefined ? 0 : 1);
  parts.push(writer.take());
  if (attachment !== undefined) parts.push(attachment);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const count = Math.ceil(length / PIECE_BYTES);
  const pieces: Uint8Array[] = [];
  for (const body of slices(parts)) {
    writePosition(writer, position);
    writer.count(pieces.length);
    writer.count(count);
    writer.bytes(body);
    pieces.push(seal(PIECE, writer.take()));
    yield;
  }
  return pieces;
}

const POOLS_AT_ONCE = 64;

/** Throws FeedBytesError unless these are all pieces of one snapshot, in order. */
export function decodeFeedSnapshot(pieces: ReadonlyArray<Uint8Array>): FeedSnapshot {
  const bodies: Uint8Array[] = [];
  let place: FeedPosition | undefined;
  for (const [index, piece] of pieces.entries()) {
    const reader = new PackedReader(unseal(PIECE, piece));
    const position = readPosition(reader);
    place ??= position;
    const isNext = reader.count() === index && reader.count() === pieces.length;
    if (!isNext || position.epoch !== place.epoch || position.sequence !== place.sequence) {
      throw new FeedBytesError("Damaged", `piece ${index} is not of this snapshot`);
    }
    bodies.push(reader.bytes(reader.left));
  }
  const reader = new PackedReader(Buffer.concat(bodies));
  return readWhole(reader, () => readSnapshot(reader));
}

function readSnapshot(reader: PackedReader): FeedSnapshot {
  const [chainId, position, stamp] = [reader.count(), readPosition(reader), unpackStamp(reader)];
  const [digest, history, notes] = [readDigest(reader), readHistory(reader), readNotes(reader)];
  const line = readMany(reader, () => unpackStamp(reader));
  const { draft } = readDraft(reader.bytes(reader.count()));
  const block: MarketBlock = {
    stamp,
    dexes: [...draft.dexes.values()],
    tokens: [...draft.tokens.values()],
    pools: [...draft.pools.values()],
    removedPools: [],
    states: Array.from(draft.states, ([pool, state]) => ({ pool, state })),
    swaps: [],
    supplies: Array.from(draft.supplies, ([token, totalSupply]) => ({ token, totalSupply })),
    ...(draft.excluded !== undefined && { excludedFromTransit: draft.excluded }),
  };
  const replica = new MarketReplica();
  const plan = replica.plan(block);
  if (plan.point.digest !== digest) throw new RangeError("the market has another digest");
  replica.commit(plan);
  replica.rememberLine(line);
  replica.history = history;
  for (const [name, text] of notes) replica.notes.set(name, text);
  const attachment = reader.byte() === 0 ? undefined : reader.bytes(reader.left);
  return { chainId, position, replica, standsAt: stamp, attachment };
}

/** The concatenated parts, cut into slices of a piece's length. */
function* slices(parts: ReadonlyArray<Uint8Array>): Generator<Uint8Array> {
  let slice = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + PIECE_BYTES - filled);
      slice.set(taken, filled);
      filled += taken.length;
      at += taken.length;
      if (filled < PIECE_BYTES) continue;
      yield slice;
      slice = new Uint8Array(PIECE_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield slice.subarray(0, filled);
}
