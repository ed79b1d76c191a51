/**
 * uWebSockets.js as an Effect `HttpServer`, with direct routes that answer without a fiber. This
 * package contains every guard that the native library needs.
 */
export { AnswerQueue } from "./AnswerQueue.ts";
export type { Asker } from "./Asker.ts";
export { BindError } from "./BindError.ts";
export type { ConnectionRules } from "./Connections.ts";
export { type CrossOriginOptions, opensByDefault } from "./crossOrigin.ts";
export type { DirectRequest, DirectResponse, DirectRoute } from "./DirectRoute.ts";
export { Drain } from "./Drain.ts";
export type { HeaderLines } from "./headerBlock.ts";
export { claimPort } from "./listen.ts";
export type { NativeLibrary } from "./native/loadNativeLibrary.ts";
export { NativeLibraryError } from "./native/NativeLibraryError.ts";
export type { IncomingRequest, ServerOptions } from "./options.ts";
export type { Problem, ProblemHook, ProblemRequest, RefusalCode } from "./problem.ts";
export { problemDetails } from "./problem.ts";
export {
  answerCopies,
  copyRequest,
  pastedResponse,
  type RequestCopy,
  type ResponseCopy,
} from "./RequestCopy.ts";
export { layer, make } from "./uwsServer.ts";
export type {
  UpgradeRequest,
  WebSocketConnection,
  WebSocketHandler,
  WebSocketRoute,
} from "./webSocket/WebSocketRoute.ts";
