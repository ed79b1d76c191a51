import { Schema } from "effect";
import { RouteExplanationJson } from "./explanation.ts";
import { QuoteStepJson } from "./quoteStep.ts";
import { TokenWarning } from "./tokenSafety.ts";

/** An upper bound on the distance of a quote from the best that any routing could do. */
export const CertificateJson = Schema.Struct({
  bound: Schema.String.annotateKey({
    description:
      "No routing over any number of paths of at most `hops` pools gives more for an exact input, " +
      "and none costs less for an exact output; after gas, where the request has a price of it.",
  }),
  gapBps: Schema.Number.annotateKey({
    description: "How far the quote is from that, in basis points of its amount: 1 is 0.01 %.",
  }),
  hops: Schema.Number.annotateKey({ description: "`maxHops` of the request." }),
});

export type CertificateJson = typeof CertificateJson.Type;

/** The best route for a request, exact for the state of one block. */
export const SwapQuote = Schema.Struct({
  tokenA: Schema.String.annotateKey({ description: "As sent." }),
  tokenB: Schema.String.annotateKey({ description: "As sent." }),
  amountIn: Schema.String.annotateKey({ description: "In the smallest unit of `tokenA`." }),
  amountOut: Schema.String.annotateKey({ description: "In the smallest unit of `tokenB`." }),
  tokenPrice: Schema.String.annotateKey({
    description:
      "Whole output tokens per whole input token: the exact ratio, cut to 18 significant digits.",
  }),
  routePlan: Schema.Array(QuoteStepJson).annotateKey({
    description:
      "In the order of execution, each step with its own amounts; empty for native to wrapped and " +
      "back. With `maxSplits` above 1 whole paths come one after the other: a step whose `tokenA` is " +
      "that of the first step begins a path. The `amountIn` of the steps that begin a path add up to " +
      "the quote's, the `amountOut` of those that end one likewise.",
  }),
  dexId: Schema.String.annotateKey({ description: "As sent; `ALL` when nothing was sent." }),
  dexFactory: Schema.String.annotateKey({
    description: "Of the requested DEX; for `ALL`, of the first step's; empty without steps.",
  }),
  isNativeIn: Schema.Boolean,
  isNativeOut: Schema.Boolean,
  blockNumber: Schema.String.annotateKey({ description: "The block that the quote is true for." }),
  blockHash: Schema.String,
  timestamp: Schema.Number.annotateKey({ description: "Of that block; Unix epoch milliseconds." }),
  priceImpact: Schema.Number.annotateKey({ description: "Fraction, 0.01 = 1 %, fees apart." }),
  gasEstimate: Schema.String.annotateKey({
    description:
      "Gas that the swap's transaction uses as a rule, for a sender and a recipient who hold both " +
      "tokens, with the approvals given.",
  }),
  executable: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Whether one router of the network can execute the whole of it. Older services do not say.",
  }),
  exactOutput: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description: "Present when `amountOut` was asked.",
  }),
  unverified: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
    description:
      "Tokens of the path whose behaviour is not known to be plain: they may tax, rebase or " +
      "refuse transfers.",
  }),
  warnings: Schema.optionalKey(Schema.Array(TokenWarning)).annotateKey({
    description: "Which of these a node has found to tax, or not to be bought or sold at all.",
  }),
  certificate: Schema.optionalKey(CertificateJson).annotateKey({
    description:
      "Present when `certify` or `gapBps` was asked, but for pools whose prices are too extreme to be bounded.",
  }),
  explanation: Schema.optionalKey(RouteExplanationJson).annotateKey({
    description: "Present when `explain` was asked.",
  }),
}).annotate({
  identifier: "SwapQuote",
  description: "The best route for a request.",
  examples: [
    {
      tokenA: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
      tokenB: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
      amountIn: "1000000000000000000",
      amountOut: "2135184320",
      tokenPrice: "2135.18432",
      routePlan: [
        {
          tokenA: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
          tokenB: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
          dexId: "UNISWAP_V2",
          poolAddress: "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc",
          aToB: true,
          fee: 3000,
          zeroForOne: false,
          amountIn: "1000000000000000000",
          amountOut: "2135184320",
        },
      ],
      dexId: "ALL",
      dexFactory: "0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f",
      isNativeIn: true,
      isNativeOut: false,
      blockNumber: "24693622",
      blockHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
      timestamp: 1773948443000,
      priceImpact: 0.0002,
      gasEstimate: "118000",
      executable: true,
    },
  ],
});

export type SwapQuote = typeof SwapQuote.Type;
