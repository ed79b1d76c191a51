import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Cause, Effect, Exit } from "effect";
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli";
import { CommandError, EXIT_CODES } from "./CommandError.ts";
import { millrace } from "./commandTree.ts";
import { isStyled, Output } from "./output/Output.ts";

/** Of package.json. */
const VERSION = "0.1.0";

/**
 * Runs what the words of the command line say. Data goes to standard output, everything else to
 * standard error. Exit codes: 0, 1 where it was refused, 2 where the words are wrong, 3 where
 * the service cannot be reached, 130 after Ctrl-C.
 */
export function runCommand(words: ReadonlyArray<string>): void {
  // Whoever reads has read enough, as `head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const run = Command.runWith(millrace, { version: VERSION })(words).pipe(
    Effect.tapCause(complain),
    Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
    Effect.provideService(CliOutput.Presenter, { present }),
    Effect.provide(NodeServices.layer),
  );
  NodeRuntime.runMain(run, { disableErrorReporting: true, teardown });
}

/** Help that nobody asked for is no data. */
const present = (event: CliOutput.Presenter.Event): Effect.Effect<void> =>
  Effect.sync(() => {
    switch (event._tag) {
      case "Version":
        process.stdout.write(`${event.name} ${event.version}\n`);
        return;
      case "Help": {
        const stream = event.reason === "Requested" ? process.stdout : process.stderr;
        const { formatHelpDoc } = CliOutput.defaultFormatter({ colors: isStyled(stream) });
        stream.write(`${formatHelpDoc(event.helpDoc)}\n`);
        return;
      }
      case "InvalidInvocation": {
        const messages = event.errors.map((error) => error.message);
        Output.note(`${messages.join("\n")}\nSee ${event.commandPath.join(" ")} --help.`);
      }
    }
  });

function complain(cause: Cause.Cause<unknown>): Effect.Effect<void> {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void;
  const error = Cause.squash(cause);
  // Wrong words have been presented.
  if (isWrongWords(error)) return Effect.void;
  return Effect.sync(() => Output.note(error instanceof Error ? error.message : String(error)));
}

function teardown<E, A>(exit: Exit.Exit<E, A>, onExit: (code: number) => void): void {
  if (Exit.isSuccess(exit)) return onExit(0);
  if (Cause.hasInterruptsOnly(exit.cause)) return onExit(130);
  const error = Cause.squash(exit.cause);
  if (error instanceof CommandError) return onExit(EXIT_CODES[error.kind]);
  onExit(isWrongWords(error) ? EXIT_CODES.usage : EXIT_CODES.refused);
}

const isWrongWords = (error: unknown): boolean =>
  (Object(error) as { readonly _tag?: unknown })._tag === "ShowHelp";
