import type { Address } from "@millrace/core";
import type { HistoryBlock, HistorySwap } from "@millrace/history";
import { SeededRandom } from "../SeededRandom.ts";

const SEED = 20_261_124;
const FIRST_BLOCK = 20_000_000;
/** The first second of a day. */
const FIRST_MS = 1_767_225_600_000;
const DRAWS = 2 ** 30;
/** Swaps of a transaction: 1.6 on average. */
const SAME_TRANSACTION = 0.375;
const HUBS = 4;

interface TrafficPool {
  readonly address: Address;
  /** Ascending. */
  readonly tokens: readonly [Address, Address];
  price: number;
}

export interface TrafficSizes {
  readonly pools: number;
  readonly tokens: number;
  readonly makers: number;
  readonly blockSeconds: number;
}

/**
 * Blocks of swaps like a large chain's: pools and makers become rarer with their rank (Zipf), most
 * pools trade against one of four hubs, hashes and amounts have no pattern.
 */
export class HistoryTraffic {
  /** The busiest tokens and pools come first. */
  readonly tokens: ReadonlyArray<Address>;
  readonly pools: ReadonlyArray<TrafficPool>;
  readonly #makers: ReadonlyArray<Address>;
  readonly #random = new SeededRandom(SEED);
  readonly #pricesOfTokens = new Map<Address, number>();
  readonly #blockMs: number;
  #count = 0;

  constructor({ pools, tokens, makers, blockSeconds }: TrafficSizes) {
    this.#blockMs = 1_000 * blockSeconds;
    const address = () => this.#hex(20) as Address;
    this.tokens = Array.from({ length: tokens }, address);
    this.#makers = Array.from({ length: makers }, address);
    this.pools = Array.from({ length: pools }, (_, rank) => {
      const other = Math.min(tokens - 1, HUBS + Math.floor((rank * (tokens - HUBS)) / pools));
      const pair = [this.tokens[rank % HUBS]!, this.tokens[other]!].sort();
      return {
        address: address(),
        tokens: pair as unknown as readonly [Address, Address],
        price: 2 ** (20 * this.#share() - 10),
      };
    });
    for (const token of this.tokens) this.#pricesOfTokens.set(token, 2 ** (12 * this.#share()));
  }

  /** Milliseconds of the first block that has not been drawn yet. */
  get nextMs(): number {
    return FIRST_MS + this.#count * this.#blockMs;
  }

  /** The next block, with `swapCount` swaps. */
  next(swapCount: number): HistoryBlock {
    const number = FIRST_BLOCK + this.#count;
    const timestampMs = this.nextMs;
    this.#count++;
    const swaps: HistorySwap[] = [];
    const traded = new Map<Address, number>();
    let transactionHash = "";
    let maker: Address | undefined;
    let logIndex = 0;
    for (let at = 0; at < swapCount; at++) {
      if (at === 0 || this.#share() > SAME_TRANSACTION) {
        transactionHash = this.#hex(32);
        maker = this.#makers[this.#rank(this.#makers.length)];
      }
      logIndex += 1 + this.#random.below(6);
      const pool = this.pools[this.#rank(this.pools.length)]!;
      swaps.push(this.#swap(pool, transactionHash, maker, logIndex));
      for (const token of pool.tokens) traded.set(token, this.#moved(token));
    }
    return {
      stamp: { number, hash: this.#hex(32), timestampMs },
      swaps,
      prices: traded,
    };
  }

  /**
   * An integer from 0 to `count` − 1; rank r comes with a probability of about 1 / (r + 1), scaled.
   */
  #rank(count: number): number {
    return Math.min(count - 1, Math.floor((count + 1) ** this.#share() - 1));
  }

  #swap(
    pool: TrafficPool,
    transactionHash: string,
    maker: Address | undefined,
    logIndex: number,
  ): HistorySwap {
    const [tokenIn, tokenOut] =
      this.#random.below(2) === 0 ? pool.tokens : [pool.tokens[1], pool.tokens[0]];
    pool.price *= 1 + (this.#share() - 0.5) / 1_000;
    // Dollars from 1 to 100,000, evenly by their logarithm; 18 decimals, or 6.
    const dollars = 10 ** (5 * this.#share());
    return {
      pool: pool.address,
      tokenIn,
      tokenOut,
      amountIn: this.#amount(tokenIn, dollars),
      amountOut: this.#amount(tokenOut, dollars),
      priceAfter: pool.price,
      value: Math.round(10_000 * dollars),
      transactionHash,
      maker,
      logIndex,
    };
  }

  #amount(token: Address, dollars: number): bigint {
    const decimals = token === this.tokens[1] || token === this.tokens[2] ? 6 : 18;
    const whole = dollars / this.#pricesOfTokens.get(token)!;
    return (
      BigInt(Math.floor(whole * 10 ** Math.min(decimals, 9))) *
        10n ** BigInt(decimals - Math.min(decimals, 9)) +
      BigInt(decimals === 18 ? this.#random.below(1e9) : 0)
    );
  }

  #moved(token: Address): number {
    const price = this.#pricesOfTokens.get(token)! * (1 + (this.#share() - 0.5) / 1_000);
    this.#pricesOfTokens.set(token, price);
    return price;
  }

  #share(): number {
    return this.#random.below(DRAWS) / DRAWS;
  }

  #hex(bytes: number): `0x${string}` {
    let digits = "";
    for (let left = bytes; left > 0; left -= 4) {
      digits += this.#random
        .below(2 ** 32)
        .toString(16)
        .padStart(8, "0");
    }
    // One flat string, as from a decoder.
    return Buffer.from(`0x${digits}`).toString() as `0x${string}`;
  }
}
