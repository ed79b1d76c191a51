import { Effect } from "effect";
import type { Ancestry } from "../follow/Ancestry.ts";
import type { Following } from "../follow/Following.ts";
import type { BlockId, Header } from "../follow/Header.ts";
import type { KnownPart } from "../follow/MarketContent.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { firstBlockSince } from "./firstBlockSince.ts";
import type { KnownRange } from "./KnownRange.ts";

/**
 * Finds out up to which block the chain still has the ranges that the reader knows, and gives the
 * parts of them before the block that the market is first opened at. This must be known before the
 * first block is published: by then the reader must know which swaps to drop, and those must be
 * published again. Gives none when the market is opened anew: the published blocks are known
 * already. With an archive, a block is known when both have it; blocks too old for the reader are
 * known when the archive has them.
 */
export const confirmKnown = Effect.fnUntraced(function* (
  { known, archive, mirror, condition, reading, blockTimeMs, historyMs }: Following,
  ancestry: Ancestry,
  header: Header,
): Effect.fn.Return<ReadonlyArray<KnownPart>, RpcError> {
  if (mirror.resetCount > 0) return [];
  const parts = yield* confirmed(known, ancestry, header);
  condition.confirmedTo = newestOf(parts);
  if (archive === undefined) return parts;
  const archived = yield* confirmed(archive.known, ancestry, header);
  condition.archiveConfirmedTo = newestOf(archived);
  if (archived.length === 0) return [];
  const horizon = yield* firstBlockSince(
    ancestry.headerAt,
    header,
    header.timestampMs - historyMs,
    reading.dexes.startBlock,
    Math.ceil(historyMs / blockTimeMs),
  );
  const both = parts.flatMap((part) => archived.flatMap((other) => shared(part, other)));
  return [...archived.flatMap((part) => upTo(part, horizon - 1)), ...both];
});

/** The parts of ranges that the chain still has. */
const confirmed = Effect.fnUntraced(function* (
  ranges: ReadonlyArray<KnownRange>,
  ancestry: Ancestry,
  header: Header,
): Effect.fn.Return<ReadonlyArray<KnownPart>, RpcError> {
  const parts: KnownPart[] = [];
  for (const range of ranges) {
    // Blocks after the market's block are followed once more: that another node has them on its
    // chain does not mean that they follow this block.
    const heard = blocksOf(range).filter(({ number }) => number <= header.number);
    const blocks = heard.slice(0, yield* ancestry.countShared(heard));
    const last = blocks.at(-1);
    if (last === undefined) continue;
    const { fromBlock } = range;
    const { timestampMs: fromMs, parentHash } = yield* ancestry.headerAt(fromBlock);
    parts.push({ range: { fromBlock, toBlock: last.number, fromMs, parentHash }, blocks });
  }
  return parts;
});

function newestOf(parts: ReadonlyArray<KnownPart>): number | undefined {
  return parts.length === 0 ? undefined : Math.max(...parts.map(({ range }) => range.toBlock));
}

function shared(part: KnownPart, other: KnownPart): KnownPart[] {
  const later = part.range.fromBlock >= other.range.fromBlock ? part : other;
  const toBlock = Math.min(part.range.toBlock, other.range.toBlock);
  return upTo({ range: later.range, blocks: part.blocks }, toBlock);
}

/** A part without its blocks above a number. */
function upTo({ range, blocks }: KnownPart, number: number): KnownPart[] {
  const toBlock = Math.min(range.toBlock, number);
  if (toBlock < range.fromBlock) return [];
  const kept = blocks.filter((block) => block.number >= range.fromBlock && block.number <= toBlock);
  return [{ range: { ...range, toBlock }, blocks: kept }];
}

function blocksOf({ fromBlock, toBlock, toHash, blocks = [] }: KnownRange): BlockId[] {
  const before = blocks.filter(({ number }) => number >= fromBlock && number < toBlock);
  return [...before.sort((a, b) => a.number - b.number), { number: toBlock, hash: toHash }];
}
