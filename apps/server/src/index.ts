/**
 * The service in this process: `openService` starts it. The other exports open one of its networks
 * without a server, and answer as the service does. `@millrace/server/run` is its command line.
 */
export type { Answer } from "./answers/Answer.ts";
export { decodeBody } from "./answers/decodeBody.ts";
export { DEFAULT_NETWORKS } from "./config/defaults.ts";
export { ConfigError, checkedConfig } from "./config/loadConfig.ts";
export {
  candlesOfPool,
  candlesOfToken,
  tradesOfNetwork,
  tradesOfPool,
  tradesOfToken,
} from "./history/marketRecords.ts";
export { type LaunchedDevnet, launchDevnet } from "./launchDevnet.ts";
export { logTo } from "./logging.ts";
export { BlockSteps } from "./networks/BlockSteps.ts";
export { Network } from "./networks/Network.ts";
export type { NetworkMarket } from "./networks/NetworkMarket.ts";
export { openNetwork } from "./networks/openNetwork.ts";
export {
  type AppliedHeader,
  type OpenedService,
  OpeningError,
  type OpenServiceOptions,
  openService,
} from "./openService.ts";
export { priceGas } from "./quote/PricedRequest.ts";
export { noQuote, nothingExecutable } from "./quote/refusals.ts";
export { filterFor, resolveQuote } from "./quote/resolveQuote.ts";
export { tokenPrice } from "./quote/tokenPrice.ts";
export { withAssumptions } from "./quote/withAssumptions.ts";
export type { Opened } from "./routes/marketOf.ts";
export { answerPermit } from "./swap/answerPermit.ts";
export { answerSwap } from "./swap/answerSwap.ts";
export { SwapBuilder } from "./swap/SwapBuilder.ts";
