import { EdgeTable, NONE } from "./EdgeTable.ts";
import { EntryLists } from "./EntryLists.ts";

/** Runs up to this length are always kept. */
const SHORT = 3;
/** UTF-16 units of the longest run that is kept at first. */
const LONG = 16;
/** When this many tokens have a run, the runs that extend it by one unit are kept, too. */
const HEAVY = 512;
/**
 * From this many entries on, a run's entries at the beginning of texts are kept separately as well.
 */
const DENSE = 4_096;
/**
 * Maximum number of entries of runs longer than SHORT, per token and to begin with. Where very many
 * names are nearly the same there would be more: then the longest runs are dropped.
 */
const LONG_ENTRIES_A_TOKEN = 48;
const LONG_ENTRIES_FREE = 1 << 16;

/** How a run occurs in a token: the lower, the better. Two bits. */
export const EXACT = 0; // it is the symbol
export const PREFIX = 1; // the symbol or the name begins with it
export const INSIDE = 2;

/** The tokens that contain a text. */
export interface Holding {
  /**
   * Ascending by token: token × 4 + the best way in which the run occurs. A view, valid until the
   * next `add`.
   */
  readonly entries: Uint32Array;
  /** Those entries that are not INSIDE, where there are very many entries. */
  readonly starts: Uint32Array | undefined;
  /**
   * True: the entries are those of the whole text. False: they are those of a run in it, and
   * include all matches.
   */
  readonly isWhole: boolean;
}

/**
 * Which tokens contain which runs of characters. Runs of one to three units are always kept, longer
 * ones only where very many tokens contain their beginning: so what is kept for a text is either
 * the answer, or few tokens to check. An entry costs four to eight bytes; real names make about 40.
 */
export class GramTrie {
  // Index: token.
  readonly #symbols: ReadonlyArray<string>;
  readonly #names: ReadonlyArray<string>;
  // A node is a run, and has the list of the same number; the root's is empty.
  readonly #lists = new EntryLists();
  readonly #edges = new EdgeTable();
  readonly #root = this.#lists.make();
  // For a dense node, its list in `#starts`.
  readonly #startLists = new Map<number, number>();
  readonly #starts = new EntryLists();
  /** UTF-16 units of the longest run that is kept now. */
  #longest = LONG;
  // Index: length of a run, above SHORT. Its nodes; and the number of entries of all of them.
  readonly #nodes: number[][] = Array.from({ length: LONG + 1 }, () => []);
  #longEntries = 0;

  /** The texts of all tokens, including those added later. */
  constructor(symbols: ReadonlyArray<string>, names: ReadonlyArray<string>) {
    this.#symbols = symbols;
    this.#names = names;
  }

  get byteLength(): number {
    return this.#lists.byteLength + this.#edges.byteLength + this.#starts.byteLength;
  }

  /** Adds the runs of a token; tokens come in ascending order. */
  add(token: number): void {
    for (const isSymbol of [true, false]) {
      const text = this.#text(token, isSymbol);
      for (let start = 0; start < text.length; start++) {
        this.#enterRuns(token, isSymbol, text, start);
      }
    }
    if (this.#longEntries > LONG_ENTRIES_FREE + LONG_ENTRIES_A_TOKEN * token) this.#shorten();
  }

  #text(token: number, isSymbol: boolean): string {
    return (isSymbol ? this.#symbols : this.#names)[token]!;
  }

  #enterRuns(token: number, isSymbol: boolean, text: string, start: number): void {
    let node = this.#root;
    for (let length = 1; length <= this.#longest && start + length <= text.length; length++) {
      if (length > SHORT && this.#lists.count(node) < HEAVY) return;
      node = this.#made(node, text.charCodeAt(start + length - 1), length);
      const way = wayOf(isSymbol, start, length, text.length);
      const isNew = this.#enter(node, length, token, way);
      const isHeavyNow = isNew && this.#lists.count(node) === HEAVY;
      if (isHeavyNow && length >= SHORT && length < this.#longest) {
        this.#lengthen(node, text.slice(start, start + length), token);
      }
    }
  }

  /** Adds the runs that extend a run by one unit, for the tokens before `newest`. */
  #lengthen(node: number, run: string, newest: number): void {
    for (const entry of this.#lists.entries(node).slice()) {
      const token = entry >>> 2;
      if (token === newest) continue; // its runs are being added
      for (const isSymbol of [true, false]) {
        const text = this.#text(token, isSymbol);
        for (let at = text.indexOf(run); at >= 0; at = text.indexOf(run, at + 1)) {
          const length = run.length + 1;
          if (at + length > text.length) break;
          const longer = this.#made(node, text.charCodeAt(at + run.length), length);
          this.#enter(longer, length, token, wayOf(isSymbol, at, length, text.length));
        }
      }
    }
  }

