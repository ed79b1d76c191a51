import { Schema } from "effect";
import { Issue } from "./issue.ts";

/** The body of every failure of the market-data interface, as JSON text. */
export function marketFailureText(issues: ReadonlyArray<Issue>): string {
  return JSON.stringify({ success: false, error: JSON.stringify(issues) });
}

/** A parameter is malformed or unknown; there is one issue for each. */
export class MarketInvalid extends Schema.Error<MarketInvalid>("MarketInvalid")(envelope(), {
  httpApiStatus: 400,
  description: "A parameter is malformed or unknown; one issue for each.",
}) {}

/** The request has an API key that does not exist. */
export class MarketUnauthorized extends Schema.Error<MarketUnauthorized>("MarketUnauthorized")(
  envelope(),
  {
    httpApiStatus: 401,
    description:
      "The request brings an API key that does not exist (`unauthorized`). Only where keys are " +
      "configured; none is needed.",
  },
) {}

/** What the request names does not exist. */
export class MarketNotFound extends Schema.Error<MarketNotFound>("MarketNotFound")(envelope(), {
  httpApiStatus: 404,
  description:
    "Nothing is known at the address, or there is no such network (`not_found`). The message names " +
    "the network that has the address, where another one of the service does.",
}) {}

/** The client's budget is used up. */
export class MarketRateLimited extends Schema.Error<MarketRateLimited>("MarketRateLimited")(
  envelope(),
  {
    httpApiStatus: 429,
    description:
      "The client's budget is used up, where one is configured (`rate_limited`): `Retry-After` says " +
      "when to ask again.",
  },
) {}

/** An internal error of the service. */
export class MarketInternal extends Schema.Error<MarketInternal>("MarketInternal")(envelope(), {
  httpApiStatus: 500,
  description: "An error of the service itself (`internal`).",
}) {}

/** The network is not synchronised, its head is too old, or the service is overloaded. */
export class MarketNotReady extends Schema.Error<MarketNotReady>("MarketNotReady")(envelope(), {
  httpApiStatus: 503,
  description:
    "The network is not synchronised, or its head is too old; or the service has more to do than it " +
    "can, and `Retry-After` says when to ask again (`not_ready`).",
}) {}

function envelope() {
  return {
    success: Schema.tag(false),
    error: Schema.fromJsonString(Schema.Array(Issue)).annotateKey({
      description: "The JSON text of an array of issues.",
    }),
  };
}
