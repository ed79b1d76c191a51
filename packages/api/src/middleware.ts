import { HttpApiMiddleware } from "effect/http-api";

/** Words requests that do not decode as the market-data interface's failures. */
export class MarketFailures extends HttpApiMiddleware.Service<MarketFailures>()(
  "@millrace/api/MarketFailures",
) {}

/** Words requests that do not decode as problems (RFC 9457), and refuses what no endpoint takes. */
export class ProblemFailures extends HttpApiMiddleware.Service<ProblemFailures>()(
  "@millrace/api/ProblemFailures",
) {}
