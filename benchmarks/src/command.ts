import { Effect } from "effect";
import { BenchmarkError } from "./BenchmarkError.ts";
import { BENCHMARKS } from "./benchmarks.ts";

export type Command = MeasureCommand | CompareCommand | PageCommand;

export interface MeasureCommand {
  readonly kind: "measure";
  /** Empty: all of them. */
  readonly names: ReadonlyArray<string>;
  readonly smoke: boolean;
  /** Only those that the kept result of this commit and machine lacks. */
  readonly missing: boolean;
  /** Duration of long benchmarks; undefined: each one's own. */
  readonly minutes: number | undefined;
}

/** Writes the documents from the kept results. */
interface PageCommand {
  readonly kind: "page";
}

export interface CompareCommand {
  readonly kind: "compare";
  readonly revisions: readonly [string, string];
  /** At least one. */
  readonly names: ReadonlyArray<string>;
  readonly smoke: boolean;
}

const USAGE = `usage:
  npm run bench -- [NAME ...] [--smoke] [--missing] [--minutes NUMBER]
  npm run bench -- page
  npm run bench -- compare REVISION_A REVISION_B [NAME ...] [--smoke]
benchmarks: ${[...BENCHMARKS.keys()].join(", ")}; all of them without a name`;

/** The command that the arguments name. Fails with the usage for anything unknown. */
export function parseCommand(args: ReadonlyArray<string>): Effect.Effect<Command, BenchmarkError> {
  const smoke = args.includes("--smoke");
  const missing = args.includes("--missing");
  const minutesAt = args.indexOf("--minutes");
  const minutes = minutesAt < 0 ? undefined : Number(args[minutesAt + 1]);
  if (minutes !== undefined && !(minutes > 0)) return wrong("--minutes needs a number above 0");
  const words = args.filter(
    (word, index) =>
      word !== "--smoke" &&
      word !== "--missing" &&
      (minutesAt < 0 || (index !== minutesAt && index !== minutesAt + 1)),
  );
  const option = words.find((word) => word.startsWith("-"));
  if (option !== undefined) return wrong(`no option '${option}'`);
  if (words[0] === "page" && args.length === 1) return Effect.succeed({ kind: "page" });
  if (words[0] !== "compare") {
    return known(words, { kind: "measure", names: words, smoke, missing, minutes });
  }
  const [, first, second, ...names] = words;
  if (first === undefined || second === undefined) return wrong("compare needs two revisions");
  return known(names, {
    kind: "compare",
    revisions: [first, second],
    names: names.length > 0 ? names : [...BENCHMARKS.keys()],
    smoke,
  });
}

function known(
  names: ReadonlyArray<string>,
  command: Command,
): Effect.Effect<Command, BenchmarkError> {
  const unknown = names.find((name) => !BENCHMARKS.has(name));
  return unknown === undefined ? Effect.succeed(command) : wrong(`no benchmark '${unknown}'`);
}

function wrong(problem: string): Effect.Effect<never, BenchmarkError> {
  return Effect.fail(new BenchmarkError({ message: `${problem}\n${USAGE}`, exitCode: 2 }));
}
