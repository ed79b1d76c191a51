import { assert, describe, it } from "@effect/vitest";
import type { Address } from "@millrace/core";
import type { Asking, FollowedDex, NewPool, Resolved } from "@millrace/protocols";
import { Effect } from "effect";
import type { BlockReader } from "../../src/reading/callAll.ts";
import { resolveCreations, sortCreations } from "../../src/reading/creations.ts";

const dex = { dex: { id: "MANY" } } as FollowedDex;

function poolAt(digit: string): NewPool {
  const address: Address = `0x${digit.repeat(40)}`;
  const tokens: Address[] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
  const listing = { address, dexId: "MANY", tokens, feePips: 0, parameter: 0 };
  return { listing, created: undefined };
}

/** A creation that resolves without any call. */
const resolvingTo = (resolved: Resolved, block: number) => ({
  dex,
  block,
  logIndex: 0,
  creation: { resolve: () => asksNothing(resolved) },
});

function* asksNothing(resolved: Resolved): Asking<Resolved> {
  yield* [];
  return resolved;
}

describe("creations that are resolved", () => {
  it.effect(
    "may be of several pools, of one that is refused, or of none, which alone is skipped",
    Effect.fnUntraced(function* () {
      const sorted = sortCreations([
        resolvingTo([poolAt("1"), poolAt("2")], 7),
        // A log that may be of the same pools.
        resolvingTo([poolAt("1"), poolAt("2")], 8),
        resolvingTo(poolAt("3"), 5),
        resolvingTo({ refused: "a rebasing coin" }, 6),
        resolvingTo([], 8),
        resolvingTo(undefined, 9),
      ]);
      const found = yield* resolveCreations(Effect.succeed({} as BlockReader), sorted);
      assert.deepStrictEqual(
        found.pools.map(({ listing, block }) => [listing.address.slice(0, 3), block]),
        [
          ["0x3", 5],
          ["0x1", 7],
          ["0x2", 7],
        ],
      );
      assert.deepStrictEqual(found.refused, [
        { dexId: "MANY", reason: "a rebasing coin", block: 6 },
      ]);
      assert.deepStrictEqual(found.unresolved, []);
      assert.strictEqual(found.skipped, 1);
    }),
  );
});