  /** Drops the longest runs. */
  #shorten(): void {
    if (this.#longest === SHORT) return;
    for (const node of this.#nodes[this.#longest]!) {
      this.#longEntries -= this.#lists.count(node);
      this.#lists.empty(node);
      const starts = this.#startLists.get(node);
      if (starts !== undefined) this.#starts.empty(starts);
      this.#startLists.delete(node);
    }
    this.#nodes[this.#longest] = [];
    this.#longest--;
  }

  /** True when the token is new to the run; otherwise only a better way is noted. */
  #enter(node: number, length: number, token: number, way: number): boolean {
    const entry = 4 * token + way;
    if (this.#lists.count(node) > 0 && this.#lists.last(node) >>> 2 === token) {
      if (entry < this.#lists.last(node)) {
        this.#lists.setLast(node, entry);
        this.#enterStart(node, entry);
      }
      return false;
    }
    this.#lists.push(node, entry);
    if (this.#lists.count(node) > DENSE) this.#enterStart(node, entry);
    else if (this.#lists.count(node) === DENSE) this.#separate(node);
    if (length > SHORT) this.#longEntries++;
    return true;
  }

  /** Starts to keep the starts of a node separately. */
  #separate(node: number): void {
    this.#startLists.set(node, this.#starts.make());
    for (const entry of this.#lists.entries(node)) this.#enterStart(node, entry);
  }

  /** For a dense node; an entry of the newest token may replace a worse one. */
  #enterStart(node: number, entry: number): void {
    const list = this.#startLists.get(node);
    if (list === undefined || (entry & 3) === INSIDE) return;
    const isKnown = this.#starts.count(list) > 0 && this.#starts.last(list) >>> 2 === entry >>> 2;
    if (isKnown) this.#starts.setLast(list, entry);
    else this.#starts.push(list, entry);
  }

  #made(from: number, unit: number, length: number): number {
    const known = this.#edges.find(from, unit);
    if (known !== NONE) return known;
    const node = this.#lists.make();
    this.#edges.add(from, unit, node);
    if (length > SHORT) this.#nodes[length]!.push(node);
    return node;
  }

  /**
   * The entries kept for a text: of the runs in it, those of the rarest; undefined when no token
   * contains it.
   */
  find(text: string): Holding | undefined {
    let rarest: number | undefined;
    for (let start = 0; start < text.length; start++) {
      let node = this.#root;
      let length = 0;
      for (; length < this.#longest && start + length < text.length; length++) {
        if (length >= SHORT && this.#lists.count(node) < HEAVY) break;
        node = this.#edges.find(node, text.charCodeAt(start + length));
        if (node === NONE) return undefined;
      }
      if (length === text.length) return this.#holding(node, true);
      if (rarest === undefined || this.#lists.count(node) < this.#lists.count(rarest)) {
        rarest = node;
      }
    }
    if (rarest === undefined) return undefined;
    return this.#holding(rarest, false);
  }

  #holding(node: number, isWhole: boolean): Holding {
    const list = this.#startLists.get(node);
    const starts = list === undefined ? undefined : this.#starts.entries(list);
    return { entries: this.#lists.entries(node), starts, isWhole };
  }
}

function wayOf(isSymbol: boolean, start: number, length: number, textLength: number): number {
  if (start > 0) return INSIDE;
  return isSymbol && length === textLength ? EXACT : PREFIX;
}
