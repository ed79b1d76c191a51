import { type Hex, numberToHex } from "viem";
import type { FirstFamilies } from "../contracts/FamilyContracts.ts";
import { readAlgebraPool } from "./algebraPools.ts";
import { ChainReader, type ChainRequest } from "./ChainReader.ts";
import type {
  FamilyPool,
  FamilyQuoteRequest,
  FamilyState,
  SolidlyState,
  TicksState,
} from "./FamilyPool.ts";
import { quoteSolidlyPool, readSolidlyPool } from "./solidlyPools.ts";
import { quoteTicksPool, readTicksPool } from "./ticksPools.ts";
import { quoteUniswapV4, readUniswapV4 } from "./uniswapV4Pools.ts";

/** Reads a devnet's family pools from their contracts, for tests to compare with. */
export class FamilyPools {
  readonly #request: ChainRequest;
  readonly #contracts: FirstFamilies;

  constructor(request: ChainRequest, contracts: FirstFamilies) {
    this.#request = request;
    this.#contracts = contracts;
  }

  /** At that block, or the newest. */
  state<pool extends FamilyPool>(pool: pool, blockNumber?: number): Promise<FamilyState<pool>> {
    return this.#read(this.#at(blockNumber), pool) as Promise<FamilyState<pool>>;
  }

  /**
   * The other amount of a swap in place of that block; undefined where the pool reverts or fills
   * only a part.
   */
  quote(
    pool: FamilyPool,
    request: FamilyQuoteRequest,
    blockNumber?: number,
  ): Promise<bigint | undefined> {
    const chain = this.#at(blockNumber);
    switch (pool.family) {
      case "uniswap-v4":
        return quoteUniswapV4(chain, this.#contracts.uniswapV4, pool, request);
      case "pancake-v3":
      case "algebra-integral":
      case "slipstream":
        return quoteTicksPool(chain, this.#contracts.swapQuoter, pool, request);
      case "aerodrome-stable":
      case "aerodrome-volatile":
        return quoteSolidlyPool(chain, pool, request);
    }
  }

  #read(chain: ChainReader, pool: FamilyPool): Promise<TicksState | SolidlyState> {
    const { uniswapV4, aerodrome } = this.#contracts;
    switch (pool.family) {
      case "uniswap-v4":
        return readUniswapV4(chain, uniswapV4, pool);
      case "pancake-v3":
      case "slipstream":
        return readTicksPool(chain, pool);
      case "algebra-integral":
        return readAlgebraPool(chain, pool);
      case "aerodrome-stable":
      case "aerodrome-volatile":
        return readSolidlyPool(chain, aerodrome.factory, pool);
    }
  }

  #at(blockNumber?: number): ChainReader {
    const block: Hex | "latest" = blockNumber === undefined ? "latest" : numberToHex(blockNumber);
    return new ChainReader(this.#request, block);
  }
}
