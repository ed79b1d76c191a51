import { Api, Forbidden, NotReady, UnknownNetwork } from "@millrace/api";
import { Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { unexpectedQuery } from "../answers/decodeBody.ts";
import { respondDirect } from "../answers/responses.ts";
import { AnswerCost } from "../limits/AnswerCost.ts";
import { costOfBody } from "../limits/costs.ts";
import { FairPlaces } from "../limits/FairPlaces.ts";
import { Limits } from "../limits/Limits.ts";
import type { Network } from "../networks/Network.ts";
import { Networks } from "../networks/Networks.ts";
import { tooManyWaiting } from "../quote/refusals.ts";
import { askWallet } from "../wallet/askWallet.ts";
import { whyForeign } from "../wallet/whyForeign.ts";

/**
 * The wallets of devnets, for the service's own pages. `ownHost` is the host that the service
 * listens on, which pages may name beside addresses.
 */
export const walletRoutes = (ownHost: string) =>
  HttpApiBuilder.group(
    Api,
    "devnet",
    Effect.fnUntraced(function* (handlers) {
      const networks = yield* Networks;
      const limits = yield* Limits;
      const places = new Map<Network, FairPlaces>(
        networks.all.map((network) => [network, new FairPlaces(PLACES)]),
      );
      return handlers.handleRaw(
        "wallet",
        Effect.fnUntraced(function* ({ params, request }) {
          const network = networks.byId(params.network);
          // Before all else: other networks have no wallet.
          if (network?.isDevnet !== true) {
            return yield* new UnknownNetwork({ detail: "The service has no such devnet" });
          }
          const foreign = whyForeign(pageHeadersOf(request), ownHost);
          if (foreign !== undefined) return yield* new Forbidden({ detail: foreign });
          const [, query = ""] = request.url.split("?", 2);
          if (query !== "") return respondDirect(unexpectedQuery(query));
          const { devnet, config } = network;
          if (devnet === undefined) {
            return yield* new NotReady({ detail: `${config.id} is not ready: starting` });
          }
          const body = yield* Effect.orDie(request.text);
          const cost = yield* AnswerCost;
          cost.bodyUnits = costOfBody(body);
          const client = limits.clientOf(request);
          const mine = places.get(network)!;
          if (!mine.takes(client.name)) return respondDirect(tooManyWaiting);
          const asked = askWallet(devnet, config.chainId, body);
          return respondDirect(yield* mine.run(client.name, asked));
        }),
      );
    }),
  );

const pageHeadersOf = ({ headers }: HttpServerRequest.HttpServerRequest) => ({
  host: headers["host"] ?? "",
  origin: headers["origin"] ?? "",
  site: headers["sec-fetch-site"] ?? "",
});

/** A node usually answers within milliseconds, one request after the other. */
const PLACES = { placesMax: 16, waitingMax: 64, clientMax: 32 };
