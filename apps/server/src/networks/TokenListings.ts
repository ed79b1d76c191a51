import type { Address, MarketBlock, PoolGraph, TokenIndex, TokenListing } from "@millrace/core";

/** What a market's source told of its tokens: the graph itself keeps only what routing needs. */
export class TokenListings {
  readonly #byAddress = new Map<Address, TokenListing>();
  readonly #supplies = new Map<Address, bigint>();

  /** Takes what a block tells; to be called before the block is applied. */
  learn(block: MarketBlock): void {
    for (const token of block.tokens) {
      // As in the graph, the first to name an address decides.
      if (!this.#byAddress.has(token.address)) this.#byAddress.set(token.address, token);
    }
    for (const { token, totalSupply } of block.supplies) this.#supplies.set(token, totalSupply);
  }

  /** What was told of a token of the graph. */
  listing(graph: PoolGraph, token: TokenIndex): TokenListing {
    const address = graph.tokenAddress(token);
    const known = this.#byAddress.get(address);
    if (known !== undefined) return known;
    return { address, decimals: graph.tokenDecimals[token]!, symbol: address, name: address };
  }

  /** Total supply in smallest units, where it was told. */
  supply(graph: PoolGraph, token: TokenIndex): bigint | undefined {
    return this.#supplies.get(graph.tokenAddress(token));
  }
}
