import { join } from "node:path";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { checkOut } from "./checkOut.ts";
import { runChild, temporaryFolder } from "./children.ts";
import type { CompareCommand } from "./command.ts";
import { formatValue, parseFigures } from "./Figure.ts";
import { formatMachine, thisMachine } from "./results/Machine.ts";
import { median } from "./statistics.ts";

/** Runs of each revision. */
const TURNS = 5;
const SMOKE_TURNS = 1;

/**
 * Measures two revisions, each with its own benchmarks, in fresh processes and in turn. Prints the
 * medians and the ratio of every figure that both have.
 */
export const compare = (command: CompareCommand): Effect.Effect<void, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      process.stdout.write(`${formatMachine(thisMachine(), process.version)}\n`);
      const home = yield* temporaryFolder;
      const folders = yield* Effect.all(
        command.revisions.map((revision, index) => checkOut(revision, home, "ab"[index]!)),
      );
      const found = folders.map(() => new Map<string, Values>());
      const turns = command.smoke ? SMOKE_TURNS : TURNS;
      for (const name of command.names) {
        for (let turn = 0; turn < turns; turn++) {
          for (const [index, folder] of folders.entries()) {
            process.stderr.write(
              `${name}, ${command.revisions[index]}, ${turn + 1}/${turns} ...\n`,
            );
            collect(yield* measureIn(folder, name, command.smoke), found[index]!);
          }
        }
      }
      print(command.revisions, found[0]!, found[1]!);
    }),
  );

interface Values {
  readonly unit: string;
  readonly values: number[];
}

function measureIn(folder: string, name: string, smoke: boolean) {
  const args = [join(folder, "run.mjs"), "benchmarks/src/main.ts", name];
  const options = smoke ? ["--smoke"] : [];
  return runChild(process.execPath, [...args, ...options], { cwd: folder });
}

function collect(output: string, found: Map<string, Values>): void {
  for (const { name, value, unit } of parseFigures(output)) {
    const known = found.get(name) ?? { unit, values: [] };
    known.values.push(value);
    found.set(name, known);
  }
}

function print(
  [revisionA, revisionB]: readonly [string, string],
  a: ReadonlyMap<string, Values>,
  b: ReadonlyMap<string, Values>,
): void {
  process.stdout.write(`figure\t${revisionA}\t${revisionB}\tunit\t${revisionB} / ${revisionA}\n`);
  for (const [name, { unit, values }] of a) {
    const other = b.get(name);
    if (other === undefined) continue;
    const was = median(values);
    const is = median(other.values);
    const ratio = (is / was).toFixed(3);
    process.stdout.write(`${name}\t${formatValue(was)}\t${formatValue(is)}\t${unit}\t${ratio}\n`);
  }
}
