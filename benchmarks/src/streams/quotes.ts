import { Effect } from "effect";
import type { Figure } from "../Figure.ts";
import { median } from "../statistics.ts";
import type { MovingMarket, Sought } from "./MovingMarket.ts";
import { type UpdateSizes, updateFigures, watchUpdates } from "./updates.ts";

const MAX_HOPS = 3;

/**
 * A subscriber for each of some different quotes: when the last quote that a block changes arrives,
 * and how many quotes the block could change at all.
 */
export const timeQuotes = Effect.fnUntraced(function* (
  name: string,
  moving: MovingMarket,
  sought: ReadonlyArray<Sought>,
  sizes: UpdateSizes,
  folder: string,
) {
  const operations = sought.map(({ tokenIn, tokenOut, amountIn }, id) =>
    JSON.stringify({
      op: "subscribe",
      id,
      channel: "quote",
      network: "ETH",
      tokenA: tokenIn,
      tokenB: tokenOut,
      dexId: "ALL",
      amountIn: String(amountIn),
    }),
  );
  const watched = yield* watchUpdates(moving, operations, sizes, folder);
  const of = (what: string, value: number, unit: string): Figure => ({
    name: `streams.quotes.${name}.${what}`,
    value,
    unit,
  });
  return [
    of("subscribers", operations.length, "subscribers"),
    of("relevant", median(moving.relevance(sought, MAX_HOPS)), "quotes/block"),
    ...updateFigures(`quotes.${name}`, watched),
  ] satisfies ReadonlyArray<Figure>;
});
