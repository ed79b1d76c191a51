import type { PlainPool } from "@millrace/testing/reference";
import { rememberedPoolAfter } from "./rememberedSwaps.ts";

/** As a token: the native one. */
export const NATIVE = "native";

/** A pool, and what it takes. */
export interface LedgerHop {
  readonly pool: string;
  readonly tokenIn: string;
}

/** Reverts. */
export function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

/** What holders gain and lose while calls are executed on pools of the reference. */
export class Ledger {
  readonly #pools: ReadonlyMap<string, PlainPool>;
  readonly #states = new Map<string, PlainPool>();
  /** By token and holder. */
  readonly #gains = new Map<string, bigint>();

  constructor(pools: ReadonlyMap<string, PlainPool>) {
    this.#pools = pools;
  }

  /** Whoever is named may pay: who had to is seen by what is gained and lost at the end. */
  pay(token: string, from: string, to: string, amount: bigint): void {
    must(amount >= 0n, `a payment of ${amount}`);
    this.#add(token, from, -amount);
    this.#add(token, to, amount);
  }

  wrap(wrapped: string, holder: string, amount: bigint): void {
    this.#add(NATIVE, holder, -amount);
    this.#add(wrapped, holder, amount);
  }

  unwrap(wrapped: string, holder: string, amount: bigint): void {
    this.#add(wrapped, holder, -amount);
    this.#add(NATIVE, holder, amount);
  }

  gained(token: string, holder: string): bigint {
    return this.#gains.get(`${token} ${holder}`) ?? 0n;
  }

  /** A pool as it is now. */
  pool(address: string): PlainPool {
    const pool = this.#states.get(address) ?? this.#pools.get(address);
    if (pool === undefined) throw new Error(`no pool: ${address}`);
    return pool;
  }

  /** As they were, before any of them was used. */
  poolsOf(token: string, other: string): PlainPool[] {
    const [low, high] = token < other ? [token, other] : [other, token];
    return [...this.#pools.values()].filter(
      ({ token0, token1 }) => token0 === low && token1 === high,
    );
  }

  /** What goes into each of consecutive hops, for so much out of the last. */
  inputsFor(hops: ReadonlyArray<LedgerHop>, amountOut: bigint): bigint[] {
    const inputs: bigint[] = [];
    let amount = amountOut;
    for (const { pool, tokenIn } of hops.toReversed()) {
      amount = this.#quote(pool, tokenIn, "exactOut", amount).amountIn;
      inputs.unshift(amount);
    }
    return inputs;
  }

  /** Sells what the pool has been paid beforehand, all of it. Gives what comes out. */
  swap(address: string, tokenIn: string, to: string): bigint {
    const amount = this.gained(tokenIn, address);
    const { amountIn, amountOut, after } = this.#quote(address, tokenIn, "exactIn", amount);
    this.#settle(after, tokenIn, amountIn, amountOut, to);
    return amountOut;
  }

  /** Gives so much, for what the pool has been paid beforehand: it must be enough. */
  swapFor(address: string, tokenIn: string, amountOut: bigint, to: string): void {
    const { amountIn, after } = this.#quote(address, tokenIn, "exactOut", amountOut);
    const paid = this.gained(tokenIn, address);
    must(paid >= amountIn, `${address} is paid ${paid}, not ${amountIn}`);
    this.#settle(after, tokenIn, paid, amountOut, to);
  }

  /** Who has gained or lost what; pools have settled, unless they were given something. */
  entries(): ReadonlyMap<string, bigint> {
    return new Map([...this.#gains].filter(([, amount]) => amount !== 0n));
  }

  /** What a pool would take or give; throws where it would revert. */
  #quote(address: string, tokenIn: string, kind: "exactIn" | "exactOut", amount: bigint) {
    const pool = this.pool(address);
    must(tokenIn === pool.token0 || tokenIn === pool.token1, `${address} has no ${tokenIn}`);
    const swap = rememberedPoolAfter(pool, tokenIn === pool.token0, kind, amount);
    if (swap === undefined || swap.amountOut === 0n) throw new Error(`${address} reverts`);
    return swap;
  }

  #settle(after: PlainPool, tokenIn: string, amountIn: bigint, amountOut: bigint, to: string) {
    const tokenOut = tokenIn === after.token0 ? after.token1 : after.token0;
    this.#states.set(after.address, after);
    this.#add(tokenIn, after.address, -amountIn);
    this.#add(tokenOut, to, amountOut);
  }

  #add(token: string, holder: string, amount: bigint): void {
    this.#gains.set(`${token} ${holder}`, this.gained(token, holder) + amount);
  }
}
