import { Effect } from "effect";
import { BENCHMARKS } from "./benchmarks.ts";
import { formatFigure } from "./Figure.ts";
import { runToEnd } from "./runToEnd.ts";

// A program that `main.ts` starts: one benchmark, with its figures on standard output.
const [name = "", ...options] = process.argv.slice(2);
const entry = BENCHMARKS.get(name);
if (entry === undefined) throw new RangeError(`no benchmark '${name}'`);
const benchmark = await entry.load();
const minutes = options.find((option) => option.startsWith("--minutes="))?.slice(10);
await runToEnd(
  Effect.map(
    benchmark(options.includes("--smoke"), minutes === undefined ? undefined : Number(minutes)),
    (figures) => {
      for (const figure of figures) process.stdout.write(`${formatFigure(figure)}\n`);
    },
  ),
);
