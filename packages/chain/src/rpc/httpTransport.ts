import { Effect } from "effect";
import { basicAuthorisation } from "./basicAuthorisation.ts";
import { type HttpReply, type Transport, TransportError } from "./Transport.ts";
import { webSocketHeads } from "./webSocketHeads.ts";

const REPLY_BYTES_MAX = 64 * 2 ** 20;

export interface HttpTransportOptions {
  /** A longer reply, after decompression, is `TooLarge`; default: 64 MiB. */
  readonly maxReplyBytes?: number;
}

/**
 * The real network: Node's `fetch`, and the `WebSocket` of `ws`. Redirects are not followed,
 * nothing is retried, and an interrupted request is closed.
 *
 * viem's transports are not used: they accept an answer with any id or without a result, hide
 * `Retry-After` and the status of a refusal, put the URL (with its key) into messages, and keep
 * time by `setTimeout`, out of reach of the tests' clock. Their WebSocket gives up after five
 * reconnects, and its close waits for ever for a peer that is gone.
 */
export function httpTransport(options: HttpTransportOptions = {}): Transport {
  const maxBytes = options.maxReplyBytes ?? REPLY_BYTES_MAX;
  return {
    post: (url, body) =>
      Effect.tryPromise({
        try: (signal) => post(url, body, maxBytes, signal),
        catch: transportError,
      }),
    heads: webSocketHeads,
  };
}

async function post(
  url: string,
  body: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { bareUrl, headers } = basicAuthorisation(url);
  const response = await fetch(bareUrl, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
    redirect: "manual",
    signal,
  });
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after") ?? undefined,
    body: await readText(response, maxBytes),
  };
}

/** The body as text; leaving the loop early closes the connection. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Array<Uint8Array> = [];
  let byteCount = 0;
  for await (const chunk of response.body ?? []) {
    byteCount += chunk.length;
    if (byteCount > maxBytes) {
      throw new TransportError({ reason: "TooLarge", detail: `more than ${maxBytes} bytes` });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, byteCount).toString();
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "?";
  if ("code" in cause) return String(cause.code);
  // Such as "bad port": contains no URL and no host.
  return /^[a-z ]{1,30}$/.test(cause.message) ? cause.message : cause.name;
}

/** Gives only an error's code: its message names the URL or the host, which may hold a key. */
function transportError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new TransportError({ reason: "Unreachable", detail: codeOf(cause) });
}
