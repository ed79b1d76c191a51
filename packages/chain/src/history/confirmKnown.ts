import { Effect } from "effect";
import type { Ancestry } from "../follow/Ancestry.ts";
import type { Following } from "../follow/Following.ts";
import type { BlockId, Header } from "../follow/Header.ts";
import type { KnownPart } from "../follow/MarketContent.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { KnownRange } from "./KnownRange.ts";

/**
 * Finds out up to which block the chain still has the ranges that the reader knows, and gives what
 * of them lies before the block that the market is first opened at. It has to be said before the
 * first block is published: by then the reader must know what to leave out, and what it leaves out
 * has to be published again. Of a market that is opened anew the books are there already.
 */
export const confirmKnown = Effect.fnUntraced(function* (
  { known, mirror, condition }: Following,
  ancestry: Ancestry,
  header: Header,
): Effect.fn.Return<ReadonlyArray<KnownPart>, RpcError> {
  if (mirror.resetCount > 0) return [];
  const parts: KnownPart[] = [];
  let confirmedTo: number | undefined;
  for (const range of known) {
    // What comes after the market's block is followed once more: another node's word that the chain
    // has it would not make it follow on this block.
    const heard = blocksOf(range).filter(({ number }) => number <= header.number);
    const blocks = heard.slice(0, yield* ancestry.countShared(heard));
    const last = blocks.at(-1);
    if (last === undefined) continue;
    confirmedTo = Math.max(confirmedTo ?? last.number, last.number);
    const { fromBlock } = range;
    const { timestampMs: fromMs, parentHash } = yield* ancestry.headerAt(fromBlock);
    parts.push({ range: { fromBlock, toBlock: last.number, fromMs, parentHash }, blocks });
  }
  condition.confirmedTo = confirmedTo;
  return parts;
});

function blocksOf({ fromBlock, toBlock, toHash, blocks = [] }: KnownRange): BlockId[] {
  const before = blocks.filter(({ number }) => number >= fromBlock && number < toBlock);
  return [...before.sort((a, b) => a.number - b.number), { number: toBlock, hash: toHash }];
}
