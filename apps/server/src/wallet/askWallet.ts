import { WalletRequest } from "@millrace/api";
import { Effect, Result, Schema } from "effect";
import { type Answer, jsonAnswer } from "../answers/Answer.ts";
import { parseJson } from "../answers/parseJson.ts";
import type { DevnetAccess } from "../networks/openDevnet.ts";
import { invalidParams, WALLET_METHODS, type WalletError } from "./walletMethods.ts";

/**
 * The answer of a devnet's wallet to the body of a request. Its status is always 200, as in
 * JSON-RPC.
 */
export function askWallet(
  devnet: DevnetAccess,
  chainId: number,
  body: string,
): Effect.Effect<Answer> {
  const json = parseJson(body);
  if (json === undefined) return failed(null, { code: -32_700, message: "The body is not JSON" });
  const decoded = decode(json, { onExcessProperty: "error" });
  if (Result.isFailure(decoded)) {
    const message = Array.isArray(json) ? "Expected one request, not several" : "Not a request";
    return failed(null, { code: -32_600, message });
  }
  const { id, method, params = [] } = decoded.success;
  const known = WALLET_METHODS.get(method);
  if (known === undefined) {
    return failed(id, { code: -32_601, message: "The wallet of a devnet has no such method" });
  }
  const fault =
    params.length > known.paramsMax
      ? invalidParams(`Expected at most ${known.paramsMax} parameters`)
      : known.fault?.(params, devnet.accounts);
  if (fault !== undefined) return failed(id, fault);
  switch (method) {
    case "eth_chainId":
      return Effect.succeed(answered(id, { result: `0x${chainId.toString(16)}` }));
    case "eth_accounts":
    case "eth_requestAccounts":
      return Effect.succeed(answered(id, { result: devnet.accounts }));
    default:
      return Effect.map(askNode(devnet.rpcUrl, method, params), (said) => answered(id, said));
  }
}

const decode = Schema.decodeUnknownResult(WalletRequest);

type RequestId = WalletRequest["id"] | null;
type Said = { readonly result: unknown } | { readonly error: WalletError };

const answered = (id: RequestId, said: Said): Answer =>
  jsonAnswer(JSON.stringify({ jsonrpc: "2.0", id, ...said }));

const failed = (id: RequestId, error: WalletError): Effect.Effect<Answer> =>
  Effect.succeed(answered(id, { error }));

/** Sends the node a new request with the decoded parts: nothing else of the client's reaches it. */
const askNode = (
  rpcUrl: string,
  method: string,
  params: ReadonlyArray<unknown>,
): Effect.Effect<Said> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const text = await response.text();
    if (text.length > ANSWER_LENGTH_MAX) return { error: unanswered("The answer is too long") };
    return decodeSaid(JSON.parse(text));
  }).pipe(
    Effect.orElseSucceed(() => ({ error: unanswered("The node of the devnet does not answer") })),
  );

/** Throws for an answer in another form, which is caught above. */
const decodeSaid = Schema.decodeUnknownSync(
  Schema.Union([
    Schema.Struct({
      error: Schema.Struct({
        code: Schema.Number,
        message: Schema.String,
        data: Schema.optionalKey(Schema.Unknown),
      }),
    }),
    Schema.Struct({ result: Schema.Unknown }),
  ]),
);

const unanswered = (message: string): WalletError => ({ code: -32_603, message });

const TIMEOUT_MS = 30_000;
/** A call with the gas of a whole block can return megabytes. */
const ANSWER_LENGTH_MAX = 1_048_576;
