export * from "./address.ts";
export { isAmount } from "./amount.ts";
export { Api } from "./api.ts";
export { AssumptionJson, assumedStepCount } from "./assumption.ts";
export { CANDLE_INTERVALS, CandleJson, CandleList } from "./candles.ts";
export { CycleJson, CycleList } from "./cycles.ts";
export { decodeQuoteRequest } from "./decodeQuoteRequest.ts";
export { decodeSwapRequest } from "./decodeSwapRequest.ts";
export { decodeTokenRequest, type NetworkChoice, type TokenRequest } from "./decodeTokenRequest.ts";
export * from "./encodeSwapQuote.ts";
export { encodeTokenAnswer } from "./encodeToken.ts";
export * from "./explanation.ts";
export { type Issue, issueAt, issuesOf, unrecognizedKeys } from "./issue.ts";
export * from "./marketApi.ts";
export * from "./marketFailures.ts";
export * from "./middleware.ts";
export { openApiText } from "./openApi.ts";
export * from "./operationsApi.ts";
export * from "./problems.ts";
export * from "./quoteRequest.ts";
export * from "./quoteStep.ts";
export type { ReferenceExamples } from "./reference/curlLine.ts";
export { referencePage } from "./reference/referencePage.ts";
export { REFERENCE_STYLE } from "./reference/referenceStyle.ts";
export { scanQuoteRequest } from "./scanQuoteRequest.ts";
export { asyncApiText } from "./streaming/asyncApi.ts";
export { decodeOperation, type RefusedOperation } from "./streaming/decodeOperation.ts";
export * from "./streaming/encodeMessage.ts";
export * from "./streaming/messages.ts";
export * from "./streaming/Operation.ts";
export { type Channel, OperationId } from "./streaming/operations.ts";
export * from "./swapApi.ts";
export * from "./swapQuote.ts";
export {
  decodeSwapRequestStrictly,
  SLIPPAGE_PARTS,
  SWAP_STEPS_MAX,
  SwapRequest,
} from "./swapRequest.ts";
export * from "./swapTransactions.ts";
export * from "./token.ts";
export { TokenSafety, TokenWarning } from "./tokenSafety.ts";
export { TradeJson, TradeList } from "./trades.ts";
export { WalletAnswer, WalletRequest } from "./walletApi.ts";
