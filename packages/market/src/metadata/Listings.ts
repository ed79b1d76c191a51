import type { Address, PoolGraph, TokenIndex, TokenListing } from "@millrace/core";
import { enlarged } from "../enlarged.ts";
import type { ListedToken } from "./ListedToken.ts";
import { cleanText, isSafeText } from "./safeText.ts";

const UNLISTED = -1;

interface ListingOptions {
  readonly graph: PoolGraph;
  /** What the source said about a token of the graph. */
  readonly tokenListing: (token: TokenIndex) => TokenListing;
  readonly listedTokens?: ReadonlyMap<Address, ListedToken>;
}

/** A listed token whose decimals differ from the chain's. */
export interface ListDisagreement {
  readonly address: Address;
  readonly listedDecimals: number;
  readonly chainDecimals: number;
}

/**
 * The texts shown for tokens: the chain's own where they are sound, else those of the token lists.
 * A list means an address; where its decimals differ from the chain's, it means something else, and
 * is ignored.
 */
export class Listings {
  readonly #options: ListingOptions;
  // Index: token. The source's listing when last asked, and the listing shown for it.
  readonly #sourced: TokenListing[] = [];
  readonly #shown: TokenListing[] = [];
  // Index: token, for those looked up. Decimals in the lists, or UNLISTED.
  #listedDecimals = new Int16Array(0);
  #lookedUp = 0;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  /** Decimals are the chain's; symbol and name are safe to show, and never empty. */
  readonly of = (token: TokenIndex): TokenListing => {
    const sourced = this.#options.tokenListing(token);
    if (this.#sourced[token] === sourced) return this.#shown[token]!;
    const shown = this.#resolve(token, sourced);
    this.#sourced[token] = sourced;
    this.#shown[token] = shown;
    return shown;
  };

  /** Called when the lists have changed. */
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

  /** Listed tokens of the market that have other decimals on the chain. */
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

  /** Looks up the tokens that are new to the graph: an index always means the same token. */
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
    // The symbol that a source gives to a token without one.
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
