import { Effect } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { wrongUsage } from "../CommandError.ts";
import { wholeFlag } from "../flags.ts";
import { root } from "./root.ts";

/** Runs the service, as the environment and the flags configure it. */
const handOver = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const flags = yield* root;
  if (flags.url !== "") return yield* wrongUsage("--url is of no use: no service is asked");
  const { ownSettings, withoutMarkets } = yield* Effect.promise(
    () => import("../service/ownSettings.ts"),
  );
  const own = yield* ownSettings(flags);
  const { run } = yield* Effect.promise(() => import("@millrace/server/run"));
  if (own === undefined) return run(words);
  const environment = { ...withoutMarkets(flags), ...own.environment };
  run(words, { settings: own.settings, environment });
});

export const serve = Command.make("serve", {}, () => handOver([])).pipe(
  Command.withDescription("Runs the service, as its configuration says, until a signal ends it"),
);

export const verifyMarkets = Command.make(
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

export const executor = Command.make(
  "executor",
  { id: Argument.String("network-id").pipe(Argument.withDescription("A configured network")) },
  ({ id }) => handOver(["executor", id]),
).pipe(Command.withDescription("The unsigned transaction that deploys a network's executor"));

export const devnet = Command.make(
  "devnet",
  {
    market: Argument.Literals("market", ["ETH", "BASE"]).pipe(
      Argument.withDescription("Which of the two markets: ETH unless said"),
      Argument.withDefault("ETH" as const),
    ),
    port: wholeFlag("port", 0, 65_535, 0, "The port of its JSON-RPC; 0 takes a free one"),
    host: Flag.String("host").pipe(
      Flag.withDescription("The name by which other machines reach it; this one alone without it"),
      Flag.withMetavar("NAME"),
      Flag.withDefault(""),
    ),
    blockEvery: wholeFlag(
      "block-every",
      ...([0, 86_400_000, 1_000] as const),
      "A block of traffic every so many milliseconds; 0 for none",
    ),
    seed: wholeFlag("seed", 1, 2 ** 31 - 1, 1, "Decides the market and what happens on it"),
    writeConfig: Flag.String("write-config").pipe(
      Flag.withDescription("Writes what the service is configured with to follow it"),
      Flag.withMetavar("FILE"),
      Flag.withDefault(""),
    ),
  },
  Effect.fnUntraced(function* (words) {
    const { runDevnet } = yield* Effect.promise(() => import("../commands/devnet.ts"));
    yield* runDevnet(yield* root, words);
  }),
).pipe(
  Command.withDescription("A chain with real DEXes, their pools and traffic, until Ctrl-C"),
  Command.withExamples([
    { command: "millrace devnet --port 8545 --write-config devnet.json" },
    { command: "millrace serve --config devnet.json" },
  ]),
);
