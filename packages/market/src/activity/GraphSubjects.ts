import { ADDRESS_BYTES, type MarketBlock, type PoolGraph, type PoolIndex } from "@millrace/core";
import { enlarged } from "../enlarged.ts";
import type { Subjects } from "./Subjects.ts";

/** Subjects, and how the graph's pools and tokens map to them. */
export class GraphSubjects {
  readonly #graph: PoolGraph;
  readonly #subjects: Subjects;
  // Value: the number of the subject plus 1, or 0 where there is none.
  #subjectOfToken = new Uint32Array(0); // index: token of the graph
  #subjectOfPool = new Uint32Array(0); // index: pool of the graph
  /** Number of the graph's tokens that were looked up; the graph adds tokens, and forgets none. */
  #linkedTokenCount = 0;

  constructor(graph: PoolGraph, subjects: Subjects) {
    this.#graph = graph;
    this.#subjects = subjects;
    this.#linkTokens();
    this.#subjectOfPool = new Uint32Array(graph.poolCount);
    for (let pool = 0; pool < graph.poolCount; pool++) this.#linkPool(pool);
  }

  get byteLength(): number {
    return (
      this.#subjects.byteLength + this.#subjectOfToken.byteLength + this.#subjectOfPool.byteLength
    );
  }

  /** Takes in a block that the graph shows now. */
  follow({ pools }: MarketBlock): void {
    this.#linkTokens();
    this.#subjectOfPool = enlarged(this.#subjectOfPool, this.#graph.poolCount);
    // A new pool may have the index of one that left.
    for (const { address } of pools) {
      const pool = this.#graph.findPool(address);
      if (pool !== undefined) this.#linkPool(pool);
    }
  }

  /**
   * The subject of the pool at an address, a new one if need be; undefined for a text that is not
   * an address.
   */
  poolOf(address: string): number | undefined {
    const { count } = this.#subjects.pools;
    const subject = this.#subjects.pools.numberOf(address);
    if (subject === count) {
      const pool = this.#graph.findPool(address);
      if (pool !== undefined) this.#subjectOfPool[pool] = subject + 1;
    }
    return subject;
  }

  /**
   * The subject of the token at an address, a new one if need be; undefined for a text that is not
   * an address.
   */
  tokenOf(address: string): number | undefined {
    const { count } = this.#subjects.tokens;
    const subject = this.#subjects.tokens.numberOf(address);
    if (subject === count) {
      const token = this.#graph.findToken(address);
      if (token !== undefined) this.#subjectOfToken[token] = subject + 1;
    }
    return subject;
  }

  isBefore(token: number, other: number): boolean {
    return this.#subjects.tokens.isBefore(token, other);
  }

  /** The series of a pair of a pool, a new one if need be; `token0` has the lower address. */
  seriesOf(pool: number, token0: number, token1: number): number {
    return this.#subjects.series.numberOf(pool, token0, token1);
  }

  /** The subject of a token of the graph, or -1 when it never traded. */
  ofToken(token: number): number {
    return (this.#subjectOfToken[token] ?? 0) - 1;
  }

  /** The subject of a pool of the graph, or -1 when it never traded. */
  ofPool(pool: number): number {
    return (this.#subjectOfPool[pool] ?? 0) - 1;
  }

  /** Index: token of the graph. Its subject plus 1, or 0 when it never traded. A view. */
  get linkedTokens(): Uint32Array {
    return this.#subjectOfToken;
  }

  /** Index: pool of the graph. Its subject plus 1, or 0 when it never traded. A view. */
  get linkedPools(): Uint32Array {
    return this.#subjectOfPool;
  }

  #linkTokens(): void {
    const { tokenCount, tokenAddresses } = this.#graph;
    this.#subjectOfToken = enlarged(this.#subjectOfToken, tokenCount);
    for (; this.#linkedTokenCount < tokenCount; this.#linkedTokenCount++) {
      const token = this.#linkedTokenCount;
      const subject = this.#subjects.tokens.find(tokenAddresses, token * ADDRESS_BYTES);
      this.#subjectOfToken[token] = subject + 1;
    }
  }

  #linkPool(pool: number): void {
    const { poolAddresses } = this.#graph;
    const subject = this.#subjects.pools.find(poolAddresses, pool * ADDRESS_BYTES);
    this.#subjectOfPool[pool as PoolIndex] = subject + 1;
  }
}
