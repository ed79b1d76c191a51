import { Schema } from "effect";
import { HttpApiSchema } from "effect/http-api";
import { RefusalExplanationJson } from "./explanation.ts";
import { Issue } from "./issue.ts";

/** Every failure of the swap interface and of operations, with status and title. */
export const PROBLEMS = {
  INVALID_REQUEST: { status: 400, title: "Invalid request" },
  UNAUTHORIZED: { status: 401, title: "Unauthorized" },
  FORBIDDEN: { status: 403, title: "Forbidden" },
  NOT_FOUND: { status: 404, title: "Not found" },
  UNKNOWN_NETWORK: { status: 404, title: "Unknown network" },
  UNKNOWN_TOKEN: { status: 404, title: "Unknown token" },
  UNKNOWN_DEX: { status: 404, title: "Unknown DEX" },
  NO_ROUTE: { status: 404, title: "No route" },
  METHOD_NOT_ALLOWED: { status: 405, title: "Method not allowed" },
  PRICE_MOVED: { status: 409, title: "Price moved" },
  PAYLOAD_TOO_LARGE: { status: 413, title: "Payload too large" },
  AMOUNT_TOO_SMALL: { status: 422, title: "Amount too small" },
  INSUFFICIENT_LIQUIDITY: { status: 422, title: "Insufficient liquidity" },
  UNKNOWN_POOL: { status: 422, title: "Unknown pool" },
  NO_ROUTER: { status: 422, title: "No router" },
  TOKEN_REFUSES: { status: 422, title: "Token refuses" },
  RATE_LIMITED: { status: 429, title: "Rate limited" },
  INTERNAL: { status: 500, title: "Internal error" },
  NOT_READY: { status: 503, title: "Not ready" },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The media type of a problem (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json";

/** Optional members of a problem beside its code. */
export interface ProblemMembers {
  /** Where the status differs from the code's. */
  readonly status?: number;
  readonly issues?: ReadonlyArray<Issue>;
  readonly explanation?: RefusalExplanationJson;
}

/** The body of a problem, as JSON text. */
export function problemText(
  code: ProblemCode,
  detail: string,
  members: ProblemMembers = {},
): string {
  const { status, title } = PROBLEMS[code];
  return JSON.stringify({ type: problemType(code), title, status, detail, code, ...members });
}

/** The request is malformed; `issues` says where and why. */
export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  { ...problemFields("INVALID_REQUEST"), issues: Schema.Array(Issue) },
  { httpApiStatus: 400, description: "The request is malformed: `issues` says where and why." },
) {}

/** The request has an API key that does not exist. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  problemFields("UNAUTHORIZED"),
  {
    httpApiStatus: 401,
    description:
      "The request brings an API key that does not exist. Only where keys are configured; none is " +
      "needed.",
  },
) {}

/** Only pages of the service's own origin may use this. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(problemFields("FORBIDDEN"), {
  httpApiStatus: 403,
  description: "Only pages of the service's own origin may ask this: `detail` says what is amiss.",
}) {}

/** There is no network with this id. */
export class UnknownNetwork extends Schema.Error<UnknownNetwork>("UnknownNetwork")(
  problemFields("UNKNOWN_NETWORK"),
  { httpApiStatus: 404, description: "The service has no such network." },
) {}

/** No pool of the network has the token. */
export class UnknownToken extends Schema.Error<UnknownToken>("UnknownToken")(
  problemFields("UNKNOWN_TOKEN"),
  { httpApiStatus: 404, description: "The network has no such token." },
) {}

/** The network has no such DEX. */
export class UnknownDex extends Schema.Error<UnknownDex>("UnknownDex")(
  problemFields("UNKNOWN_DEX"),
  { httpApiStatus: 404, description: "The network has no such DEX." },
) {}

const explained = { explanation: Schema.optionalKey(RefusalExplanationJson) };

/** No allowed path links the tokens. */
export class NoRoute extends Schema.Error<NoRoute>("NoRoute")(
  { ...problemFields("NO_ROUTE"), ...explained },
  {
    httpApiStatus: 404,
    description: "No path of at most `maxHops` allowed pools links the tokens.",
  },
) {}

/** The amount rounds to nothing. */
export class AmountTooSmall extends Schema.Error<AmountTooSmall>("AmountTooSmall")(
  { ...problemFields("AMOUNT_TOO_SMALL"), ...explained },
  { httpApiStatus: 422, description: "The amount rounds to zero out." },
) {}

/** Paths exist, but none can fill the whole amount. */
export class InsufficientLiquidity extends Schema.Error<InsufficientLiquidity>(
  "InsufficientLiquidity",
)(
  { ...problemFields("INSUFFICIENT_LIQUIDITY"), ...explained },
  {
    httpApiStatus: 422,
    description:
      "Paths exist, and none, nor as many as `maxSplits` together, can fill all of the amount " +
      "within the gas limit of one transaction.",
  },
) {}

/** The network has no such pool. */
export class UnknownPool extends Schema.Error<UnknownPool>("UnknownPool")(
  problemFields("UNKNOWN_POOL"),
  {
    httpApiStatus: 422,
    description:
      "`excludePools`, `assume` or a step of a quote names a pool that the network does not have, " +
      "or that does not trade the step's tokens.",
  },
) {}

/** No configured router can execute the route. */
export class NoRouter extends Schema.Error<NoRouter>("NoRouter")(problemFields("NO_ROUTER"), {
  httpApiStatus: 422,
  description: "No router of the network can execute a step: `detail` says which and why.",
}) {}

/** The market has moved further than the slippage allows. */
export class PriceMoved extends Schema.Error<PriceMoved>("PriceMoved")(
  problemFields("PRICE_MOVED"),
  {
    httpApiStatus: 409,
    description:
      "The route gives less now, or takes more, than the slippage allows, or would revert: ask for " +
      "a new quote.",
  },
) {}

/** A token of the route taxes or refuses transfers. */
export class TokenRefuses extends Schema.Error<TokenRefuses>("TokenRefuses")(
  problemFields("TOKEN_REFUSES"),
  {
    httpApiStatus: 422,
    description:
      "The route would revert, or give less, and takes a token that a node has found to tax or " +
      "refuse just that: `detail` says which, and no new quote helps.",
  },
) {}

/** The request body is over the limit. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(
  problemFields("PAYLOAD_TOO_LARGE"),
  { httpApiStatus: 413, description: "The body has more than 64 KiB." },
) {}

/** The client's budget is used up, or too many slow requests are waiting. */
export class RateLimited extends Schema.Error<RateLimited>("RateLimited")(
  problemFields("RATE_LIMITED"),
  {
    httpApiStatus: 429,
    description:
      "The client's budget is used up, where one is configured (`RateLimit` and `RateLimit-Policy` of " +
      "every answer tell of it); or too many requests wait that take longer than others (quotes with " +
      "many splits, long paths, `explain` or `assume`; swaps and permits). `Retry-After` says when to " +
      "ask again.",
  },
) {}

/** The network is not synchronised, its head is too old, or the service is overloaded. */
export class NotReady extends Schema.Error<NotReady>("NotReady")(problemFields("NOT_READY"), {
  httpApiStatus: 503,
  description:
    "The network is not synchronised, or its head is too old; or the service has more to do than it " +
    "can, and `Retry-After` says when to ask again.",
}) {}

/** An internal error of the service. */
export class InternalProblem extends Schema.Error<InternalProblem>("InternalProblem")(
  problemFields("INTERNAL"),
  { httpApiStatus: 500, description: "An error of the service itself." },
) {}

/** Sends a problem class as `application/problem+json`. */
export const asProblem = <S extends Schema.Top>(problem: S) =>
  problem.pipe(HttpApiSchema.asJson({ contentType: PROBLEM_TYPE }));

function problemFields<Code extends ProblemCode>(code: Code) {
  const { status, title } = PROBLEMS[code];
  return {
    type: Schema.tag(problemType(code)),
    title: Schema.tag(title),
    status: Schema.tag(status),
    detail: Schema.String,
    code: Schema.tag(code),
  };
}

/** A relative reference, as RFC 9457 allows, to the service's reference page. */
function problemType(code: ProblemCode): string {
  return `/docs#${code}`;
}
