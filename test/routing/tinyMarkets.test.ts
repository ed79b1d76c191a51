import { law } from "@millrace/testing";
import { type PlainPool, poolOf, requestsOn, tinyMarket } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Judge } from "../reference/Judge.ts";

const REQUESTS = 8;

const judged = (pools: ReadonlyArray<PlainPool>) => new Judge({ chainId: 1, block: 1, pools });

describe("on thousands of tiny markets at the edges of the arithmetic", () => {
  it("the engine's route is the best of all token-simple paths, or the reason right", () => {
    fc.assert(
      fc.property(
        tinyMarket.chain((pools) => fc.tuple(fc.constant(pools), requestsOn(pools, REQUESTS))),
        ([pools, requests]) => {
          const judge = judged(pools);
          for (const request of requests) expect(judge.disagreement(request)).toBe(undefined);
        },
      ),
      law("the best path on tiny markets", 160).options,
    );
  });

  it("the same holds after blocks have changed any of the pools", () => {
    const marketsThenChanges = tinyMarket.chain((pools) =>
      fc.tuple(
        fc.constant(pools),
        fc.array(fc.tuple(...pools.map(successor)), { minLength: 1, maxLength: 3 }),
        requestsOn(pools, REQUESTS),
      ),
    );
    fc.assert(
      fc.property(marketsThenChanges, ([pools, blocks, requests]) => {
        const judge = judged(pools);
        for (const changed of blocks) {
          for (const request of requests) expect(judge.disagreement(request)).toBe(undefined);
          judge.update({ changed: changed.filter((pool) => pool !== undefined) });
        }
        for (const request of requests) expect(judge.disagreement(request)).toBe(undefined);
      }),
      law("the best path on tiny markets: after blocks", 30).options,
    );
  });

  it("the same holds after pools have gone and others have come", () => {
    const marketsThenOthers = tinyMarket.chain((pools) =>
      fc.tuple(
        fc.constant(pools),
        fc.subarray([...pools]),
        newcomers(pools),
        requestsOn(pools, REQUESTS),
      ),
    );
    fc.assert(
      fc.property(marketsThenOthers, ([pools, leaving, coming, requests]) => {
        const judge = judged(pools);
        const unfiltered = requests.map(({ withoutPools: _, ...request }) => request);
        const blocks = [
          {},
          { removed: leaving },
          { added: coming },
          { removed: coming, added: leaving },
        ];
        for (const block of blocks) {
          judge.update(block);
          for (const request of unfiltered) expect(judge.disagreement(request)).toBe(undefined);
        }
      }),
      law("the best path on tiny markets: pools come and go", 20).options,
    );
  });

  it("the same holds after each of its own routes was executed", () => {
    fc.assert(
      fc.property(
        tinyMarket.chain((pools) => fc.tuple(fc.constant(pools), requestsOn(pools, REQUESTS))),
        ([pools, requests]) => {
          const judge = judged(pools);
          for (const request of requests) {
            judge.execute(request);
            expect(judge.disagreement(request)).toBe(undefined);
          }
        },
      ),
      law("the best path on tiny markets: routes executed", 40).options,
    );
  });
});

/** New pools between a market's tokens, at unused addresses. */
function newcomers(pools: ReadonlyArray<PlainPool>): fc.Arbitrary<ReadonlyArray<PlainPool>> {
  const known = new Set(pools.map(({ dexId }) => dexId));
  const tokens = new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]));
  return tinyMarket.map((others) =>
    others
      .filter(
        ({ dexId, token0, token1 }) => known.has(dexId) && tokens.has(token0) && tokens.has(token1),
      )
      .map((pool): PlainPool => ({ ...pool, address: `0xcc${pool.address.slice(4)}` })),
  );
}

/** A later state of a pool, or none; its constants stay. */
function successor(pool: PlainPool, id: number): fc.Arbitrary<PlainPool | undefined> {
  const later = poolOf(pool.family, id, 0, 1).map((next): PlainPool => {
    const { address, dexId, token0, token1, feePips } = pool;
    const same = { address, dexId, token0, token1, feePips };
    if (pool.family === "constantProduct" && next.family === "constantProduct") {
      const within = (reserve: bigint) =>
        pool.rule === "feeInside" ? reserve % (1n << 112n) : reserve;
      const { reserve0, reserve1 } = next;
      return {
        ...next,
        ...same,
        rule: pool.rule,
        reserve0: within(reserve0),
        reserve1: within(reserve1),
      };
    }
    if (pool.family === "concentratedLiquidity" && next.family === "concentratedLiquidity") {
      // Tick spacing and contract are constant: where the new state does not fit them, the old one
      // stays.
      const isFitting = next.tickSpacing === pool.tickSpacing && next.contract === pool.contract;
      return isFitting ? { ...next, ...same } : pool;
    }
    return pool;
  });
  return fc.option(later, { nil: undefined });
}
