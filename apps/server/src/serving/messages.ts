import type { MessagePort } from "node:worker_threads";
import type { QuoteRequestJson } from "@millrace/api";
import type { QuotedSwap } from "@millrace/chain";
import type { TokenVerdict } from "@millrace/execution";
import type { NativeLibrary, RequestCopy, ResponseCopy } from "@millrace/platform-uws";
import type { Answer } from "../answers/Answer.ts";
import type { NetworkConfig, ServerConfig } from "../config/ServerConfig.ts";
import type { SharedBudgets } from "../limits/SharedBudgets.ts";
import type { RouterName } from "../networks/NetworkRouters.ts";
import type { NetworkStanding } from "../networks/obstacleOf.ts";

/** The data with which a serving thread starts. */
export interface ThreadData {
  /** The number of the thread. */
  readonly index: number;
  readonly host: string;
  readonly port: number;
  readonly corsOrigins: ServerConfig["corsOrigins"];
  readonly gracePeriodMs: number;
  readonly nativeLibrary: NativeLibrary | undefined;
  readonly limits: ServerConfig["limits"];
  readonly budgets: SharedBudgets;
  readonly streams: ServerConfig["streams"];
  readonly networkIds: ReadonlyArray<string>;
  /** `ServingCounts` of all threads; index: thread. */
  readonly counts: ReadonlyArray<SharedArrayBuffer>;
}

/** The parts of a network's configuration that quotes read. */
type SharedConfig = Pick<
  NetworkConfig,
  "chainId" | "gasLimit" | "headAgeLimitMs" | "id" | "plainTokens" | "routers" | "wrappedNative"
>;

/** The state of a network beside its graph. */
export interface NetworkState extends NetworkStanding {
  readonly config: SharedConfig;
  readonly isGenerated: boolean;
  readonly hasNodes: boolean;
  readonly hasSearchThreads: boolean;
  /** Why routers are left out. */
  readonly routerObstacles: ReadonlyArray<readonly [RouterName, string | undefined]>;
}

/** What a serving thread asks the writing thread. */
export type ThreadQuestion =
  | { readonly kind: "request"; readonly request: RequestCopy; readonly client: string }
  | {
      readonly kind: "token";
      readonly address: string;
      readonly query: string;
      readonly client: string;
    }
  | {
      readonly kind: "quote";
      readonly network: string;
      readonly request: QuoteRequestJson;
      readonly client: string;
    };

/** The answer to each kind of question. */
export interface Answers {
  readonly request: ResponseCopy;
  readonly token: Answer;
  readonly quote: Answer;
}

/** An upgrade request, with the headers that identify the client. */
interface OpenedSocket {
  readonly peerAddress: string;
  readonly query: string;
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A message of a serving thread.
 *
 * - listening: the thread serves from now on.
 * - question, forget: what it asks, and which answer nobody waits for any more.
 * - open, message, buffered, closed: the events of a WebSocket.
 * - routed: a sample of the steps of its quotes.
 * - log: a line of its log.
 * - failed: why it ends by itself.
 */
export type FromThread =
  | { readonly kind: "listening" }
  | { readonly kind: "question"; readonly id: number; readonly question: ThreadQuestion }
  | { readonly kind: "forget"; readonly id: number }
  | { readonly kind: "open"; readonly socket: number; readonly request: OpenedSocket }
  | { readonly kind: "message"; readonly socket: number; readonly text: string }
  | {
      readonly kind: "buffered";
      readonly socket: number;
      readonly bytes: number;
      /** The length of all texts that the WebSocket was given. */
      readonly taken: number;
    }
  | { readonly kind: "closed"; readonly socket: number; readonly isSlow: boolean }
  | {
      readonly kind: "routed";
      readonly network: string;
      readonly swaps: ReadonlyArray<QuotedSwap>;
    }
  | {
      readonly kind: "log";
      readonly level: string;
      readonly text: string;
      readonly details: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "failed"; readonly reason: string };

/** What a WebSocket sends, or why it is closed. */
export type SocketAction =
  | { readonly socket: number; readonly text: string }
  | { readonly socket: number; readonly code: number; readonly reason: string };

/**
 * A message of the writing thread.
 *
 * - answer: the answer to a question; answers come in any order.
 * - sockets: what WebSockets send, in order.
 * - network: the state of a network beside its graph; verdicts: all verdicts on its tokens.
 * - graph: the port that announces changes of a network's graph (`GraphReaders`).
 * - address: how many WebSockets an address has open on other threads.
 * - leave: the thread finishes requests in flight, and ends.
 */
export type ToThread =
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly kind: "sockets"; readonly actions: ReadonlyArray<SocketAction> }
  | { readonly kind: "network"; readonly state: NetworkState }
  | {
      readonly kind: "verdicts";
      readonly network: string;
      readonly verdicts: ReadonlyArray<TokenVerdict>;
    }
  | { readonly kind: "graph"; readonly network: string; readonly port: MessagePort }
  | { readonly kind: "address"; readonly address: string; readonly count: number }
  | { readonly kind: "leave" };
