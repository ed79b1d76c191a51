import { Schema } from "effect";
import { poolNames } from "./poolName.ts";
import { QuoteStepJson } from "./quoteStep.ts";

const StepExplanation = Schema.Struct({
  ...poolNames,
  feeBps: Schema.Finite.annotateKey({ description: "The pool's fee on the value that goes in." }),
  curveBps: Schema.Finite.annotateKey({
    description:
      "What else the step loses; below 0 where it gives more, as when an earlier path of the same " +
      "quote left the pool with a better price.",
  }),
}).annotate({ identifier: "StepExplanation", description: "What one step loses." });

const RunnerUp = Schema.Struct({
  amountIn: Schema.String,
  amountOut: Schema.String,
  routePlan: Schema.Array(QuoteStepJson),
}).annotate({
  identifier: "RunnerUp",
  description:
    "What a route was better than: for one path the best route that lacks at least one of its " +
    "pools; for several the best without the pool that most of the input goes through.",
});

/**
 * The difference between the quote and a trade at mid prices without fees and price impact, by
 * cause; in basis points of the latter.
 */
export const RouteExplanationJson = Schema.Struct({
  midPrice: Schema.Finite.annotateKey({
    description:
      "Whole output tokens per whole input token at the mid prices along the route, before fees; " +
      "paths weighted by what goes in.",
  }),
  totalBps: Schema.Finite.annotateKey({
    description: "How much less the quote gives than the mid price, in basis points.",
  }),
  feesBps: Schema.Finite.annotateKey({ description: "Of those, fees of the pools." }),
  curveBps: Schema.Finite.annotateKey({
    description: "Of those, that prices move with the swaps, and roundings.",
  }),
  steps: Schema.Array(StepExplanation).annotateKey({
    description: "The same by step of `routePlan`, in its order.",
  }),
  runnerUp: Schema.optionalKey(RunnerUp).annotateKey({ description: "Absent without any." }),
}).annotate({
  identifier: "RouteExplanation",
  description:
    "Where the difference between the mid price and the quote went: basis points that add up.",
});

export type RouteExplanationJson = typeof RouteExplanationJson.Type;

/** Which limit prevented a quote, and what value would be enough. */
export const RefusalExplanationJson = Schema.Union([
  Schema.Struct({
    limit: Schema.Literal("hops"),
    maxHops: Schema.Finite,
    neededHops: Schema.optionalKey(Schema.Finite).annotateKey({
      description: "How many the shortest path has; absent when no path at all links them.",
    }),
  }).annotate({
    identifier: "HopsLimit",
    description: "No path of at most `maxHops` pools links the tokens.",
  }),
  Schema.Struct({
    limit: Schema.Literal("filter"),
    neededHops: Schema.Finite.annotateKey({
      description: "How many pools a path without them has; above `maxHops` that limits too.",
    }),
  }).annotate({
    identifier: "FilterLimit",
    description: "`dexId`, exclusions or removed pools leave no path.",
  }),
  Schema.Struct({
    limit: Schema.Literal("leastAmount"),
    amount: Schema.String.annotateKey({
      description: "The least that gives anything: one unit less does not.",
    }),
  }).annotate({ identifier: "LeastAmountLimit", description: "The amount rounds to nothing." }),
  Schema.Struct({
    limit: Schema.Literal("capacity"),
    amount: Schema.String.annotateKey({
      description:
        "The most that one path can fill, to a part in 1,024 and never too much; `0` where pools " +
        "are empty.",
    }),
  }).annotate({
    identifier: "CapacityLimit",
    description: "The amount is above what the pools can fill.",
  }),
  Schema.Struct({
    limit: Schema.Literal("gas"),
    gasLimit: Schema.Finite,
    amount: Schema.String.annotateKey({
      description: "The most that one path can fill within it, likewise.",
    }),
  }).annotate({
    identifier: "GasLimit",
    description: "Pools could fill it, but not within the gas of one transaction.",
  }),
]).annotate({
  identifier: "RefusalExplanation",
  description: "Which limit stood in the way, and what would do: `explain` was asked.",
});

export type RefusalExplanationJson = typeof RefusalExplanationJson.Type;
