import { styleText } from "node:util";
import { Effect } from "effect";
import { jsonLine, plainLines } from "./plainText.ts";
import { Sinks, type TextSink } from "./Sinks.ts";
import { type Column, clipped, tableLines } from "./table.ts";

/** Writes data, for people or as JSON, to one sink, and notes for people to the other. */
export class Output {
  readonly isJson: boolean;
  readonly #out: TextSink;
  readonly #err: TextSink;
  /** Width of the terminal, or COLUMNS; Infinity without either, so that nothing is clipped. */
  readonly #width: number;

  private constructor(isJson: boolean, out: TextSink, err: TextSink) {
    this.isJson = isJson;
    this.#out = out;
    this.#err = err;
    this.#width = out.columns ?? Number.POSITIVE_INFINITY;
  }

  static readonly open = (isJson: boolean): Effect.Effect<Output> =>
    Effect.map(Sinks, ({ out, err }) => new Output(isJson, out, err));

  json(value: unknown): void {
    this.whole(jsonLine(value));
  }

  line(text: string): void {
    this.whole(clipped(text, this.#width));
  }

  /** Writes a line without clipping it, for example as input of another command. */
  whole(text: string): void {
    this.#out.write(`${text}\n`);
  }

  table<Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): void {
    const [titles, ...lines] = tableLines(columns, rows, this.#width);
    this.whole(this.#bold(titles!));
    for (const line of lines) this.whole(line);
  }

  /** Names and values; a value that is undefined is left out. */
  facts(facts: Readonly<Record<string, string | undefined>>): void {
    const known = Object.entries(facts).filter(([, value]) => value !== undefined);
    const width = Math.max(...known.map(([name]) => name.length)) + 2;
    for (const [name, value] of known)
      this.whole(`${this.#bold(name.padEnd(width))}${clipped(value!, this.#width - width)}`);
  }

  note(text: string): void {
    this.#err.write(noteText(text));
  }

  /** Writes a note, on a terminal only. */
  noteStep(text: string): void {
    if (this.#err.isTerminal) this.note(text);
  }

  #bold(text: string): string {
    return this.#out.isStyled ? styleText("bold", text, { validateStream: false }) : text;
  }
}

/** A message of the command, on lines of its own. */
export const noteText = (text: string): string => `millrace: ${plainLines(text)}\n`;
