import { Effect, Queue, Stream } from "effect";
import type { EndpointConfig } from "./Endpoints.ts";
import { jitteredBackoff } from "./jitteredBackoff.ts";
import { monotonicMs } from "./monotonicTime.ts";
import { printable, secretsOf } from "./printable.ts";
import { type Transport, TransportError } from "./Transport.ts";

/** A chain may skip a block; a connection that is silent for longer is considered dead. */
const SILENT_BLOCKS = 2;
const SILENT_MS_MIN = 5_000;
const RECONNECT_BASE_MS = 100;
const RECONNECT_MAX_MS = 5_000;
/** Only hints: a slow consumer does not need old ones. */
const KEPT_HEADS = 16;

/** Announcements of all endpoints with a WebSocket, for ever; see `Endpoints.heads`. */
export function announcedHeads(
  configs: ReadonlyArray<EndpointConfig & { readonly name: string }>,
  transport: Transport,
  blockTimeMs: number,
): Stream.Stream<unknown> {
  const silentMs = Math.max(SILENT_BLOCKS * blockTimeMs, SILENT_MS_MIN);
  return Stream.callback<unknown>(
    (queue) =>
      Effect.forEach(
        configs.filter((config) => config.webSocketUrl !== undefined),
        (config) => listenForEver(config, transport, silentMs, queue),
        { concurrency: "unbounded", discard: true },
      ),
    { bufferSize: KEPT_HEADS, strategy: "sliding" },
  );
}

const listenForEver = Effect.fnUntraced(function* (
  config: EndpointConfig & { readonly name: string },
  transport: Transport,
  silentMs: number,
  queue: Queue.Enqueue<unknown>,
) {
  const secrets = secretsOf([config.url, config.webSocketUrl!]);
  let failuresInRow = 0;
  let isHeard: boolean | undefined;
  for (;;) {
    const sinceMs = yield* monotonicMs;
    const error = yield* transport.heads(config.webSocketUrl!).pipe(
      Stream.timeoutOrElse({ duration: silentMs, orElse: () => Stream.fail(silence(silentMs)) }),
      Stream.runForEach((head) => {
        Queue.offerUnsafe(queue, head);
        if (isHeard !== false) {
          isHeard = true;
          return Effect.void;
        }
        isHeard = true;
        return Effect.logInfo(`${config.name} announces heads again`);
      }),
      Effect.as(new TransportError({ reason: "Closed", detail: "closed" })),
      Effect.catch(Effect.succeed),
    );
    if (isHeard !== false) {
      isHeard = false;
      const detail = printable(error.detail, secrets);
      yield* Effect.logInfo(`${config.name} announces no heads: ${detail}`);
    }
    // After a long-lived connection, even one that fell silent, the next is made at once.
    const livedMs = (yield* monotonicMs) - sinceMs;
    failuresInRow = livedMs >= RECONNECT_MAX_MS ? 1 : failuresInRow + 1;
    yield* Effect.sleep(yield* jitteredBackoff(failuresInRow, RECONNECT_BASE_MS, RECONNECT_MAX_MS));
  }
});

function silence(silentMs: number): TransportError {
  return new TransportError({ reason: "Closed", detail: `silent for ${silentMs} ms` });
}
