import { PROBLEMS, type QuoteRequestJson } from "@millrace/api";
import { Effect, Exit } from "effect";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import { unexpectedQuery } from "../answers/decodeBody.ts";
import { charged, refusalOf } from "../limits/chargedAnswer.ts";
import { COSTS, costOfBody, costOfQuote } from "../limits/costs.ts";
import type { ClientIdentity, Limits } from "../limits/Limits.ts";
import type { Metrics } from "../Metrics.ts";
import type { RequestSpan } from "../traces/RequestSpan.ts";
import { CurrentSpan, type Traces } from "../traces/Traces.ts";
import { answerQuote } from "./answerQuote.ts";
import type { QuoteNetwork } from "./QuoteMarket.ts";
import { TurnQueue } from "./TurnQueue.ts";

/** Answers POST /:network/quote. */
export interface QuoteAnswerer {
  /**
   * `query` is the text after `?`; a quote takes no query parameters. `client` pays for the quote.
   */
  readonly handle: (
    networkId: string,
    body: string,
    query: string,
    client: ClientIdentity,
  ) => Answer | Effect.Effect<Answer>;
}

/** The services that answering a quote needs. */
export interface QuoteHost {
  readonly byId: (networkId: string) => QuoteNetwork | undefined;
  readonly limits: Pick<Limits["Service"], "charge">;
  readonly metrics: Pick<Metrics["Service"], "heavyQuoteAnswered" | "quoteAnswered">;
  readonly traces: Pick<Traces, "request">;
}

export function makeQuoteHandler({ byId, limits, metrics, traces }: QuoteHost): QuoteAnswerer {
  const turns = new TurnQueue();
  const answer = (networkId: string, body: string, query: string, client: ClientIdentity) => {
    // Charged before anything is read, so that a refusal costs almost nothing.
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
    const network = byId(networkId);
    if (network === undefined) {
      return problemAnswer("UNKNOWN_NETWORK", "The service has no such network");
    }
    if (query !== "") return unexpectedQuery(query);
    // Block timestamps are compared with the wall clock.
    return answerQuote(network, turns, body, Date.now(), () => client.name, refuse);
  };
  return {
    handle: (networkId, body, query, client) => {
      const startMs = performance.now();
      const span = traces.request("POST", "/:network/quote");
      let status: number | undefined = PROBLEMS.INTERNAL.status;
      try {
        const ask = () => answer(networkId, body, query, client);
        const given = span === undefined ? ask() : span.run(ask);
        if (Effect.isEffect(given)) {
          status = undefined;
          return counted(given, startMs, span);
        }
        status = given.status;
        return given;
      } finally {
        if (status !== undefined) {
          metrics.quoteAnswered(status, performance.now() - startMs);
          span?.end(status);
        }
      }
    },
  };

  /** The client may leave earlier: then there is no answer to count. */
  function counted(
    later: Effect.Effect<Answer>,
    startMs: number,
    span: RequestSpan | undefined,
  ): Effect.Effect<Answer> {
    const answered = span === undefined ? later : Effect.provideService(later, CurrentSpan, span);
    return Effect.onExit(answered, (exit) =>
      Effect.sync(() => {
        if (Exit.hasInterrupts(exit)) return span?.end(undefined);
        const status = Exit.isSuccess(exit) ? exit.value.status : PROBLEMS.INTERNAL.status;
        metrics.heavyQuoteAnswered(status, performance.now() - startMs);
        span?.end(status);
      }),
    );
  }
}
