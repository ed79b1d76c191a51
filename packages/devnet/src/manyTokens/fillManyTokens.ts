import type { Market } from "../market/Market.ts";
import type { Transaction } from "../node/transactions.ts";
import { depthsOf, throughRouter } from "./errands.ts";

/** Of a token's depth: what is swapped there so that a pool has a past. */
const FIRST_SHARE = 10_000n;

/** The transactions, each of the deployer, that put the first liquidity in. */
export const fillManyTokens = ({ manyTokens, families }: Market): ReadonlyArray<Transaction> =>
  manyTokens.pools.flatMap((planned) => {
    const depths = depthsOf(planned, ({ priceUsd }) => priceUsd);
    const errand = planned.house.fill(planned.pool, depths, families!);
    return errand === undefined ? [] : [throughRouter(families!.router, errand)];
  });

/** A little from each place to the next, as `tradeEverywhere` for the others. */
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
