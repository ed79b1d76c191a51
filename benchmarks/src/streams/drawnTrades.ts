import type { TokenIndex } from "@millrace/core";
import { deepestHolding } from "../market.ts";
import { SeededRandom } from "../SeededRandom.ts";
import type { MovingMarket, Sought } from "./MovingMarket.ts";

const SEED = 20_261_122;
/** A generated market begins with its hubs. */
const HUBS = 5;
/** At most this part of what the deepest pool of the token holds comes in, in thousandths. */
const PART_MAX = 10;

/** Trades without end, each between any token and another or, every second, a hub. */
export function* drawnTrades({ market }: MovingMarket): Generator<Sought> {
  const { graph } = market;
  const random = new SeededRandom(SEED);
  for (let count = 0; ; count++) {
    const tokenIn = random.below(graph.tokenCount) as TokenIndex;
    const tokenOut = random.below(count % 2 === 0 ? HUBS : graph.tokenCount) as TokenIndex;
    const part = BigInt(1 + random.below(PART_MAX));
    yield {
      tokenIn: graph.tokenAddress(tokenIn),
      tokenOut: graph.tokenAddress(tokenOut),
      amountIn: (deepestHolding(market, tokenIn) * part) / 1_000n + 1n,
    };
  }
}
