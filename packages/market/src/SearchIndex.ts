/** UTF-16 units of a symbol, a name or a query that count; the rest is not searched. */
const TEXT_MAX = 128;
const GRAM_MAX = 3;

/** How well a token matches: the lower, the better. */
const EXACT = 0;
const PREFIX = 1;
const INSIDE = 2;
const RANK_RANGE = 2 ** 32;

export interface Found {
  readonly tokens: ReadonlyArray<number>;
  readonly total: number;
}

/**
 * Finds tokens by a part of their symbol or name. For every run of one to three characters it
 * keeps the tokens that hold it, and how: so a short query is one list, and a longer one looks only
 * at the tokens that hold its rarest run.
 */
export class SearchIndex {
  /** Index: token. In lower case. */
  readonly symbols: string[] = [];
  readonly names: string[] = [];
  // Entries ascend by token: token × 4 + the best way in which the run stands in it.
  readonly #entries = new Map<number, number[]>();

  /** Adds the next token. */
  add(symbol: string, name: string): void {
    const token = this.symbols.length;
    const symbolText = fold(symbol.slice(0, TEXT_MAX));
    const nameText = fold(name.slice(0, TEXT_MAX));
    this.symbols.push(symbolText);
    this.names.push(nameText);
    for (const text of [symbolText, nameText]) {
      for (let length = 1; length <= GRAM_MAX; length++) {
        for (let start = 0; start + length <= text.length; start++) {
          const isSymbol = text === symbolText && text.length === length;
          const way = isSymbol ? EXACT : start === 0 ? PREFIX : INSIDE;
          this.#enter(gram(text, start, length), token, way);
        }
      }
    }
  }

  /**
   * The first `limit` matches among the tokens of `order`, best first, those of one kind as `order`
   * has them; and how many match in all. `rank` is each token's place in `order`.
   */
  find(text: string, order: Uint32Array, rank: Uint32Array, limit: number): Found {
    const wanted = fold(text.trim());
    const best = new Smallest(limit);
    for (const entry of this.#candidates(wanted)) {
      const token = entry >> 2;
      if (token >= order.length) break; // the newest tokens are not valued yet
      const way = wanted.length <= GRAM_MAX ? entry & 3 : this.#way(token, wanted);
      if (way <= INSIDE) best.offer(way * RANK_RANGE + rank[token]!);
    }
    const tokens = best.sorted().map((key) => order[key % RANK_RANGE]!);
    return { tokens, total: best.offered };
  }

  /** The entries that a match is among: the list of the query's rarest run. */
  #candidates(wanted: string): ReadonlyArray<number> {
    if (wanted.length === 0 || wanted.length > TEXT_MAX) return [];
    const length = Math.min(GRAM_MAX, wanted.length);
    let rarest: ReadonlyArray<number> | undefined;
    for (let start = 0; start + length <= wanted.length; start++) {
      const entries = this.#entries.get(gram(wanted, start, length));
      if (entries === undefined) return [];
      if (rarest === undefined || entries.length < rarest.length) rarest = entries;
    }
    return rarest ?? [];
  }

  #way(token: number, wanted: string): number {
    const symbol = this.symbols[token]!;
    const name = this.names[token]!;
    const inSymbol = symbol.indexOf(wanted);
    if (inSymbol === 0 && symbol.length === wanted.length) return EXACT;
    const inName = inSymbol === 0 ? 0 : name.indexOf(wanted);
    if (inSymbol === 0 || inName === 0) return PREFIX;
    return inSymbol > 0 || inName > 0 ? INSIDE : INSIDE + 1;
  }

  #enter(key: number, token: number, way: number): void {
    const entries = this.#entries.get(key);
    const entry = 4 * token + way;
    if (entries === undefined) {
      this.#entries.set(key, [entry]);
    } else if (entries.at(-1)! >> 2 !== token) {
      entries.push(entry);
    } else if (entry < entries.at(-1)!) {
      entries[entries.length - 1] = entry;
    }
  }
}

function fold(text: string): string {
  return text.toLowerCase();
}

/** A run of at most three UTF-16 units as one integer below 2^50. */
function gram(text: string, start: number, length: number): number {
  let key = length;
  for (let at = start; at < start + length; at++) key = key * 65_536 + text.charCodeAt(at);
  return key;
}

/** The least few of many numbers: a heap with the largest kept number on top. */
class Smallest {
  readonly #limit: number;
  readonly #heap: number[] = [];
  offered = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(value: number): void {
    this.offered++;
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      let place = heap.length;
      heap.push(value);
      for (; place > 0 && heap[(place - 1) >> 1]! < value; place = (place - 1) >> 1) {
        heap[place] = heap[(place - 1) >> 1]!;
      }
      heap[place] = value;
      return;
    }
    if (heap.length === 0 || value >= heap[0]!) return;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      if (child + 1 < heap.length && heap[child + 1]! > heap[child]!) child++;
      if (heap[child]! <= value) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = value;
  }

  sorted(): number[] {
    return this.#heap.toSorted((a, b) => a - b);
  }
}
