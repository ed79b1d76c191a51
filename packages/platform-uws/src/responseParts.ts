import type { HttpResponse } from "uWebSockets.js";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { Exchange } from "./Exchange.ts";
import type { ServerState } from "./ServerState.ts";

/** A larger body is sent piece by piece, as the client takes it. */
const wholeBytesMax = 65_536;

/**
 * Writes an answer with a complete body. A large one succeeds when the client has taken all of it.
 */
export const writeWhole = (
  exchange: Exchange,
  writeHead: (response: HttpResponse) => void,
  content: string | Uint8Array,
  closing: boolean,
): Effect.Effect<void> => {
  if (content.length <= wholeBytesMax) {
    exchange.write((response) => {
      writeHead(response);
      response.end(content, closing);
    });
    exchange.answered();
    return Effect.void;
  }
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return Effect.callback<void>((resume) => {
    exchange.watchWritable();
    const proceed = (): void => {
      let isDone = !exchange.isOpen;
      exchange.write((response) => {
        const rest = bytes.subarray(response.getWriteOffset());
        isDone = response.tryEnd(rest, bytes.length)[1];
      });
      if (!isDone) return;
      exchange.answered();
      resume(Effect.void);
    };
    exchange.onWritable = proceed;
    exchange.write(writeHead);
    proceed();
  });
};

/**
 * Writes an answer part by part. Waits whenever the client is behind, so that at most one part is
 * buffered for it. If the stream fails, the connection is dropped: ending it properly would make
 * half an answer look whole.
 */
export const writeStream = (
  exchange: Exchange,
  state: ServerState,
  writeHead: (response: HttpResponse) => void,
  stream: Stream.Stream<Uint8Array, unknown>,
): Effect.Effect<void> => {
  exchange.watchWritable();
  exchange.write(writeHead);
  return stream.pipe(
    Stream.runForEach((part) => writePart(exchange, part)),
    Effect.interruptible,
    Effect.matchCause({
      onSuccess: () => {
        exchange.write((response) => {
          response.end(undefined, exchange.isLast);
        });
        exchange.answered();
      },
      onFailure: (cause) => {
        if (exchange.isOpen) state.report(cause, exchange, exchange.requestId);
        exchange.close();
      },
    }),
  );
};

const writePart = (exchange: Exchange, part: Uint8Array): Effect.Effect<void> => {
  // An empty part would end the answer.
  if (part.length === 0) return Effect.void;
  return Effect.callback<void>((resume) => {
    let isTaken = true;
    const isWritten = exchange.write((response) => {
      isTaken = response.write(part);
    });
    if (!isWritten) resume(Effect.interrupt);
    else if (isTaken) resume(Effect.void);
    else exchange.onWritable = () => resume(Effect.void);
  });
};
