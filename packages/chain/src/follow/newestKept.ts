import { Effect } from "effect";
import type { RpcError } from "../rpc/RpcError.ts";
import type { BlockId } from "./Discovery.ts";
import { isCanonical } from "./discoverMarket.ts";
import type { Following } from "./Following.ts";
import type { Header } from "./Header.ts";
import { headersBack } from "./headersBack.ts";
import type { MarketReading } from "./MarketReading.ts";

/**
 * The number of the newest block that the market's reader has heard of and that is the header's, or
 * comes before it: what is above it is taken back, and followed once more where it stays. -1 when
 * there is none.
 */
export const newestKept = Effect.fnUntraced(function* (
  { mirror, reading }: Pick<Following, "mirror" | "reading">,
  header: Header,
): Effect.fn.Return<number, RpcError> {
  const heard = mirror.told.heard.filter(({ number }) => number <= header.number);
  const count = yield* countKept(reading, heard, header);
  return heard[count - 1]?.number ?? -1;
});

/**
 * How many of some blocks, ascending and each before the next, are of the header's chain. Near the
 * header nodes may disagree about numbers: before it only hashes count there.
 */
export const countKept = Effect.fnUntraced(function* (
  reading: MarketReading,
  blocks: ReadonlyArray<BlockId>,
  header: Header,
): Effect.fn.Return<number, RpcError> {
  const settled = header.number - reading.journalDepth;
  const recent = blocks.find(({ number }) => number > settled);
  const near = new Map<number, string>();
  if (recent !== undefined && recent.number <= header.number) {
    const headers = yield* reading.endpoints.withEndpoint((endpoint) =>
      headersBack(endpoint, recent.number, header),
    );
    for (const { number, hash } of headers) near.set(number, hash);
  }
  const isKept = (block: BlockId) =>
    block.number > settled && block.number <= header.number
      ? Effect.succeed(near.get(block.number) === block.hash)
      : isCanonical(reading, block);
  // Of those before `kept` the chain has all, of those from `lost` on none.
  let kept = 0;
  let lost = blocks.length;
  // Most often it has the newest, too.
  for (let place = lost - 1; kept < lost; place = (kept + lost) >> 1) {
    if (yield* isKept(blocks[place]!)) kept = place + 1;
    else lost = place;
  }
  return kept;
});
