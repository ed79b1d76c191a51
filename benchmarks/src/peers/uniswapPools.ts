import { createRequire } from "node:module";
import { type OpenMarket, type PoolIndex, type TokenIndex, tickAtSqrtRatio } from "@millrace/core";
import type { Token } from "@uniswap/sdk-core";
import type { Pair } from "@uniswap/v2-sdk";
import type { Pool } from "@uniswap/v3-sdk";
import { isConstantProduct, tokensOf } from "./peerMarket.ts";
import { ticksOf } from "./ticksOf.ts";

// The libraries' ES modules import folders and files without extensions, which Node does not
// resolve. All of them share one copy of each, since they tell pools apart by `instanceof`.
const require = createRequire(import.meta.url);
export const sdkCore = require("@uniswap/sdk-core") as typeof import("@uniswap/sdk-core");
export const v2Sdk = require("@uniswap/v2-sdk") as typeof import("@uniswap/v2-sdk");
export const v3Sdk = require("@uniswap/v3-sdk") as typeof import("@uniswap/v3-sdk");

/** A market as objects of the Uniswap libraries. */
export class UniswapPools {
  /** Index: token. */
  readonly tokens: ReadonlyArray<Token>;
  /** Index: pool. */
  readonly pools: ReadonlyArray<Pair | Pool>;
  readonly #indexes: ReadonlyMap<unknown, PoolIndex>;

  constructor(market: OpenMarket) {
    const { graph } = market;
    const token = (_: unknown, index: number) =>
      new sdkCore.Token(
        graph.chainId,
        graph.tokenAddress(index as TokenIndex),
        graph.tokenDecimals[index]!,
      );
    this.tokens = Array.from({ length: graph.tokenCount }, token);
    this.pools = Array.from({ length: graph.poolCount }, (_, index) =>
      this.#poolOf(market, index as PoolIndex),
    );
    this.#indexes = new Map(this.pools.map((pool, index) => [pool, index as PoolIndex]));
  }

  /** The pools' indexes; the libraries give back the very objects that they were given. */
  indexesOf(pools: ReadonlyArray<unknown>): ReadonlyArray<PoolIndex> {
    return pools.map((pool) => this.#indexes.get(pool)!);
  }

  #poolOf(market: OpenMarket, pool: PoolIndex): Pair | Pool {
    const { graph, families } = market;
    const [token0, token1] = tokensOf(graph, pool).map((token) => this.tokens[token]!);
    const family = families[graph.poolCurve[pool]!]!;
    if (isConstantProduct(market, pool)) {
      const [reserve0, reserve1] = family.tokenAmounts(pool).map(String);
      const { CurrencyAmount } = sdkCore;
      return new v2Sdk.Pair(
        CurrencyAmount.fromRawAmount(token0!, reserve0!),
        CurrencyAmount.fromRawAmount(token1!, reserve1!),
      );
    }
    const { sqrtPriceX96, liquidity } = family.priceAndLiquidity(pool);
    const ticks = ticksOf(graph, pool).map(({ index, liquidityNet, liquidityGross }) => ({
      index,
      liquidityNet: String(liquidityNet),
      liquidityGross: String(liquidityGross),
    }));
    return new v3Sdk.Pool(
      token0!,
      token1!,
      graph.poolFeePips[pool]!,
      String(sqrtPriceX96),
      String(liquidity),
      tickAtSqrtRatio(sqrtPriceX96),
      ticks,
    );
  }
}
