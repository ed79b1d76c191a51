import { PROBLEMS, unrecognizedKeys } from "@millrace/api";
import { Context, Effect, Layer } from "effect";
import { Metrics } from "../Metrics.ts";
import { Networks } from "../networks/Networks.ts";
import { type Answer, problemAnswer } from "../routes/Answer.ts";
import { answerQuote } from "./answerQuote.ts";

/** Answers POST /:network/quote, synchronously, and counts what it answered. */
export class QuoteHandler extends Context.Service<
  QuoteHandler,
  {
    /** `query` is what follows `?`; a quote takes no such parameters. */
    readonly handle: (networkId: string, body: string, query: string) => Answer;
  }
>()("@millrace/server/QuoteHandler") {
  static readonly layer = Layer.effect(
    QuoteHandler,
    Effect.gen(function* () {
      const networks = yield* Networks;
      const metrics = yield* Metrics;
      const answer = (networkId: string, body: string, query: string): Answer => {
        const network = networks.byId(networkId);
        if (network === undefined) {
          return problemAnswer("UNKNOWN_NETWORK", "The service has no such network");
        }
        if (query !== "") return unexpectedQuery(query);
        // The wall clock is what block timestamps are measured with.
        return answerQuote(network, body, Date.now());
      };
      return QuoteHandler.of({
        handle: (networkId, body, query) => {
          const startMs = performance.now();
          let status: number = PROBLEMS.INTERNAL.status;
          try {
            const given = answer(networkId, body, query);
            status = given.status;
            return given;
          } finally {
            metrics.quoteAnswered(status, performance.now() - startMs);
          }
        },
      });
    }),
  );
}

/** All options of a quote are in the body; one in the address must not pass silently. */
function unexpectedQuery(query: string): Answer {
  const issues = unrecognizedKeys([...new URLSearchParams(query).keys()]);
  return problemAnswer("INVALID_REQUEST", "A quote takes no query parameters", issues);
}
