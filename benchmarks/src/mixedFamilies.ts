import { type OpenMarket, openMarket } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { type GeneratorOptions, generateMarketBlock } from "@millrace/replay";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import type { Figure } from "./Figure.ts";
import { hubRequests, randomRequests } from "./growth.ts";
import { quoteForSink } from "./market.ts";
import { runRounds, Series } from "./Series.ts";
import { median } from "./statistics.ts";

const FULL = { poolCount: 16_000, pairs: 400, warmUps: 5, rounds: 21 };
const SMOKE = { poolCount: 1_000, pairs: 20, warmUps: 1, rounds: 2 };

const SEED = 20_261_122;

/** A quarter of the pools belong to other families than Uniswap V2's and V3's. */
const SHARES: GeneratorOptions["familyShares"] = {
  "uniswap-v4": 0.07,
  slipstream: 0.05,
  "algebra-integral": 0.03,
  "pancake-v3": 0.04,
  "aerodrome-volatile": 0.03,
  "aerodrome-stable": 0.03,
};

/**
 * The cost of further families to the search: a market in which a quarter of the pools belong to
 * them, and one of the same size without them, in the same rounds.
 */
export const mixedFamilies = (
  smoke: boolean,
): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.sync(() => {
    const sizes = smoke ? SMOKE : FULL;
    const { poolCount } = sizes;
    const plain = seriesOf(open({ seed: SEED, poolCount }), sizes.pairs);
    const mixed = seriesOf(openMixed(poolCount), sizes.pairs);
    runRounds([plain.hubs, mixed.hubs, plain.random, mixed.random], sizes);
    const name = `mixed-families.${poolCount / 1_000}k`;
    return (["hubs", "random"] as const).flatMap((kind): ReadonlyArray<Figure> => {
      const [without, withThem] = [plain[kind].rounds, mixed[kind].rounds];
      const ratio = (of: "p50s" | "p99s") =>
        median(withThem[of].map((time, round) => time / without[of][round]!));
      return [
        { name: `${name}.${kind}`, value: withThem.p50, unit: "us" },
        { name: `${name}.${kind}.p99`, value: withThem.p99, unit: "us" },
        { name: `${name}.${kind}.ratio`, value: ratio("p50s"), unit: "of V2 and V3 alone" },
        { name: `${name}.${kind}.p99.ratio`, value: ratio("p99s"), unit: "of V2 and V3 alone" },
      ];
    });
  });

/** A market with pools of many families. */
export const openMixed = (poolCount: number): OpenMarket =>
  open({ seed: SEED, poolCount, familyShares: SHARES });

function open(options: GeneratorOptions): OpenMarket {
  const market = openMarket(1, curves);
  market.writer.applyBlock(generateMarketBlock(options));
  return market;
}

function seriesOf(market: OpenMarket, pairs: number) {
  const quote = (request: Parameters<typeof quoteForSink>[1]) => quoteForSink(market, request);
  return {
    hubs: new Series(hubRequests(market), quote),
    random: new Series(randomRequests(market, pairs), quote),
  };
}
