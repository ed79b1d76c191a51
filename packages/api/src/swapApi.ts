import { Schema } from "effect";
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { AddressJson } from "./address.ts";
import { CycleList, cyclesQuery } from "./cycles.ts";
import { ProblemFailures } from "./middleware.ts";
import {
  AmountTooSmall,
  asProblem,
  InsufficientLiquidity,
  InternalProblem,
  InvalidRequest,
  NoRoute,
  NoRouter,
  NotReady,
  PayloadTooLarge,
  PriceMoved,
  RateLimited,
  TokenRefuses,
  Unauthorized,
  UnknownDex,
  UnknownNetwork,
  UnknownPool,
  UnknownToken,
} from "./problems.ts";
import { QuoteRequestJson } from "./quoteRequest.ts";
import { SwapQuote } from "./swapQuote.ts";
import { SwapRequest } from "./swapRequest.ts";
import { PermitAnswer, SwapTransactions } from "./swapTransactions.ts";
import { TokenEntry } from "./token.ts";

const network = Schema.String.annotate({ description: "A network's id.", examples: ["ETH"] });
const tokenAddress = AddressJson.annotate({ description: "The token; native or wrapped too." });

/** A DEX of a network. */
const DexEntry = Schema.Struct({
  dexId: Schema.String.annotateKey({ description: "What `dexId` takes." }),
  name: Schema.String,
  protocol: Schema.String,
  factory: Schema.String,
  pools: Schema.Number,
}).annotate({ identifier: "DexEntry" });

/** The body of `/:network/dexes`. */
export const DexList = Schema.Struct({ result: Schema.Array(DexEntry) }).annotate({
  identifier: "DexList",
});

/** The body of `/:network/tokenList`. */
export const TokenAddresses = Schema.Struct({ result: Schema.Array(Schema.String) }).annotate({
  identifier: "TokenAddresses",
});

/** The body of `/:network/tokenListWithDetails`. */
export const TokenEntries = Schema.Struct({ result: Schema.Array(TokenEntry) }).annotate({
  identifier: "TokenEntries",
});

/** The body of `/:network/tokenDetails/:tokenAddress`. */
export const TokenEntryAnswer = Schema.Struct({ result: TokenEntry }).annotate({
  identifier: "TokenEntryAnswer",
});

/** The body of `/:network/tokenPrice/:tokenAddress`. */
export const PriceAnswer = Schema.Struct({
  result: Schema.Number.annotateKey({ description: "US dollars; 0 when the token is not priced." }),
}).annotate({ identifier: "PriceAnswer" });

const errors = [
  ...[InvalidRequest, Unauthorized, UnknownNetwork, RateLimited],
  ...[NotReady, InternalProblem],
].map(asProblem);
const tokenErrors = [...errors, asProblem(UnknownToken)];
const routeErrors = [
  ...tokenErrors,
  ...[AmountTooSmall, InsufficientLiquidity, UnknownPool, PayloadTooLarge].map(asProblem),
];
const quoteErrors = [...routeErrors, ...[UnknownDex, NoRoute].map(asProblem)];
const swapErrors = [...routeErrors, ...[NoRouter, PriceMoved, TokenRefuses].map(asProblem)];

/** The swap interface of a network. */
export class SwapApi extends HttpApiGroup.make("swap")
  .add(
    HttpApiEndpoint.post("quote", "/:network/quote", {
      params: { network },
      payload: QuoteRequestJson,
      success: SwapQuote,
      error: quoteErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Quote the best route",
        description:
          "The best path of at most `maxHops` pools, or the best flow over at most `maxSplits` such " +
          "paths, exact to the smallest unit on the state of the block that the answer names.",
      }),
    ),
    HttpApiEndpoint.post("swap", "/:network/swap", {
      params: { network },
      payload: SwapRequest,
      success: SwapTransactions,
      error: swapErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Build the transactions of a quote",
        description:
          "Unsigned. The quote is recomputed on the newest block; limits start from the better of " +
          "the two. What would revert is not given, as far as a node can tell.",
      }),
    ),
    HttpApiEndpoint.post("permit", "/:network/permit", {
      params: { network },
      payload: SwapRequest,
      success: PermitAnswer,
      error: swapErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Get what a wallet signs instead of an approval",
        description:
          "Takes the body of `/:network/swap`, without `permit`. What is signed goes back there as " +
          "`permit`.",
      }),
    ),
    HttpApiEndpoint.get("dexes", "/:network/dexes", {
      params: { network },
      success: DexList,
      error: errors,
    }).annotateMerge(OpenApi.annotations({ summary: "List DEXes" })),
    HttpApiEndpoint.get("tokenList", "/:network/tokenList", {
      params: { network },
      success: TokenAddresses,
      error: errors,
    }).annotateMerge(
      OpenApi.annotations({ summary: "List addresses of routable tokens, the most liquid first" }),
    ),
    HttpApiEndpoint.get("tokenListWithDetails", "/:network/tokenListWithDetails", {
      params: { network },
      success: TokenEntries,
      error: errors,
    }).annotateMerge(OpenApi.annotations({ summary: "List routable tokens" })),
    HttpApiEndpoint.get("tokenDetails", "/:network/tokenDetails/:tokenAddress", {
      params: { network, tokenAddress },
      success: TokenEntryAnswer,
      error: tokenErrors,
    }).annotateMerge(OpenApi.annotations({ summary: "Get a token" })),
    HttpApiEndpoint.get("swapTokenPrice", "/:network/tokenPrice/:tokenAddress", {
      params: { network, tokenAddress },
      success: PriceAnswer,
      error: tokenErrors,
    }).annotateMerge(OpenApi.annotations({ summary: "Get a token's price in US dollars" })),
    HttpApiEndpoint.get("cycles", "/:network/cycles", {
      params: { network },
      query: cyclesQuery,
      success: CycleList,
      error: tokenErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List profitable round trips of a token",
        description:
          "Paths from the token back to itself, through no other token and no pool twice, that end " +
          "with more than they began with: exact on the state of the newest block, gas not counted. " +
          "Each is computed by itself: where two share a pool, executing one changes the other.",
      }),
    ),
  )
  .middleware(ProblemFailures)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Swap",
      description: "Quotes, their transactions, and the tokens that can be quoted, of one network.",
    }),
  ) {}
