import { allocate, grown } from "../../graph/buffers.ts";

/**
 * The edges that may stand at one place of paths, neither first nor last, side by side: several
 * trials look at all of them, and few of them matter.
 */
export class MiddleEdges {
  /** Tokens that the edges lead to. */
  readonly tokens: number[] = [];
  /** Index: as `tokens`. The end of its edges, which begin at the end of the token before. */
  readonly ends: number[] = [];
  // Index: place. The edge's slot in the list of the token that it leads to; the token it comes
  // from; the output of its first unit; and its bonus (`PoolFamily.leadingPiece`).
  slots = allocate(Uint32Array, 0);
  from = allocate(Uint32Array, 0);
  rates = allocate(Float64Array, 0);
  bonuses = allocate(Float64Array, 0);
  #count = 0;

  forget(): void {
    this.tokens.length = 0;
    this.ends.length = 0;
    this.#count = 0;
  }

  /** Whether the edges are those that lead to so many tokens, all of which have a worth. */
  leadTo(tokens: ReadonlyArray<number>, worths: Float64Array): boolean {
    if (tokens.length !== this.tokens.length) return false;
    for (const token of this.tokens) if (worths[token] === 0) return false;
    return true;
  }

  /** Begins the edges that lead to a token, at most `most` of them. */
  beginToken(token: number, most: number): void {
    this.tokens.push(token);
    this.ends.push(this.#count);
    if (this.slots.length >= this.#count + most) return;
    const places = 2 * (this.#count + most);
    this.slots = grown(Uint32Array, this.slots, places);
    this.from = grown(Uint32Array, this.from, places);
    this.rates = grown(Float64Array, this.rates, places);
    this.bonuses = grown(Float64Array, this.bonuses, places);
  }

  add(slot: number, from: number, rate: number, bonus: number): void {
    const place = this.#count++;
    this.slots[place] = slot;
    this.from[place] = from;
    this.rates[place] = rate;
    this.bonuses[place] = bonus;
    this.ends[this.ends.length - 1] = this.#count;
  }
}
