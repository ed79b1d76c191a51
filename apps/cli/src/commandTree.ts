import { Effect } from "effect";
import { Argument, Command, Completions } from "effect/cli";
import { Sinks } from "./output/Sinks.ts";
import * as asking from "./tree/askCommands.ts";
import { exports } from "./tree/exportCommands.ts";
import * as own from "./tree/ownProcessCommands.ts";
import { root } from "./tree/root.ts";
import * as watching from "./tree/watchCommands.ts";

// The code of a command is loaded when it runs, so that the start is quick, and help quicker.

const completions = Command.make(
  "completions",
  { shell: Argument.Literals("shell", ["bash", "zsh", "fish"]) },
  ({ shell }) =>
    Effect.map(Sinks, ({ out }) => {
      const script = Completions.generate("millrace", shell, Completions.fromCommand(everything()));
      out.write(`${script}\n`);
    }),
).pipe(
  Command.withDescription("The script that completes this command in a shell"),
  Command.withExamples([{ command: "source <(millrace completions bash)" }]),
);

/** The command with all its subcommands. */
export const millrace = root.pipe(
  Command.withSubcommands([
    asking.quote,
    asking.explain,
    asking.swap,
    watching.watch,
    watching.replay,
    asking.tokens,
    asking.pools,
    asking.candles,
    asking.trades,
    asking.cycles,
    exports,
    own.serve,
    own.devnet,
    asking.doctor,
    own.verifyMarkets,
    own.executor,
    completions,
  ]),
);

/** The tree that contains `completions` itself. */
function everything(): Command.Command.Any {
  return millrace;
}
