import type { AppliedBlock } from "@millrace/core";
import { Effect, Exit, Scope } from "effect";
import { afterEach, describe, expect, it } from "vitest";
import { followHistory } from "../../src/networks/followHistory.ts";

const BEFORE = { sinceMs: 7_000, isComplete: false };
const ALL = { sinceMs: 3_000, isComplete: true };

const scope = Scope.makeUnsafe();
afterEach(() => Effect.runPromise(Scope.close(scope, Exit.void)));

describe("the health of a network", () => {
  it("tells of the past what the market has taken in, not what was told to it", () => {
    let messageCount = 1;
    let told = BEFORE;
    let hasAllTrades = true;
    const listeners = new Set<(block: AppliedBlock) => void>();
    const history = Effect.runSync(
      Scope.provide(
        followHistory({
          source: { published: () => ({ messageCount, ranges: [] }), history: () => told },
          data: { hasAllTrades: () => hasAllTrades },
          onApplied: (listener) => {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        }),
        scope,
      ),
    );
    const apply = () => {
      for (const listener of listeners) listener({} as AppliedBlock);
    };
    expect(history()).toEqual(BEFORE);
    // Two messages have been published, the last one of the past among them.
    messageCount = 3;
    told = ALL;
    expect(history()).toEqual(BEFORE);
    apply();
    expect(history()).toEqual(BEFORE);
    hasAllTrades = false;
    apply();
    // Both are applied; their swaps are not all counted.
    expect(history()).toEqual(BEFORE);
    hasAllTrades = true;
    expect(history()).toEqual(ALL);
    // A block on its way does not change that.
    messageCount = 4;
    expect(history()).toEqual(ALL);
  });
});
