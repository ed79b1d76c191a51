import type { OpenMarket, QuoteRequest } from "@millrace/core";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Ceiling } from "../ceiling/Ceiling.ts";
import type { Figure } from "../Figure.ts";
import { PAIR_KINDS, type SplitQuery, TRADE_SIZES } from "./queries.ts";

/** The largest relative gap between the bounds of a ceiling. */
const GAP_MAX = 1e-5;
/** The rounding error of a float ceiling. */
const ROUNDING = 1e-9;

/** A query with the most output that it could give. */
export interface RatedQuery extends SplitQuery {
  readonly ceiling: number;
}

/** Solves for the ceiling of each query. Fails where its bounds are too far apart. */
export const rateQueries = (
  ceiling: Ceiling,
  queries: ReadonlyArray<SplitQuery>,
): Effect.Effect<ReadonlyArray<RatedQuery>, BenchmarkError> =>
  Effect.forEach(queries, (query) => {
    const { upper, lower } = ceiling.solve(query.tokenIn, query.tokenOut, Number(query.amount));
    return upper - lower <= GAP_MAX * upper
      ? Effect.succeed({ ...query, ceiling: upper })
      : fail(query, `the ceiling is between ${lower} and ${upper}`);
  });

/**
 * Outputs as parts of the ceiling: means and minima. Fails for a query without an answer, and for
 * an answer above the ceiling.
 */
export const measureQuality = Effect.fnUntraced(function* (
  { router }: OpenMarket,
  queries: ReadonlyArray<RatedQuery>,
  requestOf: (query: SplitQuery) => QuoteRequest,
): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const rated = yield* Effect.forEach(queries, (query) => {
    const result = router.quote(requestOf(query));
    if (!result.found) return fail(query, result.reason);
    const ratio = Number(result.amountOut) / query.ceiling;
    if (ratio > 1 + ROUNDING) return fail(query, `${ratio} of the ceiling`);
    return Effect.succeed({ query, ratio });
  });
  const meanOf = (isMeant: (query: SplitQuery) => boolean) =>
    mean(rated.filter(({ query }) => isMeant(query)).map(({ ratio }) => ratio));
  const unit = "of the ceiling";
  return [
    { name: "quality", value: meanOf(() => true), unit },
    ...TRADE_SIZES.map(({ name }) => ({
      name: `quality-${name}`,
      value: meanOf(({ size }) => size === name),
      unit,
    })),
    ...PAIR_KINDS.map((name) => ({
      name: `quality-${name}`,
      value: meanOf(({ pairKind }) => pairKind === name),
      unit,
    })),
    { name: "quality-min", value: Math.min(...rated.map(({ ratio }) => ratio)), unit },
  ];
});

function mean(values: ReadonlyArray<number>): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function fail({ tokenIn, tokenOut, amount }: SplitQuery, found: string) {
  const message = `${amount} of token ${tokenIn} for token ${tokenOut}: ${found}`;
  return Effect.fail(new BenchmarkError({ message }));
}
