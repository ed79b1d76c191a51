/** What matches of one kind are ordered by. */
export interface Ranking {
  // Index: token.
  readonly liquidityUsd: Float64Array;
  readonly addressRank: Uint32Array;
}

/**
 * The first few of many tokens: the more liquid first, of equals the lower address. A heap with the
 * last of the kept ones on top.
 */
export class BestMatches {
  readonly #limit: number;
  readonly #liquidityUsd: Float64Array;
  readonly #addressRank: Uint32Array;
  readonly #heap: number[] = [];

  constructor(limit: number, { liquidityUsd, addressRank }: Ranking) {
    this.#limit = limit;
    this.#liquidityUsd = liquidityUsd;
    this.#addressRank = addressRank;
  }

  offer(token: number): void {
    const heap = this.#heap;
    if (heap.length < this.#limit) this.#rise(token);
    else if (heap.length > 0 && this.#isBefore(token, heap[0]!)) this.#sink(token);
  }

  /** With less liquidity than this, a token would not be kept. */
  leastUsd(): number {
    const heap = this.#heap;
    if (heap.length < this.#limit) return 0;
    return heap.length === 0 ? Number.POSITIVE_INFINITY : this.#liquidityUsd[heap[0]!]!;
  }

  /** The kept ones, the first first. */
  sorted(): number[] {
    return this.#heap.toSorted((a, b) => (this.#isBefore(a, b) ? -1 : 1));
  }

  #rise(token: number): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(token);
    for (; place > 0; place = (place - 1) >> 1) {
      const above = heap[(place - 1) >> 1]!;
      if (!this.#isBefore(above, token)) break;
      heap[place] = above;
    }
    heap[place] = token;
  }

  #sink(token: number): void {
    const heap = this.#heap;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      if (child + 1 < heap.length && this.#isBefore(heap[child]!, heap[child + 1]!)) child++;
      if (!this.#isBefore(token, heap[child]!)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = token;
  }

  #isBefore(a: number, b: number): boolean {
    const first = this.#liquidityUsd[a]!;
    const second = this.#liquidityUsd[b]!;
    return first > second || (first === second && this.#addressRank[a]! < this.#addressRank[b]!);
  }
}
