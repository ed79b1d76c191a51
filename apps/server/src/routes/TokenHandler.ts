import {
  decodeTokenRequest,
  encodeTokenAnswer,
  type Issue,
  marketFailureText,
  type TokenRequest,
} from "@millrace/api";
import { Context, Effect, Layer, Result } from "effect";
import { type Answer, jsonAnswer } from "../answers/Answer.ts";
import { COSTS } from "../limits/costs.ts";
import { type ClientIdentity, Limits } from "../limits/Limits.ts";
import { Metrics } from "../Metrics.ts";
import { Networks } from "../networks/Networks.ts";
import { tokenAt } from "../networks/tokenEntry.ts";
import { Traces } from "../traces/Traces.ts";
import { chargedToken } from "./chargedToken.ts";
import { marketOf, nothingAt } from "./marketOf.ts";
import { tokenBody } from "./marketViews.ts";

/**
 * Answers GET /tokens/:address, the most frequent request of the market-data interface, on the
 * event loop and without a schema's encoder; the direct route also counts its answers.
 */
export class TokenHandler extends Context.Service<
  TokenHandler,
  {
    /**
     * For the direct route: the address in the path, without escapes, and the text after `?`, as
     * sent. `client` pays for the request.
     */
    readonly handle: (address: string, query: string, client: ClientIdentity) => Answer;
    /** For a request that is paid for and counted already. */
    readonly read: (address: string, query: string) => Answer;
    readonly answer: (request: TokenRequest) => Answer;
  }
>()("@millrace/server/TokenHandler") {
  static readonly layer = Layer.effect(
    TokenHandler,
    Effect.gen(function* () {
      const networks = yield* Networks;
      const limits = yield* Limits;
      const metrics = yield* Metrics;
      const traces = yield* Traces;
      return TokenHandler.of({
        answer,
        read,
        handle: (address, query, client) => {
          const span = traces.request("GET", "/tokens/:address");
          let status = 500;
          try {
            const charge = limits.charge(client, COSTS.token);
            const given = chargedToken(charge) ?? read(address, query);
            status = given.status;
            return charge.headers.length === 0 ? given : { ...given, headers: charge.headers };
          } finally {
            // HEAD comes here as well, and is counted as GET.
            metrics.tokenAnswered(status);
            span?.end(status);
          }
        },
      });

      function read(address: string, query: string): Answer {
        const kept = query === "" ? keptText(address) : undefined;
        if (kept !== undefined) return jsonAnswer(kept);
        const request = decodeTokenRequest(address, query);
        return Result.isSuccess(request) ? answer(request.success) : failed(400, request.failure);
      }

      /** A former answer that still holds; of the primary network, while it is ready. */
      function keptText(address: string): string | undefined {
        const { primary } = networks;
        if (primary.market === undefined || primary.obstacle(Date.now()) !== undefined) {
          return undefined;
        }
        return primary.market.tokenTexts.get(address);
      }

      function answer({ address, ...choice }: TokenRequest): Answer {
        // Block timestamps are compared with the wall clock.
        const opened = marketOf(networks, choice, Date.now());
        if ("status" in opened) return failed(opened.status, opened.issues);
        const { network, market } = opened;
        const token = tokenAt(network.config, market, address);
        if (token === undefined) {
          const { status, issues } = nothingAt(networks, network, "token", address);
          return failed(status, issues);
        }
        const text = encodeTokenAnswer(tokenBody(network, market, market.data.token(token)));
        const isOfPrimary = choice.network === undefined && choice.chainId === undefined;
        if (isOfPrimary) market.tokenTexts.keep(address, text);
        return jsonAnswer(text);
      }
    }),
  );
}

const failed = (status: number, issues: ReadonlyArray<Issue>): Answer => ({
  status,
  contentType: "application/json",
  body: marketFailureText(issues),
});
