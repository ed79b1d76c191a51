import { Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { root } from "./root.ts";
import {
  countFlag,
  cycleHops,
  historyFlag,
  poolWord,
  quoteWords,
  startWord,
  tokenWord,
} from "./words.ts";

export const watch = Command.make("watch").pipe(
  Command.withDescription("A line whenever a block changes what is watched, until Ctrl-C"),
  Command.withSubcommands([
    Command.make(
      "blocks",
      { count: countFlag },
      Effect.fnUntraced(function* (words) {
        const { watchBlocks } = yield* Effect.promise(() => import("../commands/watch.ts"));
        yield* watchBlocks(yield* root, words.count);
      }),
    ).pipe(Command.withDescription("Every block")),
    Command.make(
      "price",
      { token: tokenWord("token", "The token"), count: countFlag },
      Effect.fnUntraced(function* (words) {
        const { watchPrice } = yield* Effect.promise(() => import("../commands/watch.ts"));
        yield* watchPrice(yield* root, words.token, words.count);
      }),
    ).pipe(Command.withDescription("A token's price in US dollars")),
    Command.make(
      "quote",
      { words: quoteWords, count: countFlag },
      Effect.fnUntraced(function* ({ words, count: wanted }) {
        const { watchQuote } = yield* Effect.promise(() => import("../commands/watch.ts"));
        yield* watchQuote(yield* root, words, wanted);
      }),
    ).pipe(Command.withDescription("The best route from one token to another")),
    Command.make(
      "trades",
      { pool: poolWord, count: countFlag },
      Effect.fnUntraced(function* (words) {
        const { watchTrades } = yield* Effect.promise(() => import("../commands/watchTrades.ts"));
        yield* watchTrades(yield* root, words.pool, words.count);
      }),
    ).pipe(Command.withDescription("The swaps of a pool, from now on, as blocks bring them")),
  ]),
);

const blockFlag = (name: string, meaning: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(meaning),
    Flag.withMetavar("BLOCK"),
    Flag.filter(
      (block) => block >= 0,
      () => `--${name} has to be the number of a block`,
    ),
    Flag.withDefault(-1),
  );

/** The blocks to replay. */
const spanFlags = {
  history: historyFlag.pipe(Flag.withDefault("")),
  from: blockFlag("from", "The first block; default the first that is there"),
  to: blockFlag("to", "The last block; default the last that is there"),
  count: countFlag,
};

export const replay = Command.make("replay").pipe(
  Command.withDescription(
    "A line for every block of --market-file or --history, one after another",
  ),
  Command.withSubcommands([
    Command.make(
      "blocks",
      spanFlags,
      Effect.fnUntraced(function* (span) {
        const { replayBlocks } = yield* Effect.promise(() => import("../commands/replay.ts"));
        yield* replayBlocks(yield* root, span);
      }),
    ).pipe(Command.withDescription("What each changed")),
    Command.make(
      "price",
      { token: tokenWord("token", "The token"), span: spanFlags },
      Effect.fnUntraced(function* ({ token, span }) {
        const { replayPrice } = yield* Effect.promise(() => import("../commands/replay.ts"));
        yield* replayPrice(yield* root, token, span);
      }),
    ).pipe(Command.withDescription("A token's price in US dollars")),
    Command.make(
      "quote",
      { words: quoteWords, span: spanFlags },
      Effect.fnUntraced(function* ({ words, span }) {
        const { replayQuote } = yield* Effect.promise(() => import("../commands/replay.ts"));
        yield* replayQuote(yield* root, words, span);
      }),
    ).pipe(
      Command.withDescription("The best route from one token to another"),
      Command.withExamples([
        { command: "millrace replay quote 1.5 WETH USDC --market-file market.json" },
        {
          command: "millrace replay quote 1.5 WETH USDC --history history-1.sqlite --from 21000000",
        },
      ]),
    ),
    Command.make(
      "cycles",
      { words: { token: startWord, maxHops: cycleHops }, span: spanFlags },
      Effect.fnUntraced(function* ({ words, span }) {
        const { replayCycles } = yield* Effect.promise(() => import("../commands/replay.ts"));
        yield* replayCycles(yield* root, words, span);
      }),
    ).pipe(Command.withDescription("The most profitable round trip; gas is not counted")),
  ]),
);
