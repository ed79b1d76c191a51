/**
 * Answers for tokens as they were written last, until anything in the market changes: what is asked
 * most is asked many times a block. Keys are addresses as clients write them.
 */
export class TokenAnswers {
  readonly #texts = new Map<string, string>();
  readonly #version: () => number;
  /** The version that the texts are of. */
  #of = Number.NaN;

  /** `version` gives another number when answers may be others. */
  constructor(version: () => number) {
    this.#version = version;
  }

  get(address: string): string | undefined {
    const version = this.#version();
    if (version === this.#of) return this.#texts.get(address);
    this.#texts.clear();
    this.#of = version;
    return undefined;
  }

  /**
   * Keeps what was written after a `get` that found nothing, in the same turn of the event loop.
   */
  keep(address: string, text: string): void {
    if (this.#texts.size < TEXTS_MAX) this.#texts.set(address, text);
  }
}

/** Some megabytes. */
const TEXTS_MAX = 8_192;
