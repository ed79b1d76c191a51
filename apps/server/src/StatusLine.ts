/**
 * The last line of the terminal, rewritten in place. Whoever else writes to the terminal must
 * `clear` it first; the next `show` brings it back.
 */
class TerminalLine {
  #shown = "";

  show(text: string): void {
    if (text === this.#shown) return;
    // A line that wraps could not be erased.
    const width = (process.stderr.columns || 80) - 1;
    process.stderr.write(`\r\x1b[K${text.slice(0, width)}`);
    this.#shown = text;
  }

  clear(): void {
    this.show("");
  }
}

export const StatusLine: TerminalLine = new TerminalLine();
