import { Effect } from "effect";
import type { BlockId } from "../follow/Discovery.ts";
import type { Following } from "../follow/Following.ts";
import { type Header, headerByNumber } from "../follow/Header.ts";
import { countKept } from "../follow/newestKept.ts";
import { aside } from "../rpc/aside.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { KnownRange } from "./KnownRange.ts";
import type { ToldRange } from "./ToldBlocks.ts";

/** What the reader knows of the past without having been told. */
export interface KnownPart {
  readonly range: ToldRange;
  /** Its last block, and others that the reader has heard of, ascending. */
  readonly blocks: ReadonlyArray<BlockId>;
}

/**
 * Finds out up to which block the chain still has the ranges that the reader knows, and gives what
 * of them lies before the block that the market is first opened at. It has to be said before the
 * first block is told: by then the reader must know what to leave out, and what it leaves out has
 * to be told again. Of a market that is opened anew the books are there already.
 */
export const confirmKnown = Effect.fnUntraced(function* (
  { known, mirror, condition, reading }: Following,
  header: Header,
): Effect.fn.Return<ReadonlyArray<KnownPart>, RpcError> {
  if (mirror.resetCount > 0) return [];
  const parts: KnownPart[] = [];
  let confirmedTo: number | undefined;
  for (const range of known) {
    const heard = blocksOf(range);
    const kept = heard.slice(0, yield* countKept(reading, heard, header));
    const newest = kept.at(-1);
    if (newest === undefined) continue;
    confirmedTo = Math.max(confirmedTo ?? newest.number, newest.number);
    const blocks = kept.filter(({ number }) => number <= header.number);
    const last = blocks.at(-1);
    // All of it comes after the market's block: it is followed once more.
    if (last === undefined) continue;
    const { fromBlock } = range;
    const { timestampMs: fromMs, parentHash } = yield* reading.endpoints.withEndpoint((endpoint) =>
      headerByNumber(aside(endpoint), fromBlock),
    );
    parts.push({ range: { fromBlock, toBlock: last.number, fromMs, parentHash }, blocks });
  }
  condition.confirmedTo = confirmedTo;
  return parts;
});

function blocksOf({ fromBlock, toBlock, toHash, blocks = [] }: KnownRange): BlockId[] {
  const before = blocks.filter(({ number }) => number >= fromBlock && number < toBlock);
  return [...before.sort((a, b) => a.number - b.number), { number: toBlock, hash: toHash }];
}
