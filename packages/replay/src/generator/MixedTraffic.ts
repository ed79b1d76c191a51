import {
  type Address,
  type MarketBlock,
  NO_HASH,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type PoolListing,
  type PoolState,
  type SwapEvent,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { Random } from "./Random.ts";

const PIPS = 1_000_000n;
/** A swap brings at most this part of what the pool holds, in millionths. */
const SIZE_MAX = 1_000;
/** So many draws for a swap, at most: some pools take nothing in a direction. */
const DRAWS = 8;
/** So that traffic draws other numbers than the market that it moves. */
const SEED_OFFSET = 0x6d69_7864;

interface MovingPool {
  readonly index: PoolIndex;
  readonly listing: PoolListing;
  /** At the start: what swaps lead back to. */
  readonly sqrtPriceX96: bigint;
}

/**
 * Swaps in all pools of a generated market, along their curves, block after block. A pool that has
 * left its first price is traded back towards it, so that prices stay consistent for good.
 */
export class MixedTraffic {
  readonly #random: Random;
  readonly #market: OpenMarket;
  readonly #pools: ReadonlyArray<MovingPool>;
  #blockNumber: number;

  constructor(chainId: number, first: MarketBlock, seed: number) {
    this.#random = new Random(seed ^ SEED_OFFSET);
    this.#market = openMarket(chainId, curves);
    this.#market.writer.applyBlock(first);
    this.#blockNumber = first.stamp.number;
    this.#pools = first.pools.map((listing) => {
      const index = this.#market.graph.findPool(listing.address)!;
      return { index, listing, sqrtPriceX96: this.#priceOf(index) };
    });
  }

  /** The next block, with `swapCount` swaps, or fewer where few pools take any. */
  nextBlock(swapCount: number): MarketBlock {
    const swaps: SwapEvent[] = [];
    const changed = new Map<Address, PoolState>();
    for (let draw = 0; draw < DRAWS * swapCount && swaps.length < swapCount; draw++) {
      this.#swap(this.#random.pick(this.#pools), swaps, changed);
    }
    return {
      stamp: { number: ++this.#blockNumber, hash: NO_HASH, timestampMs: 0 },
      dexes: [],
      tokens: [],
      pools: [],
      removedPools: [],
      states: Array.from(changed, ([pool, state]) => ({ pool, state })),
      swaps,
      supplies: [],
    };
  }

  #swap(pool: MovingPool, swaps: SwapEvent[], changed: Map<Address, PoolState>): void {
    const { index, listing } = pool;
    const family = this.#familyOf(index);
    const positionIn = this.#side(pool);
    const positionOut = 1 - positionIn;
    const held = family.tokenAmounts(index)[positionIn]!;
    const amountIn = (held * BigInt(1 + this.#random.below(SIZE_MAX))) / PIPS + 1n;
    const swap = family.swapExactIn(index, positionIn, positionOut, amountIn);
    if (swap === undefined) return;
    this.#market.writer.applySwap(swap);
    changed.set(listing.address, swap.state);
    swaps.push({
      pool: listing.address,
      transactionHash: this.#random.hex(8),
      logIndex: swaps.length,
      tokenIn: listing.tokens[positionIn]!,
      tokenOut: listing.tokens[positionOut]!,
      amountIn,
      amountOut: swap.amountOut,
      priceAfter: family.midPrice(index, positionIn, positionOut),
    });
  }

  /** The token that a trader brings: the one whose price is too high here, else either. */
  #side({ index, sqrtPriceX96 }: MovingPool): 0 | 1 {
    const now = this.#priceOf(index);
    if (now === sqrtPriceX96) return this.#random.chance(0.5) ? 0 : 1;
    return now > sqrtPriceX96 ? 0 : 1;
  }

  #priceOf(pool: PoolIndex): bigint {
    return this.#familyOf(pool).priceAndLiquidity(pool).sqrtPriceX96;
  }

  #familyOf(pool: PoolIndex) {
    const { families, graph } = this.#market;
    return families[graph.poolCurve[pool]!]!;
  }
}
