import {
  type Address,
  type MarketBlock,
  NO_HASH,
  type PoolListing,
  type PoolState,
  readWords,
  type SwapEvent,
} from "@millrace/core";
import { encodeReserves, FEE_FIRST } from "@millrace/protocols";
import { Random } from "./Random.ts";

const PIPS = 1_000_000n;
const RESERVE_WORDS = 2;
/** A swap's input is at most this part of the reserve, in millionths: less than the fee. */
const SIZE_MAX = 1_000;
/** Makes traffic draw other numbers than the market that it moves. */
const SEED_OFFSET = 0x7261_6666;

interface MovingPool {
  readonly listing: PoolListing;
  readonly reserves: [bigint, bigint];
  /** Reserves at the start: the price to which swaps lead back. */
  readonly start: readonly [bigint, bigint];
}

/**
 * Swaps in the constant-product pools of a generated market, block after block. A pool that has
 * left its first price is traded back towards it, so prices stay consistent forever.
 */
export class GeneratedTraffic {
  readonly #random: Random;
  readonly #pools: ReadonlyArray<MovingPool>;
  #blockNumber: number;

  constructor(first: MarketBlock, seed: number) {
    this.#random = new Random(seed ^ SEED_OFFSET);
    this.#blockNumber = first.stamp.number;
    this.#pools = first.pools.flatMap((listing, place) => {
      const { state } = first.states[place]!;
      return state.book === undefined ? [movingPool(listing, state)] : [];
    });
  }

  /** The next block, with `swapCount` swaps; without swaps where the market has no such pool. */
  nextBlock(swapCount: number): MarketBlock {
    const swaps: SwapEvent[] = [];
    const changed = new Map<Address, MovingPool>();
    while (swaps.length < swapCount && this.#pools.length > 0) {
      const pool = this.#random.pick(this.#pools);
      swaps.push(this.#swap(pool, swaps.length));
      changed.set(pool.listing.address, pool);
    }
    return {
      stamp: { number: ++this.#blockNumber, hash: NO_HASH, timestampMs: 0 },
      dexes: [],
      tokens: [],
      pools: [],
      removedPools: [],
      states: Array.from(changed, ([pool, { reserves }]) => ({
        pool,
        state: encodeReserves(reserves),
      })),
      swaps,
      supplies: [],
    };
  }

  #swap(pool: MovingPool, logIndex: number): SwapEvent {
    const { listing, reserves } = pool;
    const positionIn = this.#side(pool);
    const positionOut = positionIn === 0 ? 1 : 0;
    const amountIn = (reserves[positionIn] * BigInt(1 + this.#random.below(SIZE_MAX))) / PIPS + 1n;
    const fee = (amountIn * BigInt(listing.feePips)) / PIPS;
    // Rounded as in Aerodrome; Uniswap V2 gives this or one unit more.
    const amountInLessFee = amountIn - fee - (listing.parameter === FEE_FIRST ? 0n : 1n);
    const amountOut =
      (amountInLessFee * reserves[positionOut]) / (reserves[positionIn] + amountInLessFee);
    reserves[positionIn] += listing.parameter === FEE_FIRST ? amountIn - fee : amountIn;
    reserves[positionOut] -= amountOut;
    return {
      pool: listing.address,
      transactionHash: this.#random.hex(8),
      logIndex,
      tokenIn: listing.tokens[positionIn]!,
      tokenOut: listing.tokens[positionOut]!,
      amountIn,
      amountOut,
      priceAfter: Number(reserves[positionOut]) / Number(reserves[positionIn]),
    };
  }

  /** The token in: the one whose price is too high here, else either. */
  #side({ reserves, start }: MovingPool): 0 | 1 {
    const now = reserves[0] * start[1];
    const then = reserves[1] * start[0];
    if (now === then) return this.#random.chance(0.5) ? 0 : 1;
    return now < then ? 0 : 1;
  }
}

function movingPool(listing: PoolListing, { words }: PoolState): MovingPool {
  const read = (place: number) => readWords(words, place * RESERVE_WORDS, RESERVE_WORDS);
  const start = [read(0), read(1)] as const;
  return { listing, start, reserves: [...start] };
}
