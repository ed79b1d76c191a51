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
  type TokenPosition,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { Random } from "./Random.ts";

const PIPS = 1_000_000n;
/** A swap's input is at most this part of the pool's amount, in millionths. */
const SIZE_MAX = 1_000;
/** Most draws for a swap: some pools take nothing in a direction. */
const DRAWS = 8;
/** Makes traffic draw other numbers than the market that it moves. */
const SEED_OFFSET = 0x6d69_7864;

interface MovingPool {
  readonly index: PoolIndex;
  readonly listing: PoolListing;
  /** Prices at the start, to which swaps lead back. By pairs, each in one direction. */
  readonly prices: ReadonlyArray<PairPrice>;
}

interface PairPrice {
  readonly pair: readonly [TokenPosition, TokenPosition];
  /** Price of the first in the second; for pools of two tokens, its root with all digits. */
  readonly price: bigint | number;
}

/**
 * Swaps in all pools of a generated market, along their curves, block after block. A pool that has
 * left its first price is traded back towards it, so prices stay consistent forever.
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
      const positions = listing.tokens.map((_, position) => position);
      const pairs = positions.flatMap((first) =>
        positions.slice(first + 1).map((second) => [first, second] as const),
      );
      const prices = pairs.map((pair) => ({ pair, price: this.#priceOf(index, pair) }));
      return { index, listing, prices };
    });
  }

  /** The next block, with `swapCount` swaps, or fewer where few pools can take any. */
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
    const { index, listing, prices } = pool;
    const family = this.#familyOf(index);
    // With only one pair, no random number is drawn.
    const [positionIn, positionOut] = this.#direction(
      index,
      prices.length === 1 ? prices[0]! : this.#random.pick(prices),
    );
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

  /** Starts at the token whose price is too high here, else at either. */
  #direction(
    index: PoolIndex,
    { pair, price }: PairPrice,
  ): readonly [TokenPosition, TokenPosition] {
    const now = this.#priceOf(index, pair);
    const isForward = now === price ? this.#random.chance(0.5) : now > price;
    return isForward ? pair : [pair[1], pair[0]];
  }

  #priceOf(pool: PoolIndex, [first, second]: PairPrice["pair"]): bigint | number {
    const family = this.#familyOf(pool);
    if (this.#market.graph.poolTokenCount[pool] === 2) {
      return family.priceAndLiquidity(pool).sqrtPriceX96;
    }
    return family.midPrice(pool, first, second);
  }

  #familyOf(pool: PoolIndex) {
    const { families, graph } = this.#market;
    return families[graph.poolCurve[pool]!]!;
  }
}
