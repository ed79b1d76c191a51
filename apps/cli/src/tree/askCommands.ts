import { Effect } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { candleFlags, isShortText, listFlags, swapFlags } from "../flags.ts";
import { root } from "./root.ts";
import { cycleHops, poolWord, quoteWords, startWord, tokenWord } from "./words.ts";

export const quote = Command.make(
  "quote",
  quoteWords,
  Effect.fnUntraced(function* (words) {
    const { showQuote } = yield* Effect.promise(() => import("../commands/quote.ts"));
    yield* showQuote(yield* root, words, false);
  }),
).pipe(
  Command.withDescription("The best route from one token to another, now"),
  Command.withExamples([{ command: "millrace quote 1.5 WETH USDC --max-splits 8" }]),
);

export const explain = Command.make(
  "explain",
  quoteWords,
  Effect.fnUntraced(function* (words) {
    const { showQuote } = yield* Effect.promise(() => import("../commands/quote.ts"));
    yield* showQuote(yield* root, words, true);
  }),
).pipe(
  Command.withDescription("A quote, and where its difference to the mid price went"),
  Command.withExamples([{ command: "millrace explain 250 WETH USDC" }]),
);

export const swap = Command.make(
  "swap",
  { words: quoteWords, swap: swapFlags },
  Effect.fnUntraced(function* ({ words, swap: how }) {
    const { showSwap } = yield* Effect.promise(() => import("../commands/swap.ts"));
    yield* showSwap(yield* root, words, how);
  }),
).pipe(
  Command.withDescription("The unsigned transactions of a swap; --execute signs and sends them"),
  Command.withExamples([
    { command: "millrace swap 1.5 WETH USDC --from 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" },
  ]),
);

export const tokens = Command.make(
  "tokens",
  {
    query: Argument.String("query").pipe(
      Argument.withDescription("Part of a symbol or a name"),
      Argument.filter(isShortText, () => "a query has at most 128 characters"),
      Argument.withDefault(""),
    ),
    list: listFlags.tokens,
  },
  Effect.fnUntraced(function* ({ query, list }) {
    const { showTokens } = yield* Effect.promise(() => import("../commands/marketData.ts"));
    yield* showTokens(yield* root, query, list);
  }),
).pipe(Command.withDescription("Tokens, their prices and liquidity"));

export const pools = Command.make(
  "pools",
  {
    filter: {
      token: Flag.String("token").pipe(
        Flag.withDescription("Pools of this token: its address or its symbol"),
        Flag.withDefault(""),
      ),
      dex: Flag.String("dex").pipe(
        Flag.withDescription("Pools of this DEX: its id or its name"),
        Flag.filter(isShortText, () => "a DEX has at most 128 characters"),
        Flag.withDefault(""),
      ),
    },
    list: listFlags.pools,
  },
  Effect.fnUntraced(function* ({ filter, list }) {
    const { showPools } = yield* Effect.promise(() => import("../commands/marketData.ts"));
    yield* showPools(yield* root, filter, list);
  }),
).pipe(Command.withDescription("Pools, their liquidity and volume"));

export const candles = Command.make(
  "candles",
  {
    token: tokenWord("token", "The token; with --pool the pool's address or id"),
    pool: Flag.Boolean("pool").pipe(
      Flag.withDescription("Candles of a pool: its second token for one of its first"),
      Flag.withDefault(false),
    ),
    ...candleFlags,
  },
  Effect.fnUntraced(function* (words) {
    const { showCandles } = yield* Effect.promise(() => import("../commands/marketData.ts"));
    yield* showCandles(yield* root, words);
  }),
).pipe(Command.withDescription("Opening, highest, lowest and closing prices"));

export const trades = Command.make(
  "trades",
  { pool: poolWord, limit: listFlags.tokens.limit },
  Effect.fnUntraced(function* (words) {
    const { showTrades } = yield* Effect.promise(() => import("../commands/marketData.ts"));
    yield* showTrades(yield* root, words.pool, words.limit);
  }),
).pipe(Command.withDescription("The newest swaps of a pool"));

export const doctor = Command.make(
  "doctor",
  {},
  Effect.fnUntraced(function* () {
    const { examine } = yield* Effect.promise(() => import("../commands/doctor.ts"));
    yield* examine(yield* root);
  }),
).pipe(Command.withDescription("Whether a service and its networks are well: 0 when they are"));

export const cycles = Command.make(
  "cycles",
  { token: startWord, maxHops: cycleHops, limit: listFlags.tokens.limit },
  Effect.fnUntraced(function* (words) {
    const { showCycles } = yield* Effect.promise(() => import("../commands/cycles.ts"));
    yield* showCycles(yield* root, words);
  }),
).pipe(
  Command.withDescription("Profitable round trips, of a market of one's own; gas is not counted"),
  Command.withExamples([{ command: "millrace cycles WETH --market-file market.json" }]),
);
