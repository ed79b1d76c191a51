import { Effect } from "effect";
import type { Figure } from "../Figure.ts";
import type { Heard } from "./listener.ts";
import type { MovingMarket } from "./MovingMarket.ts";
import { type UpdateSizes, updateFigures, watchUpdates } from "./updates.ts";

/**
 * Subscribers to the prices of tokens that every block moves, as many tokens as subscribers if the
 * market has them. Measures when the last new price of a block arrives, and when its last change of
 * any kind does. Changes include the liquidity, which is sent once market data has settled.
 */
export const timePrices = Effect.fnUntraced(function* (
  name: string,
  moving: MovingMarket,
  sizes: UpdateSizes & { readonly subscribers: number },
  folder: string,
) {
  const tokens = moving.followers(sizes.subscribers);
  const operations = Array.from({ length: sizes.subscribers }, (_, id) => {
    const token = tokens[id % tokens.length];
    return JSON.stringify({ op: "subscribe", id, channel: "price", network: "ETH", token });
  });
  const watched = yield* watchUpdates(moving, operations, sizes, folder);
  return [
    { name: `streams.prices.${name}.subscribers`, value: operations.length, unit: "subscribers" },
    { name: `streams.prices.${name}.tokens`, value: tokens.length, unit: "tokens" },
    ...updateFigures(`prices.${name}`, { ...watched, heard: newPrices(watched.heard) }),
    ...updateFigures(`prices.${name}.all`, watched),
  ] satisfies ReadonlyArray<Figure>;
});

/** Updates whose price differs from the one before. */
function newPrices(heard: ReadonlyArray<Heard>): ReadonlyArray<Heard> {
  const prices = new Map<number, number | undefined>();
  return heard.filter(({ operation, price }) => {
    const isNew = prices.get(operation) !== price;
    prices.set(operation, price);
    return isNew;
  });
}
