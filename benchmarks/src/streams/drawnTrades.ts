import type { TokenIndex } from "@millrace/core";
import { deepestHolding } from "../market.ts";
import { SeededRandom } from "../SeededRandom.ts";
import type { MovingMarket, Sought } from "./MovingMarket.ts";

const SEED = 20_261_122;
/** A generated market begins with its hubs. */
const HUBS = 5;
/** The largest input, in thousandths of the deepest pool's holding of the token. */
const PART_MAX = 10;

/** Endless trades from any token to another one; every second trade goes to a hub. */
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
