/**
 * Client of the service: every endpoint of its HTTP interface, and its streams as Effect `Stream`s or
 * plain async iterators. For Node and browsers.
 */
export { Client, type QuoteOrProblem, type QuoteParameters } from "./Client.ts";
export {
  type ConnectionOptions,
  type ConnectionState,
  StreamRefused,
  type WebSocketLike,
} from "./StreamConnection.ts";
export type { Update } from "./Update.ts";
export type { Updates } from "./Updates.ts";
