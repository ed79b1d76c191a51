import type { Market } from "../market/Market.ts";
import type { Transaction } from "../node/transactions.ts";
import { depthsOf, throughRouter } from "./errands.ts";

/** The part of a token's depth that is swapped to give the pool a past. */
const FIRST_SHARE = 10_000n;

/** The deployer's transactions that add the first liquidity. */
export const fillManyTokens = ({ manyTokens, families }: Market): ReadonlyArray<Transaction> =>
  manyTokens.pools.flatMap((planned) => {
    const depths = depthsOf(planned, ({ priceUsd }) => priceUsd);
    const errand = planned.house.fill(planned.pool, depths, families!);
    return errand === undefined ? [] : [throughRouter(families!.router, errand)];
  });

/** Swaps a little from each position to the next, as `tradeEverywhere` does for other pools. */
export const tradeManyTokens = ({ manyTokens, families }: Market): ReadonlyArray<Transaction> =>
  manyTokens.pools.flatMap((planned) => {
    const { pool, house, tokens } = planned;
    const depths = depthsOf(planned, ({ priceUsd }) => priceUsd);
    return tokens.flatMap((_, positionIn) => {
      const positionOut = (positionIn + 1) % tokens.length;
      const amountIn = depths[positionIn]! / FIRST_SHARE;
      const swap = house.swap(pool, { positionIn, positionOut, amountIn }, families!);
      return swap === undefined ? [] : [throughRouter(families!.router, swap)];
    });
  });
