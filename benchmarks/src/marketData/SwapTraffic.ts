import type { MarketBlock, PastBlock, PoolIndex, PoolStateChange, SwapEvent } from "@millrace/core";
import { SeededRandom } from "../SeededRandom.ts";
import type { GeneratedMarket } from "./GeneratedMarket.ts";

const SEED = 20_261_121;
const BLOCK_MS = 12_000;
/** The largest input of a swap, in millionths of the pool's holding. */
const SIZE_MAX = 1_000;
const PPM = 1_000_000n;
const SWAPS_A_TRANSACTION_MAX = 3;
const DRAWS = 2 ** 30;
/** A draw u in 0 … 1 takes the pool at u^8 of the list: a third of swaps are in hubs' pools. */
const BUSY_POWER = 8;

/** Which pools swap: some much more than others, or all equally often. */
export type Spread = "busy" | "even";

/** Blocks of swaps in the pools of a market, 12 s apart; later blocks trade prices back. */
export class SwapTraffic {
  readonly #generated: GeneratedMarket;
  readonly #random = new SeededRandom(SEED);
  readonly #pooled: number;
  readonly #direction: Uint8Array; // index: pool; the position that its next swap brings
  /** By pool, its holdings when it was first drawn; they scale the sizes of its swaps. */
  readonly #held = new Map<PoolIndex, ReadonlyArray<bigint>>();
  #number: number;
  #timestampMs: number;

  constructor(generated: GeneratedMarket) {
    const { graph } = generated.market;
    this.#generated = generated;
    this.#pooled = graph.poolCount;
    this.#direction = new Uint8Array(graph.poolCount);
    this.#number = graph.stamp.number;
    this.#timestampMs = graph.stamp.timestampMs;
  }

  /**
   * `count` different pools: the first `hubPools` of the market, which are pools of hubs, and
   * others at random.
   */
  draw(count: number, hubPools: number): ReadonlyArray<PoolIndex> {
    const pools = new Set<number>();
    while (pools.size < Math.min(count, this.#pooled)) {
      pools.add(pools.size < hubPools ? pools.size : this.#random.below(this.#pooled));
    }
    return [...pools] as PoolIndex[];
  }

  /** A pool for each of `count` swaps. */
  drawSwapped(count: number, spread: Spread): ReadonlyArray<PoolIndex> {
    return Array.from({ length: count }, () => {
      const share = this.#random.below(DRAWS) / DRAWS;
      const quantile = spread === "even" ? share : share ** BUSY_POWER;
      return Math.floor(this.#pooled * quantile) as PoolIndex;
    });
  }

  /** The next block: it moves the price of each of `pools`; `swapped` has a pool for each swap. */
  block(
    pools: ReadonlyArray<PoolIndex>,
    swapped: ReadonlyArray<PoolIndex> = [],
    history: ReadonlyArray<PastBlock> = [],
  ): MarketBlock {
    this.#number++;
    this.#timestampMs += BLOCK_MS;
    const stamp = stampOf(this.#number, this.#timestampMs);
    return {
      stamp,
      dexes: [],
      tokens: [],
      pools: [],
      removedPools: [],
      supplies: [],
      states: pools.map((pool) => this.#moved(pool)),
      swaps: this.#swaps(this.#number, swapped),
      ...(history.length > 0 && { history }),
    };
  }

  /** Blocks before the market's first one, evenly over `ms`, the newest first. */
  past(count: number, swapsEach: number, ms: number): ReadonlyArray<PastBlock> {
    const { number, timestampMs } = this.#generated.first.stamp;
    return Array.from({ length: count }, (_, position) => {
      const age = 1 + position;
      return {
        stamp: stampOf(number - age, timestampMs - Math.floor((age * ms) / (count + 1))),
        swaps: this.#swaps(number - age, this.drawSwapped(swapsEach, "busy")),
      };
    });
  }

  /** A small swap, there and in a later block back. */
  #moved(pool: PoolIndex): PoolStateChange {
    const { graph, families } = this.#generated.market;
    const family = families[graph.poolCurve[pool]!]!;
    const tokenIn = this.#direction[pool]!;
    this.#direction[pool] = 1 - tokenIn;
    const held = this.#heldBy(pool)[tokenIn]!;
    const swap = family.swapExactIn(pool, tokenIn, 1 - tokenIn, held / 2_000n + 1n);
    if (swap === undefined) throw new RangeError(`pool ${pool} takes nothing`);
    return { pool: this.#generated.first.pools[pool]!.address, state: swap.state };
  }

  #swaps(block: number, pools: ReadonlyArray<PoolIndex>): SwapEvent[] {
    const random = this.#random;
    let transaction = 0;
    let left = 0;
    return pools.map((pool, logIndex) => {
      if (left-- === 0) {
        transaction++;
        left = random.below(SWAPS_A_TRANSACTION_MAX);
      }
      return this.#swap(pool, logIndex, hashOf(block, transaction));
    });
  }

  #swap(pool: PoolIndex, logIndex: number, transactionHash: string): SwapEvent {
    const { graph, families } = this.#generated.market;
    const family = families[graph.poolCurve[pool]!]!;
    // A generated market lists all pools in the order of their indexes.
    const { address, tokens } = this.#generated.first.pools[pool]!;
    const tokenIn = this.#random.below(2);
    const tokenOut = 1 - tokenIn;
    const part = BigInt(1 + this.#random.below(SIZE_MAX));
    const held = this.#heldBy(pool);
    return {
      pool: address,
      transactionHash,
      logIndex,
      tokenIn: tokens[tokenIn]!,
      tokenOut: tokens[tokenOut]!,
      amountIn: (held[tokenIn]! * part) / PPM + 1n,
      amountOut: (held[tokenOut]! * part) / PPM + 1n,
      priceAfter: family.midPrice(pool, tokenIn, tokenOut),
    };
  }

  #heldBy(pool: PoolIndex): ReadonlyArray<bigint> {
    const known = this.#held.get(pool);
    if (known !== undefined) return known;
    const { graph, families } = this.#generated.market;
    const held = families[graph.poolCurve[pool]!]!.tokenAmounts(pool);
    this.#held.set(pool, held);
    return held;
  }
}

function stampOf(number: number, timestampMs: number) {
  return { number, hash: hashOf(number, 0), timestampMs };
}

/** A hash of its own for every block and every transaction; transactions count from 1. */
function hashOf(block: number, transaction: number): `0x${string}` {
  const digits = [block, transaction].map((number) => number.toString(16).padStart(32, "0"));
  // One flat string, as from a decoder, not a rope of its parts.
  return Buffer.from(`0x${digits.join("")}`).toString() as `0x${string}`;
}
