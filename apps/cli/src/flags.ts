import { Config } from "effect";
import { Flag } from "effect/cli";

// The service's bounds, so that a request that it would refuse fails before it is sent. They are
// repeated here, since importing them would load the schemas.

const TEXT_LENGTH_MAX = 128;
const GAP_BPS_MIN = 0.01;
const GAP_BPS_MAX = 1_000;
const SORT_FIELDS = {
  tokens: ["liquidity", "volume24h", "price", "symbol", "marketCap", "txns24h"],
  pools: ["liquidityUsd", "volume24h", "fee", "dexName", "lastUpdated"],
} as const;
const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const;

export const isShortText = (text: string): boolean => text.length <= TEXT_LENGTH_MAX;
export const namesPool = (text: string): boolean =>
  /^0x[a-fA-F0-9]{40}([a-fA-F0-9]{24})?$/.test(text);

/** Unix milliseconds of an ISO 8601 time; UTC where it names no zone. */
export const timeOfText = (text: string): number =>
  Date.parse(/T[^Z+-]*$/.test(text) ? `${text}Z` : text);

export const wholeFlag = (
  name: string,
  least: number,
  most: number,
  usual: number,
  meaning: string,
) =>
  Flag.Int(name).pipe(
    Flag.withDescription(`${meaning}, ${least} to ${most}; default ${usual}`),
    Flag.withMetavar("N"),
    Flag.filter(
      (value) => value >= least && value <= most,
      (value) => `--${name} is ${value}: ${least} to ${most} is wanted`,
    ),
    Flag.withDefault(usual),
  );
export const switchFlag = (name: string, meaning: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(meaning), Flag.withDefault(false));
const limit = wholeFlag("limit", 1, 500, 20, "Lines, at most");

/** Flags of a quote, in addition to its amount and tokens. */
export const quoteFlags = {
  exactOutput: switchFlag("exact-output", "The amount is what comes out"),
  dex: Flag.String("dex").pipe(
    Flag.withDescription("Only through this DEX, by its id; default all"),
    Flag.withMetavar("ID"),
    Flag.filter(
      (id) => id.length <= 64,
      () => "the id of a DEX has at most 64 characters",
    ),
    Flag.withDefault("ALL"),
  ),
  maxHops: wholeFlag("max-hops", 1, 4, 3, "Pools of a path, at most"),
  maxSplits: wholeFlag("max-splits", 1, 64, 1, "Paths, at most"),
  gasAware: switchFlag("gas-aware", "Ranks routes by what is left after gas"),
  certify: switchFlag("certify", "Adds how far any routing could be better"),
  gapBps: Flag.Finite("gap-bps").pipe(
    Flag.withDescription("As few paths as come so close to the best, 0.01 to 1000 basis points"),
    Flag.withMetavar("BPS"),
    Flag.filter(
      (value) => value >= GAP_BPS_MIN && value <= GAP_BPS_MAX,
      (value) => `--gap-bps is ${value}: ${GAP_BPS_MIN} to ${GAP_BPS_MAX} is wanted`,
    ),
    Flag.optional,
  ),
};

/** Flags of a swap, in addition to its quote. */
export const swapFlags = {
  from: Flag.String("from").pipe(
    Flag.withDescription("Who sends it; with --execute the key says"),
    Flag.withMetavar("ADDRESS"),
    Flag.filter(
      (text) => text === "" || /^0x[a-fA-F0-9]{40}$/.test(text),
      () => "--from has to be an address",
    ),
    Flag.withDefault(""),
  ),
  slippage: Flag.Finite("slippage").pipe(
    Flag.withDescription("Percent that the output may fall short, 0 to 50; default 0.5"),
    Flag.withMetavar("PERCENT"),
    Flag.filter(
      (value) => value >= 0 && value <= 50 && Math.round(value * 1e4) / 1e4 === value,
      () => "--slippage is a percentage from 0 to 50 with at most four decimals",
    ),
    Flag.withDefault(0.5),
  ),
  execute: switchFlag("execute", "Signs with MILLRACE_PRIVATE_KEY, sends, and waits"),
  yes: switchFlag("yes", "Executes on a network that is no devnet, too"),
  sendTo: Flag.String("send-to").pipe(
    Flag.withDescription("The node to send to; MILLRACE_RPC_URL"),
    Flag.withMetavar("URL"),
    Flag.withFallbackConfig(Config.String("MILLRACE_RPC_URL")),
    Flag.withDefault(""),
  ),
};

const sortFlag = <const Field extends string>(fields: ReadonlyArray<Field>) =>
  Flag.Literals("sort", fields).pipe(
    Flag.withDescription(`By ${fields.join(", ")}; the greatest first. Default ${fields[0]}`),
    Flag.withMetavar("FIELD"),
    Flag.withDefault(fields[0]!),
    Flag.map((field) => `-${field}` as const),
  );
const page = wholeFlag("page", 1, 1e9, 1, "The page");

/** Flags of a list. */
export const listFlags = {
  tokens: { limit, page, sort: sortFlag(SORT_FIELDS.tokens) },
  pools: { limit, page, sort: sortFlag(SORT_FIELDS.pools) },
};

/** Flags of candles. */
export const candleFlags = {
  interval: Flag.Literals("interval", INTERVALS).pipe(
    Flag.withDescription("The length of a candle; default 1h"),
    Flag.withDefault("1h" as const),
  ),
  limit,
};
