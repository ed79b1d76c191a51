import { checksumAddress } from "@millrace/api";
import type { Address, PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";

/** The texts of a graph's addresses, each made once: a checksum costs microseconds. */
export class AddressTexts {
  readonly #graph: PoolGraph;
  // Index: token.
  readonly #tokens: Array<Address | undefined> = [];
  // Index: pool. An index may be reused for another pool, so each text comes with its source.
  readonly #pools: Array<PoolText | undefined> = [];

  constructor(graph: PoolGraph) {
    this.#graph = graph;
  }

  /** A token's address, lower case. */
  token(token: TokenIndex): Address {
    const known = this.#tokens[token];
    if (known !== undefined) return known;
    const address = this.#graph.tokenAddress(token);
    this.#tokens[token] = address;
    return address;
  }

  /**
   * A pool's contract, checksummed; `lowerCase` is the old contract of a pool that may have left.
   */
  pool(pool: PoolIndex, lowerCase: Address = this.#graph.poolContract(pool)): string {
    const known = this.#pools[pool];
    if (known?.lowerCase === lowerCase) return known.checksummed;
    const checksummed = checksumAddress(lowerCase);
    this.#pools[pool] = { lowerCase, checksummed };
    return checksummed;
  }

  /** A pool's names in answers. */
  names(pool: PoolIndex): PoolNames {
    const poolId = this.#graph.poolId(pool);
    return { poolAddress: this.pool(pool), ...(poolId !== undefined && { poolId }) };
  }
}

/** How answers name a pool. */
export interface PoolNames {
  readonly poolAddress: string;
  readonly poolId?: string;
}

interface PoolText {
  readonly lowerCase: Address;
  readonly checksummed: string;
}
