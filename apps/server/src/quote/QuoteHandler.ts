import { Context, Effect, Layer } from "effect";
import { Limits } from "../limits/Limits.ts";
import { Metrics } from "../Metrics.ts";
import { Networks } from "../networks/Networks.ts";
import { Traces } from "../traces/Traces.ts";
import { makeQuoteHandler, type QuoteAnswerer } from "./makeQuoteHandler.ts";

/**
 * Answers POST /:network/quote, and counts its answers: most of them synchronously; what takes
 * milliseconds is an Effect.
 */
export class QuoteHandler extends Context.Service<QuoteHandler, QuoteAnswerer>()(
  "@millrace/server/QuoteHandler",
) {
  static readonly layer = Layer.effect(
    QuoteHandler,
    Effect.gen(function* () {
      const { byId } = yield* Networks;
      return makeQuoteHandler({
        byId,
        limits: yield* Limits,
        metrics: yield* Metrics,
        traces: yield* Traces,
      });
    }),
  );
}
