import { styleText } from "node:util";
import { jsonLine, plainLines } from "./plainText.ts";
import { type Column, clipped, tableLines } from "./table.ts";

/** True where text to the stream may be styled: a terminal, without NO_COLOR; or FORCE_COLOR. */
export const isStyled = (stream: NodeJS.WriteStream): boolean =>
  styleText("bold", "x", { stream }) !== "x";

/** Standard output is data, for people or as JSON. The rest goes to standard error. */
export class Output {
  readonly isJson: boolean;
  /** Of a terminal; without one nothing is clipped, but COLUMNS has its say. */
  readonly #width = Number(process.env["COLUMNS"]) || process.stdout.columns || Infinity;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  json(value: unknown): void {
    process.stdout.write(`${jsonLine(value)}\n`);
  }

  line(text: string): void {
    process.stdout.write(`${clipped(text, this.#width)}\n`);
  }

  /** A line of which nothing may be lost, as what another command takes. */
  whole(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  table<Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): void {
    const [titles, ...lines] = tableLines(columns, rows, this.#width);
    process.stdout.write(`${styleText("bold", titles!, { stream: process.stdout })}\n`);
    for (const line of lines) process.stdout.write(`${line}\n`);
  }

  /** Names and values; a value that is undefined is left out. */
  facts(facts: Readonly<Record<string, string | undefined>>): void {
    const known = Object.entries(facts).filter(([, value]) => value !== undefined);
    const width = Math.max(...known.map(([name]) => name.length)) + 2;
    for (const [name, value] of known) {
      const label = styleText("bold", name.padEnd(width), { stream: process.stdout });
      process.stdout.write(`${label}${clipped(value!, this.#width - width)}\n`);
    }
  }

  static note(text: string): void {
    process.stderr.write(`millrace: ${plainLines(text)}\n`);
  }
}
