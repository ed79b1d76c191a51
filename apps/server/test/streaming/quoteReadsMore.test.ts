import { type PoolIndex, RouteRelevance, type TokenIndex } from "@millrace/core";
import { encodeReserves } from "@millrace/protocols";
import { afterEach, describe, expect, it } from "vitest";
import { type FeedGround, openFeedGround } from "./feedGround.ts";
import type { Parameters } from "./mixedSubscriptions.ts";
import { recomputed } from "./recomputed.ts";
import { textOf } from "./StreamTruth.ts";

const BLOCKS = 60;

let ground: FeedGround;
afterEach(() => ground?.close());

/** Constant-product pools, which hold two tokens. */
function products(): ReadonlyArray<PoolIndex> {
  const { graph } = ground.market.engine;
  const family = graph.curveNames.indexOf("constant-product");
  return Array.from({ length: graph.poolCount }, (_, index) => index as PoolIndex).filter(
    (pool) => graph.isLive(pool) && graph.poolCurve[pool] === family,
  );
}

const tokenOf = (pool: PoolIndex, position: number): string => {
  const { graph } = ground.market.engine;
  return graph.tokenAddress(graph.poolToken(pool, position));
};

describe("a quote that reads more than the routes between its tokens", () => {
  const kinds: ReadonlyArray<readonly [what: string, options: object, zeros: number]> = [
    ["what gas costs in the token that comes out", { gasPriceWei: "50000000000000" }, 17],
    ["what stands in its way", { explain: true }, 40],
  ];
  it.each(kinds)("is told when a block changes that alone: %s", async (_, options, zeros) => {
    let readMore = 0;
    for (let seed = 1; seed <= 3; seed++) {
      ground = await openFeedGround(60, seed);
      const { graph } = ground.market.engine;
      const pools = products();
      const quotes = pools.flatMap((pool, index): Parameters[] => {
        const shared = { channel: "quote", network: "ETH", maxHops: 1 + (index % 3), ...options };
        const tokenA = tokenOf(pool, index % 2);
        // Linked by few pools, or by none.
        const tokenB = tokenOf(
          index % 4 === 3 ? pools[(index * 7) % pools.length]! : pool,
          1 - (index % 2),
        );
        const amount = `${1 + (index % 9)}${"0".repeat(zeros + (index % 4))}`;
        return tokenA === tokenB ? [] : [{ ...shared, tokenA, tokenB, amountIn: amount }];
      });
      const topics = quotes.map((parameters) => ground.acquire(parameters));
      await ground.apply({ states: ground.moves(1) });
      await ground.told();
      let before = quotes.map((parameters) => truth(parameters));
      for (let block = 0; block < BLOCKS; block++) {
        const pool = pools[(block * 11 + seed) % pools.length]!;
        // A large move, which changes the cost of gas in the pool's tokens.
        const reserves = [
          10n ** BigInt(17 + (block % 8)),
          10n ** BigInt(24 - (block % 7)),
        ] as const;
        const state = encodeReserves(reserves);
        const { changedPools } = await ground.apply({
          states: [{ pool: graph.poolAddress(pool), state }],
        });
        await ground.told();
        const relevance = new RouteRelevance(graph, changedPools);
        const after = quotes.map((parameters) => truth(parameters));
        for (const [index, parameters] of quotes.entries()) {
          const told = textOf(parameters, JSON.parse(topics[index]!.dataSince(0)));
          expect(told, JSON.stringify(parameters)).toBe(after[index]);
          const [tokenIn, tokenOut] = [parameters["tokenA"], parameters["tokenB"]].map(
            (address) => graph.findToken(String(address)) as TokenIndex,
          );
          const isRouted = relevance.mayMatter(tokenIn!, tokenOut!, Number(parameters["maxHops"]));
          if (!isRouted && after[index] !== before[index]) readMore++;
        }
        before = after;
      }
      await ground.close();
    }
    expect(readMore).toBeGreaterThan(0);
  });
});

const truth = (parameters: Parameters): string =>
  textOf(parameters, recomputed(ground.network, parameters, 0));
