import { Schema } from "effect";
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { ProblemFailures } from "./middleware.ts";
import {
  asProblem,
  Forbidden,
  InternalProblem,
  InvalidRequest,
  NotReady,
  PayloadTooLarge,
  RateLimited,
  Unauthorized,
  UnknownNetwork,
} from "./problems.ts";

const network = Schema.String.annotate({ description: "A devnet's id.", examples: ["ETH"] });

const ID_LENGTH_MAX = 64;

const RequestId = Schema.Union([
  Schema.Number.check(Schema.isFinite()),
  Schema.String.check(Schema.isMaxLength(ID_LENGTH_MAX)),
]);

/** The body of `/:network/wallet`: a single JSON-RPC 2.0 request, never a batch. */
export const WalletRequest = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: RequestId.annotateKey({ description: "Comes back with the answer." }),
  method: Schema.String.annotateKey({
    description:
      "One of `eth_chainId`, `eth_accounts`, `eth_requestAccounts`, `eth_blockNumber`, " +
      "`eth_gasPrice`, `eth_getBalance`, `eth_getTransactionCount`, `eth_getTransactionReceipt`, " +
      "`eth_call`, `eth_estimateGas`, `eth_sendTransaction`, `eth_signTypedData_v4`.",
  }),
  params: Schema.optionalKey(Schema.Array(Schema.Unknown)),
}).annotate({
  identifier: "WalletRequest",
  description: "A request of JSON-RPC 2.0.",
  examples: [{ jsonrpc: "2.0", id: 1, method: "eth_accounts", params: [] }],
});
export type WalletRequest = typeof WalletRequest.Type;

/** The answer of `/:network/wallet`: `result` or `error`. */
export const WalletAnswer = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.NullOr(RequestId).annotateKey({
    description: "The request's; null where it has none that is sound.",
  }),
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(
    Schema.Struct({
      code: Schema.Number.annotateKey({
        description:
          "-32700 no JSON, -32600 no request, -32601 a method that the wallet has not, -32602 wrong " +
          "parameters, -32603 no answer of the node, 4100 an account that is not the wallet's; " +
          "others are the node's own.",
      }),
      message: Schema.String,
      data: Schema.optionalKey(Schema.Unknown),
    }),
  ),
}).annotate({ identifier: "WalletAnswer", description: "An answer of JSON-RPC 2.0." });

const errors = [
  ...[InvalidRequest, Unauthorized, Forbidden, UnknownNetwork, PayloadTooLarge],
  ...[RateLimited, NotReady, InternalProblem],
].map(asProblem);

/** Requests of the service's own pages to devnets. */
export class WalletApi extends HttpApiGroup.make("devnet")
  .add(
    HttpApiEndpoint.post("wallet", "/:network/wallet", {
      params: { network },
      payload: WalletRequest,
      success: WalletAnswer,
      error: errors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Ask a devnet's wallet",
        description:
          "Accounts with tokens of the devnet, which its node signs for, as a browser's wallet. For " +
          "pages of the service's own origin alone: others, and programs, get `FORBIDDEN`, and use " +
          "the `rpcUrl` of `/networks`. Networks that are no devnets have no such path.",
      }),
    ),
  )
  .middleware(ProblemFailures)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({ title: "Devnet", description: "What embedded chains let pages do." }),
  ) {}
