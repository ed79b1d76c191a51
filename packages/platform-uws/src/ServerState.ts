import type * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import type { AnswerQueue } from "./AnswerQueue.ts";
import type { Asker } from "./Asker.ts";
import type { Connections } from "./Connections.ts";
import type { CrossOrigin } from "./crossOrigin.ts";
import type { Lifecycle } from "./Lifecycle.ts";
import type { IncomingRequest } from "./options.ts";
import type { ProblemHook, ProblemRequest } from "./problem.ts";
import type { Sockets } from "./webSocket/Sockets.ts";

/** State that all handlers of a server read. */
export interface ServerState {
  readonly bodyBytesMax: number;
  readonly queryBytesMax: number;
  readonly inFlightMax: number;
  readonly lifecycle: Lifecycle;
  readonly answers: AnswerQueue;
  readonly identify: (request: IncomingRequest) => Asker;
  readonly connections: Connections;
  readonly crossOrigin: CrossOrigin;
  readonly sockets: Sockets;
  /** Paths that neither wait nor are refused under overload. */
  readonly isExempt: (path: string) => boolean;
  readonly onShed: () => void;
  readonly problem: ProblemHook;
  /** Runs an Effect with the server's services, until the server ends at the latest. */
  readonly fork: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>;
  /** Logs an exception that escaped a handler; never throws. */
  readonly report: (cause: unknown, request: ProblemRequest, requestId: string) => void;
}
