import { Effect } from "effect";
import type { Header } from "../follow/Header.ts";
import type { RpcError } from "../rpc/RpcError.ts";

/**
 * Number of the first block not older than a time, at least `startBlock`. The search goes down from
 * the head, first by `stepBlocks`, which may be far enough: not every node has the oldest blocks.
 */
export const firstBlockSince = Effect.fnUntraced(function* (
  headerAt: (number: number) => Effect.Effect<Pick<Header, "timestampMs">, RpcError>,
  head: Pick<Header, "number">,
  sinceMs: number,
  startBlock: number,
  stepBlocks: number,
): Effect.fn.Return<number, RpcError> {
  if (startBlock >= head.number) return startBlock;
  const isOlder = (number: number) =>
    Effect.map(headerAt(number), ({ timestampMs }) => timestampMs < sinceMs);
  // `after` is older; `found` is not.
  let found = head.number;
  let after: number;
  for (let step = Math.max(1, stepBlocks); ; step *= 2) {
    after = Math.max(startBlock, head.number - step);
    if (yield* isOlder(after)) break;
    if (after === startBlock) return startBlock;
    found = after;
  }
  while (found - after > 1) {
    const middle = (found + after) >> 1;
    if (yield* isOlder(middle)) after = middle;
    else found = middle;
  }
  return found;
});
