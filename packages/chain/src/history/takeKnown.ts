import { Effect } from "effect";
import type { Following } from "../follow/Following.ts";
import { headerByNumber } from "../follow/Header.ts";
import { aside } from "../rpc/aside.ts";
import type { RpcError } from "../rpc/RpcError.ts";

/**
 * Enters the confirmed ranges into the mirror's books, as far as they lie before the block that it
 * was opened at. One whose last block the chain has no longer is read again.
 */
export const takeKnown = Effect.fnUntraced(function* (
  { mirror, reading, condition }: Following,
  resetCount: number,
): Effect.fn.Return<void, RpcError> {
  for (const range of condition.confirmed ?? []) {
    const found = yield* reading.endpoints
      .withEndpoint((endpoint) =>
        Effect.all([
          headerByNumber(aside(endpoint), range.fromBlock),
          headerByNumber(aside(endpoint), range.toBlock),
        ]),
      )
      .pipe(
        // The chain is not so long.
        Effect.catchIf(
          ({ reason }) => reason === "Refused",
          () => Effect.succeed(undefined),
        ),
      );
    if (mirror.resetCount !== resetCount) return;
    const [first, last] = found ?? [];
    if (first === undefined || last?.hash !== range.toHash) continue;
    mirror.knowsPast(first, last);
  }
});
