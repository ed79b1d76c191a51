import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address, TokenIndex } from "@millrace/core";
import { embeddedHistory, type HistoryBlock } from "@millrace/history";
import { eventually, TestScope } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { LongChanges } from "../../src/history/LongChanges.ts";

const DAY_MS = 86_400_000;
const TOKENS = [1, 2, 3].map((digit): Address => `0x${String(digit).repeat(40)}`);

describe("changes of prices over days", () => {
  it("are since the last price that was paid a week, or a month, ago", async () => {
    const folder = await mkdtemp(join(tmpdir(), "millrace-changes-"));
    const scope = new TestScope();
    try {
      const store = await scope.run(embeddedHistory({ path: join(folder, "history"), chainId: 1 }));
      const blocks = [
        // Too far before the start of the month.
        blockAt(38, new Map([[TOKENS[2]!, 3]])),
        blockAt(31, new Map([[TOKENS[0]!, 50]])),
        blockAt(20, new Map([[TOKENS[0]!, 70]])),
        blockAt(8, new Map([[TOKENS[0]!, 80]])),
        blockAt(7.5, new Map([[TOKENS[1]!, 2]])),
        blockAt(1, new Map([[TOKENS[0]!, 90]])),
      ];
      await scope.run(store.write(blocks.map((block) => ({ kind: "block", block }))));
      const data = { routableTokens: () => [0, 1, 2] as TokenIndex[] };
      const changes = await scope.run(LongChanges.open(store, data, (token) => TOKENS[token]!));
      await eventually(async () => "priceChange7d" in changes.of(TOKENS[1]!, 1));
      expect(changes.of(TOKENS[0]!, 100)).toEqual({ priceChange7d: 0.25, priceChange30d: 1 });
      expect(changes.of(TOKENS[1]!, 1)).toEqual({ priceChange7d: -0.5 });
      expect(changes.of(TOKENS[2]!, 1)).toEqual({});
      expect(changes.of(TOKENS[0]!, 0)).toEqual({});
    } finally {
      await scope.close();
      await rm(folder, { recursive: true });
    }
  });
});

/** A block from `daysAgo` days ago, in which tokens were swapped at these prices. */
function blockAt(daysAgo: number, prices: HistoryBlock["prices"]): HistoryBlock {
  const number = 1_000 - Math.round(10 * daysAgo);
  const hash: Address = `0x${String(number).padStart(64, "0")}`;
  const swap = {
    pool: `0x${"a".repeat(40)}` as Address,
    tokenOut: `0x${"b".repeat(40)}` as Address,
    amountIn: 1n,
    amountOut: 1n,
    priceAfter: 1,
    value: 1,
    transactionHash: hash,
  };
  return {
    stamp: { number, hash, timestampMs: Math.floor(Date.now() - daysAgo * DAY_MS) },
    swaps: [...prices.keys()].map((tokenIn, logIndex) => ({ ...swap, tokenIn, logIndex })),
    prices,
  };
}
