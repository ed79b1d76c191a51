import type { Engine } from "@millrace/core";
import { recordStates } from "@millrace/history";
import { curves } from "@millrace/protocols";
import { Effect, type Scope } from "effect";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { NetworkHistory } from "../history/NetworkHistory.ts";

/** Keeps the state of a network's market at each block, where configured: see `recordStates`. */
export const keepStates = (
  engine: Engine["Service"],
  { writer }: Pick<NetworkHistory, "writer">,
  { history: { states } }: Pick<NetworkConfig, "history">,
): Effect.Effect<void, never, Scope.Scope> =>
  states === undefined
    ? Effect.void
    : recordStates({
        ...{ engine, curves, everyBlocks: states.everyBlocks, pools: states.pools },
        write: (change) => writer.offer(change, Date.now()),
      });
