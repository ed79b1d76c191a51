import { Effect } from "effect";
import type { Following } from "../follow/Following.ts";
import { headerByNumber } from "../follow/Header.ts";
import { aside } from "../rpc/aside.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { KnownRange } from "./KnownRange.ts";

/**
 * Finds out, once, which of the ranges that the reader knows end with a block that the chain still
 * has. It has to be said before the first block is told: by then the reader must know what to leave
 * out, and what it leaves out has to be told again.
 */
export const confirmKnown = Effect.fnUntraced(function* ({
  known,
  condition,
  reading,
}: Following): Effect.fn.Return<void, RpcError> {
  if (condition.confirmed !== undefined) return;
  const confirmed: KnownRange[] = [];
  for (const range of known) {
    const last = yield* reading.endpoints
      .withEndpoint((endpoint) => headerByNumber(aside(endpoint), range.toBlock))
      .pipe(
        // The chain is not so long.
        Effect.catchIf(
          ({ reason }) => reason === "Refused",
          () => Effect.succeed(undefined),
        ),
      );
    if (last?.hash === range.toHash) confirmed.push(range);
  }
  condition.confirmed = confirmed;
});

/** Number of the newest block that is confirmed; undefined where none is. */
export function confirmedTo(confirmed: ReadonlyArray<KnownRange> | undefined): number | undefined {
  if (confirmed === undefined || confirmed.length === 0) return undefined;
  return Math.max(...confirmed.map(({ toBlock }) => toBlock));
}
