import { enlarged } from "../enlarged.ts";
import { emptyFlow, type PoolFlow } from "./PoolFlow.ts";

export const NO_ENTRY = -1;

/** The step of a free entry. */
const NO_STEP = 0xffff_ffff;

/**
 * Entries in linked lists, one list for each step of time, in arrays that grow; freed entries are
 * reused. The trades of one pool in one step are mostly one entry.
 */
export class FlowPool {
  /** Entries in use. */
  count = 0;
  #length = 0;
  #free = NO_ENTRY;
  // Index: entry.
  #steps = new Uint32Array(0);
  #pools = new Uint32Array(0);
  #tokens0 = new Uint32Array(0);
  #tokens1 = new Uint32Array(0);
  #values = new Float64Array(0);
  #buys = new Int32Array(0);
  #sells = new Int32Array(0);
  #transactions = new Int32Array(0);
  #token0Transactions = new Int32Array(0);
  #token1Transactions = new Int32Array(0);
  #next = new Int32Array(0);
  readonly #peeked = emptyFlow(0, 0, 0);
  // Index: pool. Its newest entry, unless that was freed.
  #newest = new Int32Array(0);

  get byteLength(): number {
    const { BYTES_PER_ELEMENT } = Float64Array;
    return this.#next.length * (10 * 4 + BYTES_PER_ELEMENT) + this.#newest.byteLength;
  }

  /** Adds a flow, or its negative, to the list of a step; gives the list's first entry. */
  add(step: number, flow: PoolFlow, sign: 1 | -1, first: number): number {
    const { pool } = flow;
    this.#newest = enlarged(this.#newest, pool + 1);
    const newest = this.#newest[pool]!;
    if (this.#isOf(newest, step, flow)) {
      this.#change(newest, flow, sign);
      return first;
    }
    const entry = this.#take();
    this.#steps[entry] = step;
    this.#pools[entry] = pool;
    this.#tokens0[entry] = flow.token0;
    this.#tokens1[entry] = flow.token1;
    this.#values[entry] = sign * flow.value;
    this.#buys[entry] = sign * flow.buys;
    this.#sells[entry] = sign * flow.sells;
    this.#transactions[entry] = sign * flow.transactions;
    this.#token0Transactions[entry] = sign * flow.token0Transactions;
    this.#token1Transactions[entry] = sign * flow.token1Transactions;
    this.#next[entry] = first;
    this.#newest[pool] = entry;
    return entry;
  }

  /** Frees a list. */
  free(first: number): void {
    for (let entry = first; entry !== NO_ENTRY; ) {
      const next = this.#next[entry]!;
      this.#steps[entry] = NO_STEP;
      this.#next[entry] = this.#free;
      this.#free = entry;
      this.count--;
      entry = next;
    }
  }

  next(entry: number): number {
    return this.#next[entry]!;
  }

  /** The content of an entry, in an object that the next call overwrites. */
  peek(entry: number): PoolFlow {
    const flow = this.#peeked;
    flow.pool = this.#pools[entry]!;
    flow.token0 = this.#tokens0[entry]!;
    flow.token1 = this.#tokens1[entry]!;
    flow.value = this.#values[entry]!;
    flow.buys = this.#buys[entry]!;
    flow.sells = this.#sells[entry]!;
    flow.transactions = this.#transactions[entry]!;
    flow.token0Transactions = this.#token0Transactions[entry]!;
    flow.token1Transactions = this.#token1Transactions[entry]!;
    return flow;
  }

  /** Whether an entry has a given step, and a flow's pool and pair. */
  #isOf(entry: number, step: number, { pool, token0, token1 }: PoolFlow): boolean {
    return (
      this.#steps[entry] === step &&
      this.#pools[entry] === pool &&
      this.#tokens0[entry] === token0 &&
      this.#tokens1[entry] === token1
    );
  }

  #change(entry: number, flow: PoolFlow, sign: 1 | -1): void {
    this.#values[entry]! += sign * flow.value;
    this.#buys[entry]! += sign * flow.buys;
    this.#sells[entry]! += sign * flow.sells;
    this.#transactions[entry]! += sign * flow.transactions;
    this.#token0Transactions[entry]! += sign * flow.token0Transactions;
    this.#token1Transactions[entry]! += sign * flow.token1Transactions;
  }

  #take(): number {
    this.count++;
    if (this.#free !== NO_ENTRY) {
      const entry = this.#free;
      this.#free = this.#next[entry]!;
      return entry;
    }
    const entry = this.#length++;
    this.#reserve(this.#length);
    return entry;
  }

  #reserve(length: number): void {
    if (this.#next.length >= length) return;
    this.#steps = enlarged(this.#steps, length);
    this.#pools = enlarged(this.#pools, length);
    this.#tokens0 = enlarged(this.#tokens0, length);
    this.#tokens1 = enlarged(this.#tokens1, length);
    this.#values = enlarged(this.#values, length);
    this.#buys = enlarged(this.#buys, length);
    this.#sells = enlarged(this.#sells, length);
    this.#transactions = enlarged(this.#transactions, length);
    this.#token0Transactions = enlarged(this.#token0Transactions, length);
    this.#token1Transactions = enlarged(this.#token1Transactions, length);
    this.#next = enlarged(this.#next, length);
  }
}
