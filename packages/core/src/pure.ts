// The part of the package that needs no Effect, for modules that each thread loads.
export { Background } from "./Background.ts";
export {
  CURVE_STRIDE,
  type Curve,
  EMPTY_PIECE,
  ESTIMATE_ERROR,
  type PoolFamily,
  type PoolShape,
  type PoolSwap,
  type PriceAndLiquidity,
  REFUSED,
} from "./Curve.ts";
export type { Cycle } from "./cycles/Cycle.ts";
export { Cycles } from "./cycles/Cycles.ts";
export type {
  Explanation,
  RefusalExplanation,
  RefusalLimit,
  RouteExplanation,
  StepExplanation,
} from "./explain/Explanation.ts";
export { type ExplainedResult, explainQuote } from "./explain/explainQuote.ts";
export { AddressIndex } from "./graph/AddressIndex.ts";
export type { AppliedBlock, RejectedChange } from "./graph/AppliedBlock.ts";
export { ADDRESS_BYTES, type Address, formatAddress, parseAddress } from "./graph/address.ts";
export { bookOf } from "./graph/books.ts";
export type {
  MarketBlock,
  PastBlock,
  PoolStateChange,
  SwapEvent,
  TokenListing,
  TokenSupply,
} from "./graph/MarketBlock.ts";
export {
  type BlockStamp,
  BOOK_WORDS,
  type Book,
  CONSTANTS_MAX,
  type Dex,
  FEE_IN_STATE,
  isZeroForOne,
  NO_CONSTANTS,
  NO_HASH,
  PIECE_STRIDE,
  PoolGraph,
  type PoolIndex,
  type PoolListing,
  type PoolState,
  type TokenIndex,
  type TokenPosition,
} from "./graph/PoolGraph.ts";
export { PoolGraphWriter } from "./graph/PoolGraphWriter.ts";
export { decodePoolId, encodePoolId, isPoolId, type PoolId, poolKey } from "./graph/poolId.ts";
export { runToEnd } from "./graph/runToEnd.ts";
export { SnapshotError } from "./graph/snapshot.ts";
export { LEDGER_STRIDE, type LedgerBook, spliceBook } from "./graph/spliceBook.ts";
export { type Held, HOLDS_CHANNEL, type HoldCause, holding } from "./holding.ts";
export { PiecewiseCurve } from "./math/PiecewiseCurve.ts";
export { smoothFamily } from "./math/smoothFamily.ts";
export { type SmoothCurve, smoothPieces } from "./math/smoothPieces.ts";
export {
  amount0Down,
  amount1Down,
  amountInBetween,
  amountOutBetween,
  divideUp,
  priceAfterToken0In,
  priceAfterToken0Out,
  priceAfterToken1In,
  priceAfterToken1Out,
} from "./math/sqrtPriceMath.ts";
export { squareRoot } from "./math/squareRoot.ts";
export { furthestWordEnd, wordStepEnd } from "./math/tickBitmap.ts";
export { heldAmounts, lastAtOrBelow, liquidityNet } from "./math/tickBook.ts";
export { tickCurve } from "./math/tickCurve.ts";
export {
  priceLimitX96,
  SQRT_RATIO_MAX_X96,
  SQRT_RATIO_MIN_X96,
  sqrtRatioAtTick,
  TICK_MAX,
  TICK_MIN,
  tickAtSqrtRatio,
} from "./math/tickMath.ts";
export { readWords, readWords2, wordsToNumber2, writeWords } from "./math/words.ts";
export {
  GAS_LIMIT_DEFAULT,
  type MarketOptions,
  type OpenMarket,
  openMarket,
  openSnapshot,
  TRANSACTION_GAS,
} from "./openMarket.ts";
export type { PlannedPath, PlannedRoute } from "./route/PlannedRoute.ts";
export {
  type RecomputedRoute,
  recomputeRoute,
  type UnfilledRoute,
} from "./route/recomputeRoute.ts";
export { gasPriceIn } from "./search/gasPriceIn.ts";
export { gasCost, netOf } from "./search/netOf.ts";
export { QuoteRequestError } from "./search/QuoteRequestError.ts";
export {
  type Certificate,
  HOPS_MAX,
  type NoQuote,
  type NoQuoteReason,
  type PoolFilter,
  pathsOf,
  type Quote,
  type QuoteKind,
  type QuoteRequest,
  type QuoteResult,
  type QuoteStep,
} from "./search/quote.ts";
export { RouteRelevance } from "./search/RouteRelevance.ts";
export { Router } from "./search/Router.ts";
export { STEPS_CHANNEL, type StepName, step, type TakenStep } from "./step.ts";
export type { Assumption, RefusedAssumption } from "./whatIf/Assumption.ts";
export type { Overlay } from "./whatIf/Overlay.ts";
export { openOverlay } from "./whatIf/openOverlay.ts";
