import { Schema } from "effect";
import { AddressJson } from "./address.ts";
import { time } from "./candles.ts";
import { type IssueTemplate, issueAnnotation } from "./issue.ts";
import { limit } from "./parameters.ts";

/** One swap of a pool. */
export const TradeJson = Schema.Struct({
  id: Schema.String.annotateKey({
    description: "Block number and index of the log: what `before` takes.",
  }),
  poolAddress: Schema.String.annotateKey({ description: "Checksummed (EIP-55)." }),
  tokenIn: Schema.String.annotateKey({ description: "What the pool took; lower case." }),
  tokenOut: Schema.String.annotateKey({ description: "What it paid out; lower case." }),
  amountIn: Schema.String.annotateKey({ description: "In the smallest unit of `tokenIn`." }),
  amountOut: Schema.String.annotateKey({ description: "In the smallest unit of `tokenOut`." }),
  valueUsd: Schema.Number.annotateKey({
    description: "US dollars; 0 when neither token had a price.",
  }),
  side: Schema.Literals(["buy", "sell"]).annotateKey({
    description: "`buy` where the pool paid out the base: `base` of the query, else token0.",
  }),
  price: Schema.Number.annotateKey({
    description:
      "What was paid in `quote` for one `base`, in whole tokens, fees included; 0 when unknown.",
  }),
  maker: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "Whom the log says that the pool paid, or who asked for the swap; lower case. It may be a " +
      "contract that the swap went through, as a router. Absent where the log does not say.",
  }),
  chainId: Schema.String,
  transactionHash: Schema.String,
  logIndex: Schema.Number,
  blockNumber: Schema.String,
  blockHash: Schema.String,
  timestamp: Schema.Number.annotateKey({ description: "Of that block; Unix epoch milliseconds." }),
}).annotate({
  identifier: "Trade",
  description: "One swap of a pool.",
  examples: [
    {
      id: "24693622-187",
      poolAddress: "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc",
      tokenIn: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
      tokenOut: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
      amountIn: "1000000000000000000",
      amountOut: "2135184320",
      valueUsd: 2135.1843,
      side: "buy",
      price: 0.00046834402,
      maker: "0x28c6c06298d514db089934071355e5743bf21d60",
      chainId: "1",
      transactionHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
      logIndex: 187,
      blockNumber: "24693622",
      blockHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
      timestamp: 1773948443000,
    },
  ],
});

/** The body of `/trades`, `/pools/:address/trades` and `/tokens/:address/trades`. */
export const TradeList = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Array(TradeJson).annotateKey({ description: "The newest first." }),
}).annotate({ identifier: "TradeList" });

/** Parameters that select trades. */
export const tradeQuery = {
  from: Schema.optionalKey(time("Trades of blocks of this time or later; Unix epoch ms.")),
  to: Schema.optionalKey(time("Trades of blocks of this time or before; Unix epoch ms.")),
  maker: Schema.optionalKey(
    AddressJson.annotate({ description: "Trades whose log names this maker." }),
  ),
  limit: limit("Trades, at most, the newest ones"),
  before: Schema.optionalKey(tradeId("Trades before the one of this id.")),
};

/** Parameters that select trades of a whole network. */
export const networkTradeQuery = {
  transaction: Schema.optionalKey(transactionHash("Trades of this transaction.")),
  ...tradeQuery,
};

function transactionHash(description: string) {
  const pattern = /^0x[0-9a-fA-F]{64}$/;
  const template: IssueTemplate = {
    origin: "string",
    code: "invalid_format",
    format: "regex",
    pattern: String(pattern),
    message: "Invalid transaction hash: 0x and 64 hex digits",
  };
  return Schema.String.check(Schema.isPattern(pattern, { [issueAnnotation]: template })).annotate({
    description,
  });
}

function tradeId(description: string) {
  // Numbers of up to 15 digits are exact.
  const pattern = /^(0|[1-9][0-9]{0,14})-(0|[1-9][0-9]{0,9})$/;
  const template: IssueTemplate = {
    origin: "string",
    code: "invalid_format",
    format: "regex",
    pattern: String(pattern),
    message: "Invalid trade id: the number of a block, a hyphen, the index of a log",
  };
  return Schema.String.check(Schema.isPattern(pattern, { [issueAnnotation]: template })).annotate({
    description,
  });
}
