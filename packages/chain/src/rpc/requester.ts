import { Clock, Effect } from "effect";
import type { Endpoint, EndpointConfig } from "./Endpoints.ts";
import { decodeReply, encodeRequest, type RpcAnswer } from "./jsonRpc.ts";
import { monotonicMs } from "./monotonicTime.ts";
import { printable, secretsOf } from "./printable.ts";
import { RpcError } from "./RpcError.ts";
import { makeRateGate } from "./rateGate.ts";
import { retryAfterMs } from "./retryAfterMs.ts";
import type { HttpReply, Transport, TransportError } from "./Transport.ts";

/** One endpoint, without memory of its health. */
export interface Requester extends Endpoint {
  readonly requests: () => number;
  /** Requests without a usable answer; a refusal counts as usable. */
  readonly failures: () => number;
  /** End of the pause that the node asked for (`monotonicMs`). */
  readonly pausedUntilMs: () => number;
}

/** A node answers these from memory: a long wait means a lost connection. */
const LIGHT: ReadonlySet<string> = new Set([
  "eth_chainId",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
]);
const LIGHT_TIMEOUT_MS = 2_000;

/**
 * Asks one endpoint: JSON-RPC over the transport, one try. Its time limit, `timeoutMs`, or at most
 * 2 s for a header or the chain id, begins when the endpoint's rate has let the request through.
 */
export function makeRequester(
  config: EndpointConfig & { readonly name: string },
  transport: Transport,
  timeoutMs: number,
): Requester {
  const { name } = config;
  const secrets = secretsOf([config.url, config.webSocketUrl ?? ""]);
  const gate = makeRateGate(config.callsPerSecond, timeoutMs);
  let requests = 0;
  let failures = 0;

  const request = Effect.fnUntraced(function* (
    method: string,
    params: ReadonlyArray<unknown>,
    priority?: "aside",
  ) {
    const fail = ({ reason, detail, code }: Exclude<RpcAnswer, { ok: true }>) => {
      if (reason !== "Refused") failures += 1;
      return new RpcError({
        endpoint: name,
        method,
        reason,
        detail: printable(detail, secrets),
        ...(code === undefined ? {} : { code }),
      });
    };
    if (!(yield* priority === "aside" ? gate.enterAside : gate.enter)) {
      const detail = "it asked for a longer pause than a request may take";
      return yield* fail({ ok: false, reason: "RateLimited", detail });
    }
    requests += 1;
    const id = requests;
    const limitMs = LIGHT.has(method) ? Math.min(timeoutMs, LIGHT_TIMEOUT_MS) : timeoutMs;
    const reply = yield* transport.post(config.url, encodeRequest(id, method, params)).pipe(
      Effect.mapError((error) => fail({ ok: false, ...reasonOf(error) })),
      Effect.timeoutOrElse({
        duration: limitMs,
        orElse: () =>
          Effect.fail(fail({ ok: false, reason: "TimedOut", detail: `after ${limitMs} ms` })),
      }),
    );
    const answer = decodeReply(id, reply);
    if (answer.ok) return answer.result;
    if (answer.reason !== "Refused") yield* honourPause(reply);
    return yield* fail(answer);
  });

  const honourPause = Effect.fnUntraced(function* (reply: HttpReply) {
    const pauseMs = retryAfterMs(reply.retryAfter, yield* Clock.currentTimeMillis);
    if (pauseMs !== undefined) gate.pauseUntil((yield* monotonicMs) + pauseMs);
  });

  return {
    name,
    request,
    requests: () => requests,
    failures: () => failures,
    pausedUntilMs: gate.pausedUntilMs,
  };
}

function reasonOf({ reason, detail }: TransportError) {
  return { reason: reason === "TooLarge" ? reason : ("Unreachable" as const), detail };
}
