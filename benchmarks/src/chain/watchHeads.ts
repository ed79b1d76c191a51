import { Effect, type Scope } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";

/** When the node announced each block to a subscriber of ours; by hash, in the chain's order. */
export const watchHeads = (
  url: string,
): Effect.Effect<ReadonlyMap<string, number>, BenchmarkError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => subscribe(url),
        catch: (cause) => new BenchmarkError({ message: String(cause) }),
      }),
      ({ socket }) => Effect.sync(() => socket.close()),
    ),
    ({ announcedAt }) => announcedAt,
  );

function subscribe(url: string) {
  return new Promise<{ socket: WebSocket; announcedAt: Map<string, number> }>((resolve, reject) => {
    const announcedAt = new Map<string, number>();
    const socket = new WebSocket(url);
    socket.onerror = () => reject(new Error("the node's WebSocket fails"));
    socket.onopen = () =>
      socket.send(
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }),
      );
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.id === 1) resolve({ socket, announcedAt });
      else announcedAt.set(message.params.result.hash, performance.now());
    };
  });
}
