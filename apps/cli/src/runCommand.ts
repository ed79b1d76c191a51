import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Cause, Effect, Exit } from "effect";
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli";
import manifest from "../package.json" with { type: "json" };
import { CommandError, EXIT_CODES } from "./CommandError.ts";
import { millrace } from "./commandTree.ts";
import { noteText } from "./output/Output.ts";
import { Sinks } from "./output/Sinks.ts";

/**
 * Runs the words of a command line. Data goes to standard output, everything else to standard
 * error. Exit codes: 0 for success, 1 for a refusal, 2 for wrong usage, 3 where the service cannot
 * be reached, 130 after Ctrl-C.
 */
export function runCommand(words: ReadonlyArray<string>): void {
  // The reader, such as `head`, has read enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  NodeRuntime.runMain(lineOf(words), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(exitCode(exit)),
  });
}

/**
 * Runs a command line within a process that goes on, as often as wanted, with the given sinks.
 * Resolves with the exit code. The signal stands for Ctrl-C.
 */
export async function runLine(
  words: ReadonlyArray<string>,
  sinks: (typeof Sinks)["Service"],
  signal?: AbortSignal,
): Promise<number> {
  const line = Effect.provideService(lineOf(words), Sinks, sinks);
  return exitCode(await Effect.runPromiseExit(line, signal && { signal }));
}

const lineOf = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sinks = yield* Sinks;
    const run = Command.runWith(millrace, { version: manifest.version })(words);
    yield* run.pipe(
      Effect.scoped,
      Effect.tapCause((cause) => complain(cause, sinks)),
      Effect.provideService(CliOutput.Presenter, { present: (event) => present(event, sinks) }),
      Effect.provideService(CliConfig.CliConfig, {
        builtIns: [GlobalFlag.Help, GlobalFlag.Version],
      }),
      Effect.provide(NodeServices.layer),
    );
  });

type BothSinks = (typeof Sinks)["Service"];

/** Help that was not requested goes to standard error. */
const present = (event: CliOutput.Presenter.Event, { out, err }: BothSinks): Effect.Effect<void> =>
  Effect.sync(() => {
    switch (event._tag) {
      case "Version":
        return out.write(`${event.name} ${event.version}\n`);
      case "Help": {
        const sink = event.reason === "Requested" ? out : err;
        const { formatHelpDoc } = CliOutput.defaultFormatter({ colors: sink.isStyled });
        return sink.write(`${formatHelpDoc(event.helpDoc)}\n`);
      }
      case "InvalidInvocation": {
        const messages = event.errors.map((error) => error.message);
        err.write(noteText(`${messages.join("\n")}\nSee ${event.commandPath.join(" ")} --help.`));
      }
    }
  });

function complain(cause: Cause.Cause<unknown>, { err }: BothSinks): Effect.Effect<void> {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void;
  const error = Cause.squash(cause);
  // The parser has already presented wrong words.
  if (isWrongWords(error)) return Effect.void;
  const message = error instanceof Error ? error.message : String(error);
  return Effect.sync(() => err.write(noteText(message)));
}

function exitCode(exit: Exit.Exit<unknown, unknown>): number {
  if (Exit.isSuccess(exit)) return 0;
  if (Cause.hasInterruptsOnly(exit.cause)) return 130;
  const error = Cause.squash(exit.cause);
  if (error instanceof CommandError) return EXIT_CODES[error.kind];
  return isWrongWords(error) ? EXIT_CODES.usage : EXIT_CODES.refused;
}

const isWrongWords = (error: unknown): boolean =>
  (Object(error) as { readonly _tag?: unknown })._tag === "ShowHelp";
