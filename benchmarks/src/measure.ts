import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { BENCHMARKS, type Figure } from "./benchmarks.ts";
import { runChild } from "./children.ts";
import type { MeasureCommand } from "./command.ts";
import { formatFigure, parseFigures } from "./figures.ts";
import { formatMachine, thisMachine } from "./machine.ts";
import { keepResult } from "./results.ts";

/**
 * Runs benchmarks one after the other, each in a fresh process, and prints the figures last. A run
 * of all of them in full size is kept in `results`.
 */
export const measure = Effect.fnUntraced(function* (
  command: MeasureCommand,
): Effect.fn.Return<void, BenchmarkError> {
  const machine = thisMachine();
  process.stdout.write(`${formatMachine(machine, process.version)}\n`);
  const all = command.names.length === 0;
  const figures: Figure[] = [];
  for (const name of all ? BENCHMARKS.keys() : command.names) {
    process.stderr.write(`${name} ...\n`);
    figures.push(...(yield* measureOne(name, command.smoke)));
  }
  if (all && !command.smoke) {
    const file = yield* keepResult({ machine, node: process.version, figures });
    process.stderr.write(`kept as ${file}\n`);
  }
  process.stdout.write(figures.map((figure) => `${formatFigure(figure)}\n`).join(""));
});

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));

function measureOne(
  name: string,
  smoke: boolean,
): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> {
  const { nodeOptions } = BENCHMARKS.get(name)!;
  const args = [
    "--disable-warning=ExperimentalWarning",
    ...nodeOptions,
    CHILD,
    name,
    ...(smoke ? ["--smoke"] : []),
  ];
  return Effect.map(runChild(process.execPath, args), parseFigures);
}
