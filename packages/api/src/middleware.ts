import { HttpApiMiddleware } from "effect/http-api";

/** Answers requests that do not decode with the market-data interface's failures. */
export class MarketFailures extends HttpApiMiddleware.Service<MarketFailures>()(
  "@millrace/api/MarketFailures",
) {}

/** Answers requests that do not decode with problems (RFC 9457), and refuses unknown endpoints. */
export class ProblemFailures extends HttpApiMiddleware.Service<ProblemFailures>()(
  "@millrace/api/ProblemFailures",
) {}
