import type { Topic } from "../../src/streaming/Topic.ts";
import { NATIVE } from "../kit/service.ts";
import type { FeedGround } from "./feedGround.ts";
import type { Parameters } from "./mixedSubscriptions.ts";
import { recomputed } from "./recomputed.ts";
import { textOf } from "./StreamTruth.ts";

/** A topic, with the parameters that recompute its value from the current market alone. */
export interface Held {
  readonly topic: Topic;
  readonly parameters: Parameters;
}

export const hold = (ground: FeedGround, parameters: Parameters, client?: string): Held => ({
  topic: ground.acquire(parameters, client),
  parameters,
});

/** The topic's value, without stamps. */
export const told = ({ topic, parameters }: Held): string =>
  textOf(parameters, JSON.parse(topic.dataSince(0)));

/** The value in the current market. */
export const truth = (ground: FeedGround, { parameters }: Held): string =>
  textOf(parameters, recomputed(ground.network, parameters, 0));

export const token = (ground: FeedGround, index: number): string => {
  const { graph } = ground.market.engine;
  return graph.tokenAddress((index % graph.tokenCount) as never);
};

export const pool = (ground: FeedGround, index: number): string => {
  const { graph } = ground.market.engine;
  return graph.poolAddress((index % graph.poolCount) as never);
};

/** Quotes with all options, of tokens that are close to each other, and of distant ones. */
export function quotes(ground: FeedGround, count: number): ReadonlyArray<Parameters> {
  const { graph } = ground.market.engine;
  return Array.from({ length: count }, (_, index) => {
    const maxHops = 1 + (index % 4);
    const amountIn = `1${"0".repeat(12 + (index % 8))}`;
    const tokenA = token(ground, index * 5);
    const [one, other] = [graph.poolToken((index % graph.poolCount) as never, 0), index * 3 + 1];
    const tokenB = token(ground, token(ground, one) === tokenA ? other : one);
    const shared = { channel: "quote", network: "ETH", tokenA, tokenB };
    if (tokenA === tokenB) return { ...shared, tokenB: NATIVE, amountIn };
    switch (index % 12) {
      case 0:
        return { ...shared, amountOut: amountIn.slice(0, -6), maxHops };
      case 1:
        return { ...shared, amounts: [amountIn, `${amountIn}0`, `${amountIn}00`], maxHops };
      case 2:
        return { ...shared, amountIn, maxHops, gasPriceWei: "20000000000" };
      case 3:
        return { ...shared, amountIn, maxHops, explain: true };
      case 4:
        return { ...shared, amountIn, maxHops, assume: [{ removePool: pool(ground, index) }] };
      case 5:
        return { ...shared, amountIn, maxHops, excludePools: [pool(ground, index)] };
      case 6:
        return { ...shared, amountIn, maxHops, maxSplits: 3 };
      case 7:
        return { ...shared, tokenA: NATIVE, amountIn, maxHops };
      case 8:
        return { ...shared, amountIn: `${amountIn}${"0".repeat(20)}`, maxHops, explain: true };
      case 9:
        return { ...shared, amounts: [amountIn, `${amountIn}0`], maxHops, explain: true };
      default:
        return { ...shared, amountIn, maxHops };
    }
  });
}
