import { decodeSwapRequest, decodeSwapRequestStrictly, PROBLEMS } from "@millrace/api";
import { Context, Effect, Exit, Layer } from "effect";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import { decodeBody, unexpectedQuery } from "../answers/decodeBody.ts";
import { charged, refusalOf } from "../limits/chargedAnswer.ts";
import { COSTS, costOfBody } from "../limits/costs.ts";
import { FairPlaces } from "../limits/FairPlaces.ts";
import { type ClientIdentity, Limits } from "../limits/Limits.ts";
import { Metrics } from "../Metrics.ts";
import type { Network } from "../networks/Network.ts";
import { Networks } from "../networks/Networks.ts";
import { tooManyWaiting } from "../quote/refusals.ts";
import { CurrentSpan, Traces } from "../traces/Traces.ts";
import { answerPermit } from "./answerPermit.ts";
import { answerSwap } from "./answerSwap.ts";
import { SwapBuilder } from "./SwapBuilder.ts";

type Path = "swap" | "permit";

/** Answers POST /:network/swap and /:network/permit, and counts its answers. */
export class SwapHandler extends Context.Service<
  SwapHandler,
  {
    /**
     * `query` is the text after `?`; neither takes query parameters. `client` pays for the request.
     */
    readonly handle: (
      path: Path,
      networkId: string,
      body: string,
      query: string,
      client: ClientIdentity,
    ) => Effect.Effect<Answer>;
  }
>()("@millrace/server/SwapHandler") {
  static readonly layer = Layer.effect(
    SwapHandler,
    Effect.gen(function* () {
      const networks = yield* Networks;
      const limits = yield* Limits;
      const metrics = yield* Metrics;
      const traces = yield* Traces;
      // Silent nodes of one network hold up no other network.
      const places = new Map<Network, FairPlaces>(
        networks.all.map((network) => [network, new FairPlaces(PLACES)]),
      );
      const answer = (
        path: Path,
        network: Network | undefined,
        client: string,
        body: string,
        query: string,
      ) => {
        if (network === undefined) {
          return problemAnswer("UNKNOWN_NETWORK", "The service has no such network");
        }
        if (query !== "") return unexpectedQuery(query);
        const request = decodeBody(body, decodeSwapRequest, decodeSwapRequestStrictly);
        if ("status" in request) return request;
        // Block timestamps are compared with the wall clock.
        const builder = SwapBuilder.open(network, Date.now());
        if ("status" in builder) return builder;
        const mine = places.get(network)!;
        if (!mine.takes(client)) return tooManyWaiting;
        return mine.run(
          client,
          path === "swap" ? answerSwap(builder, request) : answerPermit(builder, request),
        );
      };
      return SwapHandler.of({
        handle: (path, networkId, body, query, client) =>
          Effect.suspend(() => {
            const startMs = performance.now();
            const span = traces.request("POST", `/:network/${path}`);
            const network = networks.byId(networkId);
            return Effect.suspend(() => {
              const nodes = network?.market?.chain === undefined ? 0 : COSTS.nodes;
              const charge = limits.charge(client, COSTS.swap + nodes + costOfBody(body));
              const given = charged(
                refusalOf(charge) ?? answer(path, network, client.name, body, query),
                charge,
              );
              return Effect.isEffect(given) ? given : Effect.succeed(given);
            }).pipe(
              Effect.onExit((exit) =>
                Effect.sync(() => {
                  // The client is gone: there is no answer to count.
                  if (Exit.hasInterrupts(exit)) return span?.end(undefined);
                  const { status } = Exit.isSuccess(exit) ? exit.value : PROBLEMS.INTERNAL;
                  metrics.swapAnswered(path, status, performance.now() - startMs);
                  span?.end(status);
                }),
              ),
              Effect.provideService(CurrentSpan, span),
            );
          }),
      });
    }),
  );
}

/** Each waits for nodes, usually for tens of milliseconds. */
const PLACES = { placesMax: 256, waitingMax: 256, clientMax: 32 };
