import { Config, Effect } from "effect";
import { Argument, Command, Completions, Flag } from "effect/cli";
import { candleFlags, isShortText, listFlags, namesPool, quoteFlags, swapFlags } from "./flags.ts";
import { DECIMAL_AMOUNT } from "./output/decimalAmounts.ts";

// What a command does is loaded when it runs: the start is quick, and help quicker.

const serviceFlags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("The service to ask; MILLRACE_URL"),
    Flag.withMetavar("URL"),
    Flag.withFallbackConfig(Config.String("MILLRACE_URL")),
    Flag.withDefault("http://127.0.0.1:8080"),
  ),
  network: Flag.String("network").pipe(
    Flag.withDescription("Id or chain id, default the service's primary network; MILLRACE_NETWORK"),
    Flag.withMetavar("ID"),
    Flag.withFallbackConfig(Config.String("MILLRACE_NETWORK")),
    Flag.withDefault(""),
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("One JSON document; of a watch, one on each line"),
    Flag.withDefault(false),
  ),
};

const root = Command.make("millrace").pipe(
  Command.withDescription("Market data and exact swap routing for decentralised exchanges."),
  Command.withSharedFlags(serviceFlags),
);

const amount = Argument.String("amount").pipe(
  Argument.withDescription(
    "Whole tokens, as 1.5: of the first token, or with --exact-output of the second",
  ),
  Argument.filter(
    (text) => DECIMAL_AMOUNT.test(text),
    (text) => `${text} is no amount: a decimal number is wanted, as 1.5`,
  ),
);
const token = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(`${description}: its address, or a symbol that only it has`),
  );
const pool = Argument.String("pool").pipe(
  Argument.withDescription("A pool's address, or its id"),
  Argument.filter(namesPool, (text) => `${text} is no pool: an address or an id is wanted`),
);
const count = Flag.Int("count").pipe(
  Flag.withDescription("Ends after so many updates; default never"),
  Flag.withMetavar("N"),
  Flag.filter(
    (wanted) => wanted > 0,
    () => "--count has to be above 0",
  ),
  Flag.withDefault(Number.MAX_SAFE_INTEGER),
);
const quoteWords = {
  amount,
  tokenIn: token("token-in", "The token that goes in"),
  tokenOut: token("token-out", "The token that comes out"),
  ...quoteFlags,
};

const quote = Command.make(
  "quote",
  quoteWords,
  Effect.fnUntraced(function* (words) {
    const { showQuote } = yield* Effect.promise(() => import("./commands/quote.ts"));
    yield* showQuote(yield* root, words, false);
  }),
).pipe(
  Command.withDescription("The best route from one token to another, now"),
  Command.withExamples([{ command: "millrace quote 1.5 WETH USDC --max-splits 8" }]),
);

const explain = Command.make(
  "explain",
  quoteWords,
  Effect.fnUntraced(function* (words) {
    const { showQuote } = yield* Effect.promise(() => import("./commands/quote.ts"));
    yield* showQuote(yield* root, words, true);
  }),
).pipe(
  Command.withDescription("A quote, and where its difference to the mid price went"),
  Command.withExamples([{ command: "millrace explain 250 WETH USDC" }]),
);

const swap = Command.make(
  "swap",
  { words: quoteWords, swap: swapFlags },
  Effect.fnUntraced(function* ({ words, swap: how }) {
    const { showSwap } = yield* Effect.promise(() => import("./commands/swap.ts"));
    yield* showSwap(yield* root, words, how);
  }),
).pipe(
  Command.withDescription("The unsigned transactions of a swap; --execute signs and sends them"),
  Command.withExamples([
    { command: "millrace swap 1.5 WETH USDC --from 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" },
  ]),
);

