import { countBelow, firstMatches, firstOfMany, type Ranking } from "./firstMatches.ts";
import { EXACT, GramTrie, INSIDE, PREFIX } from "./GramTrie.ts";

/** UTF-16 units that count of a symbol, a name or a query; the rest is not searched. */
const TEXT_MAX = 64;
const NO_MATCH = 3;

export interface Found {
  readonly tokens: ReadonlyArray<number>;
  readonly total: number;
}

/**
 * Finds tokens by a part of their symbol or name, in any case. Characters that look alike are still
 * different: a symbol in Cyrillic letters is never an exact match of one in Latin letters.
 */
export class SearchIndex {
  /** Index: token. Texts as `foldText` gives them. */
  readonly symbols: string[] = [];
  readonly names: string[] = [];
  readonly #grams = new GramTrie(this.symbols, this.names);

  /** Bytes of the index, without the texts. */
  get byteLength(): number {
    return this.#grams.byteLength;
  }

  /** Adds the next token. */
  add(symbol: string, name: string): void {
    const token = this.symbols.length;
    this.symbols.push(foldText(symbol));
    this.names.push(foldText(name));
    this.#grams.add(token);
  }

  /** True when the token is indexed by these texts. */
  isOf(
    token: number,
    { symbol, name }: { readonly symbol: string; readonly name: string },
  ): boolean {
    return this.symbols[token] === foldText(symbol) && this.names[token] === foldText(name);
  }

  /**
   * The first `limit` matches among the first `tokenCount` tokens, and the number of all matches.
   * First come tokens whose symbol is the text, then those whose symbol or name begins with it,
   * then the rest; of one kind, the more liquid first, and of equals, the lower address.
   */
  find(text: string, tokenCount: number, ranking: Ranking, limit: number): Found {
    const wanted = foldQuery(text);
    const holding = wanted === undefined ? undefined : this.#grams.find(wanted);
    if (wanted === undefined || holding === undefined) return { tokens: [], total: 0 };
    const { isWhole, starts } = holding;
    const entries = isWhole ? holding.entries : this.#verified(holding.entries, wanted);
    // The newest tokens are not valued yet.
    const valued = upTo(entries, 4 * tokenCount);
    const tokens =
      isWhole && starts !== undefined
        ? firstOfMany(valued, upTo(starts, 4 * tokenCount), ranking, limit)
        : firstMatches(valued, ranking, limit);
    return { tokens, total: valued.length };
  }

  /** The entries whose token contains a text, with the way in which it occurs. */
  #verified(entries: Uint32Array, wanted: string): Uint32Array {
    const found = new Uint32Array(entries.length);
    let count = 0;
    for (let at = 0; at < entries.length; at++) {
      const token = entries[at]! >>> 2;
      const way = this.#way(token, wanted);
      if (way !== NO_MATCH) found[count++] = 4 * token + way;
    }
    return found.subarray(0, count);
  }

  #way(token: number, wanted: string): number {
    const symbol = this.symbols[token]!;
    const name = this.names[token]!;
    const inSymbol = symbol.indexOf(wanted);
    if (inSymbol === 0 && symbol.length === wanted.length) return EXACT;
    const inName = inSymbol === 0 ? 0 : name.indexOf(wanted);
    if (inSymbol === 0 || inName === 0) return PREFIX;
    return inSymbol > 0 || inName > 0 ? INSIDE : NO_MATCH;
  }
}

/** The ascending entries that are below a bound. */
function upTo(entries: Uint32Array, bound: number): Uint32Array {
  return entries.subarray(0, countBelow(entries, bound));
}

/** A text with case and the forms of accents unified, cut to the length that counts. */
export function foldText(text: string): string {
  // On its own, `toLowerCase` turns a capital sigma into another letter at the end of a word than
  // within it.
  const folded = text.slice(0, TEXT_MAX).normalize("NFC").toLowerCase().replaceAll("ς", "σ");
  return folded.slice(0, TEXT_MAX);
}

/** Undefined when the query matches nothing. */
function foldQuery(text: string): string | undefined {
  // Far longer than any searched text, in whatever form.
  if (text.length > 4 * TEXT_MAX) return undefined;
  const folded = text.trim().normalize("NFC").toLowerCase().replaceAll("ς", "σ");
  return folded.length > 0 && folded.length <= TEXT_MAX ? folded : undefined;
}
