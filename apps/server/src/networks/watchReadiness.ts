import { Clock, Effect } from "effect";
import type { Network } from "./Network.ts";

const EVERY_MS = 50;

/** Logs when a network begins to answer, and when and why it stops. Never ends. */
export const watchReadiness = (network: Network): Effect.Effect<never> =>
  Effect.gen(function* () {
    let wasReady = false;
    for (;;) {
      const obstacle = network.obstacle(yield* Clock.currentTimeMillis);
      if (obstacle === undefined && !wasReady) yield* ready(network);
      if (obstacle !== undefined && wasReady) {
        yield* Effect.annotateLogs(Effect.logWarning("network not ready"), { obstacle });
      }
      wasReady = obstacle === undefined;
      yield* Effect.sleep(EVERY_MS);
    }
  });

function ready({ market }: Network): Effect.Effect<void> {
  const graph = market?.engine.graph;
  return Effect.annotateLogs(Effect.logInfo("network ready"), {
    blockNumber: graph?.stamp.number,
    pools: graph?.livePoolCount,
    tokens: graph?.tokenCount,
  });
}
