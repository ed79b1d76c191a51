import { plainText } from "./plainText.ts";
import type { TextSink } from "./Sinks.ts";

const LINE_EVERY_MS = 5_000;

/**
 * Shows the progress of long work: on a terminal in the last line, which it erases in the end;
 * elsewhere as a line every few seconds.
 */
export class OpeningNotes {
  readonly #sink: TextSink;
  #shown = "";
  #writtenMs = performance.now();

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  show(text: string): void {
    if (this.#sink.isTerminal) return this.#draw(plainText(text));
    if (performance.now() - this.#writtenMs < LINE_EVERY_MS) return;
    this.#writtenMs = performance.now();
    this.line(text);
  }

  /** Writes a whole line, which stays. */
  line(text: string): void {
    this.clear();
    this.#sink.write(`millrace: ${plainText(text)}\n`);
  }

  clear(): void {
    this.#draw("");
  }

  #draw(text: string): void {
    if (text === this.#shown) return;
    // A line that wraps could not be erased.
    const width = (this.#sink.columns ?? 80) - 1;
    this.#sink.write(`\r\x1b[K${text.slice(0, width)}`);
    this.#shown = text;
  }
}
