/**
 * Client of the service: every endpoint of its HTTP interface, and its streams as Effect `Stream`s
 * or plain async iterators. For Node and browsers.
 */
export type {
  QuoteLadder,
  StreamedBlock,
  StreamedNetwork,
  StreamedPrice,
  StreamedProblem,
  TradedSubject,
} from "@millrace/api";
export {
  Client,
  type ClientOptions,
  type LadderParameters,
  type QuoteParameters,
} from "./Client.ts";
export {
  type CandlesOrProblem,
  isProblem,
  type PoolOrProblem,
  type QuoteOrProblem,
  type TradesOrProblem,
} from "./channels.ts";
export type { HttpEndpoints } from "./httpClient.ts";
export type { ConnectionOptions, ConnectionState, StateListener } from "./StreamConnection.ts";
export { type StreamError, StreamMalformed, StreamRefused } from "./streamErrors.ts";
export type { Update } from "./Update.ts";
export type { Updates } from "./Updates.ts";
export type { OpenSocket, WebSocketLike } from "./WebSocketLike.ts";
