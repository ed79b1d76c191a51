/**
 * The newest answers for tokens, kept until the market changes: popular tokens are requested many
 * times a block. Keys are addresses as clients write them.
 */
export class TokenAnswers {
  readonly #texts = new Map<string, string>();
  readonly #version: () => number;
  /** The version that the texts are of. */
  #of = Number.NaN;

  /** `version` gives a new number when answers may have changed. */
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
   * Keeps an answer that was written after a `get` that found nothing, in the same turn of the
   * event loop.
   */
  keep(address: string, text: string): void {
    if (this.#texts.size < TEXTS_MAX) this.#texts.set(address, text);
  }
}

/** Some megabytes. */
const TEXTS_MAX = 8_192;
