import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { missingRuns, type Result } from "../results/Result.ts";
import { formatQuantity } from "./formatQuantity.ts";

/** Stands for a figure that an incomplete result lacks. */
const NOT_MEASURED = "–";
const PLACEHOLDER = /\{([^{}?]+)(\??)\}/g;

/** What is measured, and a template of its figures. */
export type Rows = ReadonlyArray<readonly [what: string, measured: string]>;

/** Figures of one result, as documents quote them. */
export class Quote {
  readonly result: Result;
  /** Benchmarks that the result lacks. */
  readonly missing: ReadonlyArray<string>;
  readonly #figures: ReadonlyMap<string, Figure>;

  constructor(result: Result, benchmarks: ReadonlyArray<string>) {
    const figures = Object.values(result.runs).flatMap((run) => run.figures);
    this.result = result;
    this.missing = missingRuns(result, benchmarks);
    this.#figures = new Map(figures.map((figure) => [figure.name, figure]));
  }

  valueOf(name: string): number | undefined {
    return this.#figures.get(name)?.value;
  }

  /**
   * A text with `{figure}` replaced by its value, rounded, with its unit; `{figure?}` is empty
   * where there is none. Throws for any other that a complete result lacks.
   */
  fill(template: string): string {
    return template.replace(PLACEHOLDER, (_, name: string, optional: string) => {
      const figure = this.#figures.get(name);
      if (figure !== undefined) return formatQuantity(figure.value, figure.unit);
      if (optional !== "") return "";
      if (this.missing.length > 0) return NOT_MEASURED;
      throw new BenchmarkError({ message: `no figure '${name}' in the result` });
    });
  }

  /**
   * Aligned Markdown of a head and rows, all of them templates. Leaves out a row if an incomplete
   * result lacks one of its figures.
   */
  table(head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string {
    const cells = [head, ...rows]
      .map((row) => row.map((cell) => this.fill(cell).trim()))
      .filter((row) => !row.some((cell) => cell.includes(NOT_MEASURED)));
    if (cells.length === 1) return "Not measured at this commit.";
    const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
    const line = (row: ReadonlyArray<string>) =>
      `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
    const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
    return [line(cells[0]!), rule, ...cells.slice(1).map(line)].join("\n");
  }
}
