import { Schema } from "effect";
import { poolNames } from "./poolName.ts";

/** One pool of a route. */
export const QuoteStepJson = Schema.Struct({
  tokenA: Schema.String.annotateKey({
    description: "What goes in, lower case; the wrapped form of the native token.",
  }),
  tokenB: Schema.String.annotateKey({ description: "What comes out." }),
  dexId: Schema.String,
  ...poolNames,
  aToB: Schema.Boolean.annotateKey({ description: "Always true: `tokenA` is what goes in." }),
  fee: Schema.Number.annotateKey({ description: "Hundredths of a basis point: 3000 = 0.3 %." }),
  zeroForOne: Schema.Boolean.annotateKey({ description: "The step sells the pool's token0." }),
  amountIn: Schema.String.annotateKey({
    description:
      "What this step takes: on a path what the step before gave, on the first step of a path that " +
      "path's own share.",
  }),
  amountOut: Schema.String.annotateKey({
    description: "What the pool gives for it, in the state that earlier steps left it in.",
  }),
}).annotate({ identifier: "QuoteStep", description: "One pool of a route." });

export type QuoteStepJson = typeof QuoteStepJson.Type;
