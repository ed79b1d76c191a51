import { promisify } from "node:util";
import { inflate } from "node:zlib";
import {
  type Address,
  type BlockStamp,
  type MarketBlock,
  type MarketSource,
  MarketSourceError,
} from "@millrace/core";
import { Effect, Option, Stream } from "effect";
import type { HistoryError, HistoryStore, StoredState } from "../HistoryStore.ts";
import { readDraft } from "./draftBytes.ts";
import { StateDraft } from "./StateDraft.ts";

export interface PastMarketOptions {
  readonly store: Pick<HistoryStore, "states" | "stateRange">;
  readonly chainId: number;
  /** Number of the block whose market comes first. */
  readonly asOf: number;
  /** Number of the last block; default: the newest that is kept. */
  readonly toBlock?: number | undefined;
}

/** Number of deltas read at once. */
const STEPS_READ = 64;

/**
 * A recorded market (see `recordStates`): first as of the end of block `asOf`, then the changes
 * block by block, as fast as they are read. The source ends after `toBlock`, or after the last
 * block that is kept. Where a block is missing, it fails with `NotRecorded` rather than skip it.
 */
export const recordedMarket = Effect.fnUntraced(function* ({
  store,
  chainId,
  asOf,
  toBlock = Number.MAX_SAFE_INTEGER,
}: PastMarketOptions): Effect.fn.Return<MarketSource, MarketSourceError> {
  const source = `the history of chain ${chainId}`;
  const fail = (reason: MarketSourceError["reason"], detail: string) =>
    new MarketSourceError({ source, reason, detail });
  const failed = ({ reason, detail }: HistoryError) => fail(REASONS[reason], detail);
  const read = (query: Parameters<HistoryStore["states"]>[0]) =>
    Effect.mapError(store.states(query), failed);
  const decode = ({ stamp, bytes }: StoredState) =>
    Effect.tryPromise({
      try: async () => readDraft(await inflated(bytes)),
      catch: (cause) => fail("Malformed", `the state of block ${stamp.number}: ${cause}`),
    });
  const notRecorded = Effect.fnUntraced(function* (block: number) {
    const range = yield* Effect.mapError(store.stateRange, failed);
    const held =
      range === undefined ? "none are" : `those from ${range.fromBlock} to ${range.toBlock} are`;
    return yield* fail("NotRecorded", `no state of block ${block} is kept: ${held}, gaps included`);
  });

  const live = new Set<Address>();
  let stamp: BlockStamp | undefined;
  /** The draft of the next record; fails where that does not build on the one before. */
  const follow = Effect.fnUntraced(function* (record: StoredState) {
    const { before, draft } = yield* decode(record);
    const isNext =
      record.kind === "checkpoint" || isSame(record.stamp, stamp) || isSame(before, stamp);
    if (!isNext) return yield* notRecorded((stamp?.number ?? 0) + 1);
    stamp = record.stamp;
    return draft;
  });

  const first = Effect.gen(function* () {
    const whole = new StateDraft();
    for (const record of yield* read({ asOf })) whole.add(yield* follow(record));
    if (stamp?.number !== asOf) return yield* notRecorded(asOf);
    return whole.blockAt(stamp, live);
  });
  const nextBlocks = Effect.gen(function* () {
    const records = yield* read({ asOf: toBlock, after: stamp!.number, limit: STEPS_READ });
    const blocks: MarketBlock[] = [];
    for (const record of records) blocks.push((yield* follow(record)).blockAt(record.stamp, live));
    return blocks;
  });
  const later = Stream.paginate(undefined, () =>
    Effect.map(nextBlocks, (blocks) => {
      const more = blocks.length === 0 ? Option.none() : Option.some(undefined);
      return [blocks, more] as const;
    }),
  );
  return {
    chainId,
    blocks: Stream.concat(Stream.fromEffect(first), later),
  };
});

const REASONS: Readonly<Record<HistoryError["reason"], MarketSourceError["reason"]>> = {
  Damaged: "Malformed",
  Foreign: "WrongChain",
  Full: "Unreadable",
  Invalid: "Malformed",
  ReadOnly: "Unreadable",
  Unavailable: "Unreadable",
};

const inflated = promisify<Uint8Array, Uint8Array>(inflate);

const isSame = (
  one: Pick<BlockStamp, "number" | "hash"> | undefined,
  other: Pick<BlockStamp, "number" | "hash"> | undefined,
): boolean => one !== undefined && one.number === other?.number && one.hash === other.hash;