const watch = Command.make("watch").pipe(
  Command.withDescription("A line whenever a block changes what is watched, until Ctrl-C"),
  Command.withSubcommands([
    Command.make(
      "blocks",
      { count },
      Effect.fnUntraced(function* (words) {
        const { watchBlocks } = yield* Effect.promise(() => import("./commands/watch.ts"));
        yield* watchBlocks(yield* root, words.count);
      }),
    ).pipe(Command.withDescription("Every block")),
    Command.make(
      "price",
      { token: token("token", "The token"), count },
      Effect.fnUntraced(function* (words) {
        const { watchPrice } = yield* Effect.promise(() => import("./commands/watch.ts"));
        yield* watchPrice(yield* root, words.token, words.count);
      }),
    ).pipe(Command.withDescription("A token's price in US dollars")),
    Command.make(
      "quote",
      { words: quoteWords, count },
      Effect.fnUntraced(function* ({ words, count: wanted }) {
        const { watchQuote } = yield* Effect.promise(() => import("./commands/watch.ts"));
        yield* watchQuote(yield* root, words, wanted);
      }),
    ).pipe(Command.withDescription("The best route from one token to another")),
  ]),
);

const tokens = Command.make(
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
    const { showTokens } = yield* Effect.promise(() => import("./commands/marketData.ts"));
    yield* showTokens(yield* root, query, list);
  }),
).pipe(Command.withDescription("Tokens, their prices and liquidity"));

const pools = Command.make(
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
    const { showPools } = yield* Effect.promise(() => import("./commands/marketData.ts"));
    yield* showPools(yield* root, filter, list);
  }),
).pipe(Command.withDescription("Pools, their liquidity and volume"));

const candles = Command.make(
  "candles",
  {
    token: token("token", "The token; with --pool the pool's address or id"),
    pool: Flag.Boolean("pool").pipe(
      Flag.withDescription("Candles of a pool: its second token for one of its first"),
      Flag.withDefault(false),
    ),
    ...candleFlags,
  },
  Effect.fnUntraced(function* (words) {
    const { showCandles } = yield* Effect.promise(() => import("./commands/marketData.ts"));
    yield* showCandles(yield* root, words);
  }),
).pipe(Command.withDescription("Opening, highest, lowest and closing prices"));

const trades = Command.make(
  "trades",
  { pool, limit: listFlags.tokens.limit },
  Effect.fnUntraced(function* (words) {
    const { showTrades } = yield* Effect.promise(() => import("./commands/marketData.ts"));
    yield* showTrades(yield* root, words.pool, words.limit);
  }),
).pipe(Command.withDescription("The newest swaps of a pool"));

const doctor = Command.make(
  "doctor",
  {},
  Effect.fnUntraced(function* () {
    const { examine } = yield* Effect.promise(() => import("./commands/doctor.ts"));
    yield* examine(yield* root);
  }),
).pipe(Command.withDescription("Whether a service and its networks are well: 0 when they are"));

/** Hands over to the service, which runs by itself, as the environment configures it. */
const handOver = (words: ReadonlyArray<string>) =>
  Effect.promise(async () => (await import("@millrace/server")).run(words));

const serve = Command.make("serve", {}, () => handOver([])).pipe(
  Command.withDescription("Runs the service, as its configuration says, until a signal ends it"),
);

const verify = Command.make(
  "verify",
  {
    id: Argument.String("network-id").pipe(
      Argument.withDescription("Only this network"),
      Argument.withDefault(""),
    ),
  },
  ({ id }) => handOver(id === "" ? ["verify"] : ["verify", id]),
).pipe(
  Command.withDescription("Reads the markets of configured chains from scratch, and compares"),
);

const executor = Command.make(
  "executor",
  { id: Argument.String("network-id").pipe(Argument.withDescription("A configured network")) },
  ({ id }) => handOver(["executor", id]),
).pipe(Command.withDescription("The unsigned transaction that deploys a network's executor"));

const completions = Command.make(
  "completions",
  { shell: Argument.Literals("shell", ["bash", "zsh", "fish"]) },
  ({ shell }) =>
    Effect.sync(() => {
      const script = Completions.generate("millrace", shell, Completions.fromCommand(everything()));
      process.stdout.write(`${script}\n`);
    }),
).pipe(
  Command.withDescription("The script that completes this command in a shell"),
  Command.withExamples([{ command: "source <(millrace completions bash)" }]),
);

/** The command and all that it can do. */
export const millrace = root.pipe(
  Command.withSubcommands([
    quote,
    explain,
    swap,
    watch,
    tokens,
    pools,
    candles,
    trades,
    serve,
    doctor,
    verify,
    executor,
    completions,
  ]),
);

/** The tree that `completions` itself is of. */
function everything(): Command.Command.Any {
  return millrace;
}
