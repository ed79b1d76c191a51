import type { TokenIndex } from "@millrace/core";
import type { SwapOrder } from "@millrace/execution";
import type { Figure } from "../Figure.ts";
import { SeededRandom } from "../SeededRandom.ts";
import { runRounds, Series } from "../Series.ts";
import { orderOf, type SwapFixture } from "./swapFixture.ts";

const SEED = 20_261_121;
/** Shapes of orders, which take turns. */
const SHAPES = [
  { name: "1-path", maxSplits: 1, maxHops: 3, kind: "exactIn" },
  { name: "1-path-exact-out", maxSplits: 1, maxHops: 3, kind: "exactOut" },
  { name: "8-paths", maxSplits: 8, maxHops: 4, kind: "exactIn" },
] as const;

/**
 * Microseconds from an order to its unsigned transaction: recomputed, encoded, decoded and
 * compared, without a call to a chain.
 */
export function timeBuilding(
  fixture: SwapFixture,
  sizes: { readonly orders: number; readonly warmUps: number; readonly rounds: number },
): ReadonlyArray<Figure> {
  const series = SHAPES.map((shape) => ({
    name: shape.name,
    series: new Series(drawOrders(fixture, shape, sizes.orders), (order: SwapOrder) => {
      const built = fixture.build(order);
      if (built.refused) throw new Error(`${built.code}: ${built.detail}`);
      return built.swap.data.length;
    }),
  }));
  runRounds(
    series.map((one) => one.series),
    sizes,
  );
  return series.flatMap(({ name, series: { rounds } }) => [
    { name: `swaps.build.${name}.p50`, value: rounds.p50, unit: "us" },
    { name: `swaps.build.${name}.p99`, value: rounds.p99, unit: "us" },
  ]);
}

/** Orders of quotes between random tokens, of 0.01 % to 10 % of the pools' holding of the token. */
function drawOrders(
  fixture: SwapFixture,
  { kind, maxHops, maxSplits }: (typeof SHAPES)[number],
  count: number,
): ReadonlyArray<SwapOrder> {
  const { graph, router } = fixture.market;
  const random = new SeededRandom(SEED);
  const orders: SwapOrder[] = [];
  while (orders.length < count) {
    const tokenIn = random.below(graph.tokenCount) as TokenIndex;
    const tokenOut = random.below(graph.tokenCount) as TokenIndex;
    if (tokenIn === tokenOut) continue;
    const held = heldOf(fixture, kind === "exactIn" ? tokenIn : tokenOut);
    const amount = held / BigInt(10 ** (1 + random.below(4))) + 1n;
    const quote = router.quote({ tokenIn, tokenOut, kind, amount, maxHops, maxSplits });
    if (!quote.found) continue;
    const order = orderOf(fixture, kind, quote);
    // The minimum output of dust may be 0.
    if (!fixture.build(order).refused) orders.push(order);
  }
  return orders;
}

function heldOf({ market: { families, graph } }: SwapFixture, token: TokenIndex): bigint {
  let most = 0n;
  for (let pool = 0; pool < graph.poolCount; pool++) {
    const index = pool as Parameters<typeof graph.poolAddress>[0];
    const position = graph.poolPosition(index, token);
    if (position < 0) continue;
    const held = families[graph.poolCurve[pool]!]!.tokenAmounts(index)[position]!;
    if (held > most) most = held;
  }
  return most;
}
