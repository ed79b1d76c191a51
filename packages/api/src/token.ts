import { Schema } from "effect";
import { poolNames } from "./poolName.ts";
import { safetyField } from "./tokenSafety.ts";

const dollars = (description: string) => Schema.Number.annotateKey({ description });

const change = (window: string) =>
  Schema.optionalKey(Schema.Number).annotateKey({
    description:
      `A fraction, 0.01 = 1 %: the price against the close of the last minute's candle that ended ` +
      `${window} ago or before. Absent while unknown, and where that candle is more than a day older.`,
  });

const tokenFields = {
  address: Schema.String.annotateKey({ description: "Lower case." }),
  symbol: Schema.String,
  name: Schema.String,
  decimals: Schema.Number,
  chainId: Schema.String,
  dexes: Schema.Array(Schema.String).annotateKey({
    description: "Names of the DEXes that trade it.",
  }),
  lastUpdated: Schema.Number.annotateKey({ description: "Unix epoch milliseconds." }),
  price: dollars("US dollars; 0 when unknown."),
  liquidity: dollars("US dollars in all pools."),
  marketCap: Schema.optionalKey(Schema.Number).annotateKey({
    description: "US dollars; absent when price or supply is unknown, or nobody can sell it.",
  }),
  fullyDilutedValuation: Schema.optionalKey(Schema.Number).annotateKey({
    description: "US dollars; absent when price or supply is unknown, or nobody can sell it.",
  }),
  volume24h: dollars("US dollars."),
  volume6h: dollars("US dollars."),
  volume1h: dollars("US dollars."),
  volume5m: dollars("US dollars."),
  txns24h: Schema.Number,
  buys24h: Schema.Number.annotateKey({
    description: "Swaps in which the pool paid the token out.",
  }),
  sells24h: Schema.Number,
  priceChange5m: change("5 minutes"),
  priceChange1h: change("1 hour"),
  priceChange6h: change("6 hours"),
  priceChange24h: change("24 hours"),
  priceChange7d: change("7 days"),
  priceChange30d: change("30 days"),
  safety: safetyField,
};

/** What the service knows about a token. */
export const Token = Schema.Struct(tokenFields).annotate({ identifier: "Token" });

/** A token in a list or a search. */
export const TokenListEntry = Schema.Struct({
  ...tokenFields,
  chartDataAvailable: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "True when candles exist.",
  }),
}).annotate({ identifier: "TokenListEntry" });

/** A token in a pool's details. */
export const PoolToken = Schema.Struct({
  ...tokenFields,
  totalSupply: Schema.String.annotateKey({ description: 'Smallest units; "0" when unknown.' }),
  circulatingSupply: Schema.String.annotateKey({
    description: 'Smallest units; "0" when unknown.',
  }),
}).annotate({ identifier: "PoolToken" });

const poolFields = {
  ...poolNames,
  token0: Schema.String.annotateKey({ description: "Lower case." }),
  token1: Schema.String.annotateKey({ description: "Lower case." }),
  symbol0: Schema.String.annotateKey({ description: "Of token0." }),
  symbol1: Schema.String.annotateKey({ description: "Of token1." }),
  tokens: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
    description:
      "All of a pool that has more than two, in its order, token0 and token1 first; lower case.",
  }),
  reserves: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
    description: "What such a pool holds of each of `tokens`, in smallest units.",
  }),
  fee: Schema.Number.annotateKey({
    description: "What token0 to token1 pays now, in hundredths of a basis point: 3000 = 0.3 %.",
  }),
  liquidity: Schema.String.annotateKey({ description: "For x·y = k: ⌊√(x·y)⌋." }),
  sqrtPriceX96: Schema.String.annotateKey({ description: "For x·y = k: ⌊√(y·2^192/x)⌋." }),
  price: Schema.Number.annotateKey({
    description: "Mid price: token1 for one token0, in whole tokens, before fees; 0 without one.",
  }),
  dexName: Schema.String,
  chainId: Schema.String,
  blockNumber: Schema.String.annotateKey({ description: "The block that last changed the pool." }),
  lastUpdated: Schema.Number.annotateKey({ description: "Unix epoch milliseconds." }),
  liquidityUsd: dollars("US dollars of all that the pool holds."),
  volume24h: dollars("US dollars."),
  protocol: Schema.String.annotateKey({ description: "The pool family, as `constant-product`." }),
};

/** What the service knows about a pool. */
export const Pool = Schema.Struct(poolFields).annotate({ identifier: "Pool" });

/** A pool with its tokens. */
export const PoolDetails = Schema.Struct({
  ...poolFields,
  token0Details: PoolToken,
  token1Details: PoolToken,
}).annotate({ identifier: "PoolDetails" });

/** A token's price and its source. */
export const TokenPrice = Schema.Struct({
  address: Schema.String,
  chainId: Schema.String,
  price: dollars("US dollars; 0 when unknown."),
  confidence: Schema.Number.annotateKey({
    description: "0 when unpriced … 1 for an anchor: how deep it is backed, how far sources agree.",
  }),
  anchor: Schema.NullOr(Schema.String).annotateKey({
    description: "The token whose price is configured; null when no path leads to one.",
  }),
  path: Schema.Array(Schema.String).annotateKey({
    description: "Tokens from this one to the anchor.",
  }),
  pools: Schema.Array(Schema.String).annotateKey({
    description: "Pools that the price was read from: their ids where they have one.",
  }),
  depthUsd: dollars("US dollars that move the price by 2 %; 0 for an anchor: nothing moves it."),
  blockNumber: Schema.String.annotateKey({ description: "The block that the price is of." }),
}).annotate({ identifier: "TokenPrice" });

/** A token in the swap interface's lists. */
export const TokenEntry = Schema.Struct({
  address: Schema.String.annotateKey({ description: "What a quote takes." }),
  decimals: Schema.Number,
  symbol: Schema.String,
  name: Schema.String,
  contractAddress: Schema.String.annotateKey({
    description: "The ERC-20; for the native token, the wrapped one.",
  }),
  safety: safetyField,
}).annotate({ identifier: "TokenEntry" });
