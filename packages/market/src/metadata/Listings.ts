import type { Address, PoolGraph, TokenIndex, TokenListing } from "@millrace/core";
import { enlarged } from "../enlarged.ts";
import type { ListedToken } from "./ListedToken.ts";
import { cleanText, isSafeText } from "./safeText.ts";

const UNLISTED = -1;

interface ListingOptions {
  readonly graph: PoolGraph;
  /** What the source said of a token of the graph. */
  readonly tokenListing: (token: TokenIndex) => TokenListing;
  readonly listedTokens?: ReadonlyMap<Address, ListedToken>;
}

/** A listed token that is another one than the chain has. */
export interface ListDisagreement {
  readonly address: Address;
  readonly listedDecimals: number;
  readonly chainDecimals: number;
}

/**
 * The texts that are shown of tokens: the chain's own word where it is sound, else that of the
 * token lists. An address is what a list speaks of; where its decimals are not the chain's, it
 * speaks of something else, and is not heard.
 */
export class Listings {
  readonly #options: ListingOptions;
  // Index: token. What the source said when it was last asked, and what is shown of it.
  readonly #sourced: TokenListing[] = [];
  readonly #shown: TokenListing[] = [];
  // Index: token. What the lists say, or UNLISTED; of the tokens that were looked up.
  #listedDecimals = new Int16Array(0);
  #lookedUp = 0;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  /** Decimals are the chain's; symbol and name can be shown, and are never empty. */
  readonly of = (token: TokenIndex): TokenListing => {
    const sourced = this.#options.tokenListing(token);
    if (this.#sourced[token] === sourced) return this.#shown[token]!;
    const shown = this.#resolve(token, sourced);
    this.#sourced[token] = sourced;
    this.#shown[token] = shown;
    return shown;
  };

  /** Takes in that the lists say something else now. */
  reread(): void {
    this.#sourced.length = 0;
    this.#shown.length = 0;
    this.#lookedUp = 0;
  }

  /** True when a list has the token, with the chain's decimals. */
  readonly isListed = (token: number): boolean => {
    const { graph } = this.#options;
    if (token >= this.#lookedUp) this.#lookUp();
    return this.#listedDecimals[token] === graph.tokenDecimals[token];
  };

  /** Listed tokens of the market whose decimals on the chain are others. */
  disagreements(): ReadonlyArray<ListDisagreement> {
    const { graph, listedTokens = new Map<Address, ListedToken>() } = this.#options;
    const found: ListDisagreement[] = [];
    for (const [address, { decimals: listedDecimals }] of listedTokens) {
      const token = graph.findToken(address);
      if (token === undefined) continue;
      const chainDecimals = graph.tokenDecimals[token]!;
      if (chainDecimals !== listedDecimals) found.push({ address, listedDecimals, chainDecimals });
    }
    return found;
  }

  /** Looks up the tokens that are new to the graph: an index is always the same token's. */
  #lookUp(): void {
    const { graph, listedTokens } = this.#options;
    this.#listedDecimals = enlarged(this.#listedDecimals, graph.tokenCount);
    for (; this.#lookedUp < graph.tokenCount; this.#lookedUp++) {
      const listed = listedTokens?.get(graph.tokenAddress(this.#lookedUp as TokenIndex));
      this.#listedDecimals[this.#lookedUp] = listed?.decimals ?? UNLISTED;
    }
  }

  #resolve(token: TokenIndex, sourced: TokenListing): TokenListing {
    const address = this.#options.graph.tokenAddress(token);
    // What a source writes for a token that gives itself no symbol.
    const nameless = `${address.slice(0, 6)}…${address.slice(-4)}`;
    const isSound = (text: string) => isSafeText(text) && text.toLowerCase() !== nameless;
    if (isSound(sourced.symbol) && isSound(sourced.name)) return sourced;
    const listed = this.isListed(token) ? this.#options.listedTokens?.get(address) : undefined;
    const choose = (text: string, other: string | undefined, last: string) =>
      isSound(text) ? text : (other ?? (cleanText(text) || last));
    const symbol = choose(sourced.symbol, listed?.symbol, nameless);
    const name = choose(sourced.name, listed?.name, symbol);
    return { ...sourced, symbol, name };
  }
}
