import { Effect } from "effect";
import { parseCommand } from "./command.ts";
import { compare } from "./compare.ts";
import { measure } from "./measure.ts";
import { runToEnd } from "./runToEnd.ts";

// npm run bench -- [NAME …] [--smoke]
// npm run bench -- compare REV_A REV_B [NAME …] [--smoke]
await runToEnd(
  Effect.flatMap(parseCommand(process.argv.slice(2)), (command) =>
    command.kind === "compare" ? compare(command) : measure(command),
  ),
);
