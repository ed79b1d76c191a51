import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { type Command, parseCommand } from "./command.ts";
import { compare } from "./compare.ts";
import { measure } from "./measure.ts";
import { writePages } from "./page/pages.ts";
import { runToEnd } from "./runToEnd.ts";

// npm run bench -- [NAME …] [--smoke] [--missing]
// npm run bench -- page
// npm run bench -- compare REV_A REV_B [NAME …] [--smoke]
await runToEnd(Effect.flatMap(parseCommand(process.argv.slice(2)), execute));

function execute(command: Command): Effect.Effect<void, BenchmarkError> {
  if (command.kind === "page") return writePages;
  return command.kind === "compare" ? compare(command) : measure(command);
}
