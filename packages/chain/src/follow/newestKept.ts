import { Effect } from "effect";
import type { RpcError } from "../rpc/RpcError.ts";
import type { BlockId } from "./Discovery.ts";
import { isCanonical } from "./discoverMarket.ts";
import type { Following } from "./Following.ts";
import type { Header } from "./Header.ts";
import { headersBack } from "./headersBack.ts";

/**
 * The number of the newest block that the market's reader has heard of and that is the header's, or
 * comes before it: what is above it is taken back, and followed once more where it stays. -1 when
 * there is none. Near the header nodes may disagree about numbers: there only hashes count.
 */
export const newestKept = Effect.fnUntraced(function* (
  { mirror, reading }: Pick<Following, "mirror" | "reading">,
  header: Header,
): Effect.fn.Return<number, RpcError> {
  const heard = mirror.told.heard.filter(({ number }) => number <= header.number);
  const newest = heard.at(-1);
  if (newest === undefined) return -1;
  const settled = header.number - reading.journalDepth;
  const near = new Map<number, string>();
  if (newest.number > settled) {
    const fromBlock = Math.max(settled + 1, heard[0]!.number);
    const headers = yield* reading.endpoints.withEndpoint((endpoint) =>
      headersBack(endpoint, fromBlock, header),
    );
    for (const { number, hash } of headers) near.set(number, hash);
  }
  const isKept = (block: BlockId) =>
    block.number > settled
      ? Effect.succeed(near.get(block.number) === block.hash)
      : isCanonical(reading, block);
  // Of those before `kept` the chain has all, of those from `lost` on none.
  let kept = 0;
  let lost = heard.length;
  // Most often it has the newest, too.
  for (let place = lost - 1; kept < lost; place = (kept + lost) >> 1) {
    if (yield* isKept(heard[place]!)) kept = place + 1;
    else lost = place;
  }
  return heard[kept - 1]?.number ?? -1;
});
