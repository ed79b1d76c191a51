import { PROBLEMS, type QuoteRequestJson } from "@millrace/api";
import { Context, Effect, Exit, Layer } from "effect";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import { unexpectedQuery } from "../answers/decodeBody.ts";
import { charged, refusalOf } from "../limits/chargedAnswer.ts";
import { COSTS, costOfBody, costOfQuote } from "../limits/costs.ts";
import { type ClientIdentity, Limits } from "../limits/Limits.ts";
import { Metrics } from "../Metrics.ts";
import { Networks } from "../networks/Networks.ts";
import { answerQuote } from "./answerQuote.ts";
import { TurnQueue } from "./TurnQueue.ts";

/**
 * Answers POST /:network/quote, and counts what it answered: as a rule synchronously; what takes
 * milliseconds is given as an Effect.
 */
export class QuoteHandler extends Context.Service<
  QuoteHandler,
  {
    /** `query` is what follows `?`; a quote takes no such parameters. `client` pays for it. */
    readonly handle: (
      networkId: string,
      body: string,
      query: string,
      client: ClientIdentity,
    ) => Answer | Effect.Effect<Answer>;
  }
>()("@millrace/server/QuoteHandler") {
  static readonly layer = Layer.effect(
    QuoteHandler,
    Effect.gen(function* () {
      const networks = yield* Networks;
      const limits = yield* Limits;
      const metrics = yield* Metrics;
      const turns = new TurnQueue();
      const answer = (networkId: string, body: string, query: string, client: ClientIdentity) => {
        // Before anything is read, so that a refusal costs us next to nothing.
        const least = COSTS.quote + costOfBody(body);
        let charge = limits.charge(client, least);
        const refuse = (request: QuoteRequestJson): Answer | undefined => {
          const rest = costOfQuote(request) - COSTS.quote;
          if (rest > 0) charge = limits.charge(client, rest, least);
          return refusalOf(charge);
        };
        const given = refusalOf(charge) ?? answerFor(networkId, body, query, client, refuse);
        return charged(given, charge);
      };
      const answerFor = (
        networkId: string,
        body: string,
        query: string,
        client: ClientIdentity,
        refuse: (request: QuoteRequestJson) => Answer | undefined,
      ) => {
        const network = networks.byId(networkId);
        if (network === undefined) {
          return problemAnswer("UNKNOWN_NETWORK", "The service has no such network");
        }
        if (query !== "") return unexpectedQuery(query);
        // The wall clock is what block timestamps are measured with.
        return answerQuote(network, turns, body, Date.now(), () => client.name, refuse);
      };
      return QuoteHandler.of({
        handle: (networkId, body, query, client) => {
          const startMs = performance.now();
          let status: number | undefined = PROBLEMS.INTERNAL.status;
          try {
            const given = answer(networkId, body, query, client);
            if (Effect.isEffect(given)) {
              status = undefined;
              return counted(given, startMs);
            }
            status = given.status;
            return given;
          } finally {
            if (status !== undefined) metrics.quoteAnswered(status, performance.now() - startMs);
          }
        },
      });

      /** Its client may leave before: then there is no answer to count. */
      function counted(later: Effect.Effect<Answer>, startMs: number): Effect.Effect<Answer> {
        return Effect.onExit(later, (exit) =>
          Effect.sync(() => {
            if (Exit.hasInterrupts(exit)) return;
            const status = Exit.isSuccess(exit) ? exit.value.status : PROBLEMS.INTERNAL.status;
            metrics.heavyQuoteAnswered(status, performance.now() - startMs);
          }),
        );
      }
    }),
  );
}
