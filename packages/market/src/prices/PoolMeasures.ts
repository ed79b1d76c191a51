import { FEE_IN_STATE, type PoolFamily, type PoolGraph, type PoolIndex } from "@millrace/core";
import { enlarged } from "../enlarged.ts";
import { poolBacking, sound } from "./poolBacking.ts";

/**
 * What prices and liquidity need of every pool, as floats, measured once per change of the pool. A
 * pool of n tokens has n × n cells: `cellStart + own × n + other`, by position.
 */
export class PoolMeasures {
  readonly #graph: PoolGraph;
  readonly #familyOf: (pool: PoolIndex) => PoolFamily;

  // Index: cell. The price of `own` in `other`, in smallest units; 0 without a price.
  midPrice = new Float64Array(0);
  // Index: cell. Amounts of `own`, in smallest units: off the diagonal, the part that backs the
  // price of `other`; on it, the amount that the pool holds.
  own = new Float64Array(0);
  // Index: pool.
  cellStart = new Uint32Array(0);
  sqrtPriceX96 = new Float64Array(0);
  liquidity = new Float64Array(0);

  #reservedTokens = new Uint8Array(0); // index: pool; its cells are this number squared
  #version = new Uint32Array(0); // index: pool; the version that was measured, 0 before
  #cellCount = 0;

  constructor(graph: PoolGraph, familyOf: (pool: PoolIndex) => PoolFamily) {
    this.#graph = graph;
    this.#familyOf = familyOf;
  }

  /** True when the pool has changed since it was measured. */
  isStale(pool: PoolIndex): boolean {
    return this.#version[pool] !== this.#graph.poolVersion[pool];
  }

  /** Makes room for all pools of the graph. */
  reserve(): void {
    const count = this.#graph.poolCount;
    this.cellStart = enlarged(this.cellStart, count);
    this.sqrtPriceX96 = enlarged(this.sqrtPriceX96, count);
    this.liquidity = enlarged(this.liquidity, count);
    this.#reservedTokens = enlarged(this.#reservedTokens, count);
    this.#version = enlarged(this.#version, count);
  }

  /**
   * Measures a pool of the graph; a pool that has left the market is only noted. True when a cell
   * has changed.
   */
  measure(pool: PoolIndex): boolean {
    this.#version[pool] = this.#graph.poolVersion[pool]!;
    const tokens = this.#graph.poolTokenCount[pool]!;
    if (tokens === 0) return true;
    this.#reserveCells(pool, tokens);
    const family = this.#familyOf(pool);
    const { sqrtPriceX96, liquidity } = family.priceAndLiquidity(pool);
    this.sqrtPriceX96[pool] = Number(sqrtPriceX96);
    this.liquidity[pool] = Number(liquidity);
    const held = family.tokenAmounts(pool);
    const first = this.cellStart[pool]!;
    let isMoved = false;
    const write = (cells: Float64Array, cell: number, value: number) => {
      isMoved ||= cells[cell] !== value;
      cells[cell] = value;
    };
    for (let own = 0; own < tokens; own++) {
      write(this.midPrice, first + own * tokens + own, 1);
      write(this.own, first + own * tokens + own, sound(Number(held[own]!)));
      for (let other = 0; other < tokens; other++) {
        if (other === own) continue;
        const midPrice = sound(family.midPrice(pool, own, other));
        write(this.midPrice, first + own * tokens + other, midPrice);
        const backing = poolBacking(family, pool, other, own, midPrice);
        write(this.own, first + other * tokens + own, backing);
      }
    }
    return isMoved;
  }

  /** The present fee of each pool from token0 to token1, in hundredths of a basis point. */
  fees(into: Float64Array): Float64Array {
    const { poolFeePips } = this.#graph;
    for (let pool = 0 as PoolIndex; pool < into.length; pool++) {
      const feePips = poolFeePips[pool]!;
      into[pool] = feePips;
      if (feePips !== FEE_IN_STATE || !this.#graph.isLive(pool)) continue;
      into[pool] = this.#familyOf(pool).feePips(pool, 0, 1);
    }
    return into;
  }

  /** √prices or liquidity of pools as the graph has them now, measured since or not. */
  newest(what: "sqrtPriceX96" | "liquidity", into: Float64Array): Float64Array {
    into.set(this[what].subarray(0, into.length));
    const { poolVersion } = this.#graph;
    const version = this.#version;
    for (let pool = 0 as PoolIndex; pool < into.length; pool++) {
      if (version[pool] === poolVersion[pool] || !this.#graph.isLive(pool)) continue;
      into[pool] = Number(this.#familyOf(pool).priceAndLiquidity(pool)[what]);
    }
    return into;
  }

  /**
   * An index keeps its cells while its pool's number of tokens stays; other cells are never reused.
   */
  #reserveCells(pool: PoolIndex, tokens: number): void {
    if (this.#reservedTokens[pool] === tokens) return;
    this.#reservedTokens[pool] = tokens;
    this.cellStart[pool] = this.#cellCount;
    this.#cellCount += tokens * tokens;
    this.midPrice = enlarged(this.midPrice, this.#cellCount);
    this.own = enlarged(this.own, this.#cellCount);
  }
}
