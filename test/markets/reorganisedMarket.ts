import {
  type Address,
  bookOf,
  type MarketBlock,
  type OpenMarket,
  openMarket,
  openSnapshot,
  type PoolIndex,
  type PoolListing,
  type PoolState,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import type { RandomSource } from "@millrace/testing";
import { blockStorm } from "./blockStorm.ts";

interface PastMarket {
  readonly stamp: MarketBlock["stamp"];
  readonly snapshot: Uint8Array;
  /** The changes from the market before. */
  readonly block: MarketBlock;
}

const STATES_MAX = 12;

/** The most blocks that are replaced at once. */
export const DEPTH_MAX = 6;

/**
 * A market on a chain that reorganises, as a source publishes it: each block as changes from the
 * one published before, whether that is its parent or not; some in several parts.
 */
export class ReorganisedMarket {
  /** The blocks of the current chain, ascending, with the market after each. */
  readonly line: PastMarket[] = [];
  readonly first: MarketBlock;
  readonly #random: RandomSource;
  readonly #toldTokens: Set<Address>;
  #market: OpenMarket;
  #nonce = 0;

  constructor(random: RandomSource, poolCount: number) {
    this.#random = random;
    const seed = random.integer(1_000_000);
    const generated = generateMarketBlock({ seed, poolCount });
    this.first = { ...generated, stamp: this.#stamp(1) };
    this.#market = openMarket(1, curves);
    this.#market.writer.applyBlock(this.first);
    this.#toldTokens = new Set(this.first.tokens.map(({ address }) => address));
    this.#keep(this.first);
  }

  /** The parts of the next block. */
  next(): MarketBlock[] {
    const random = this.#random;
    const tip = this.line.at(-1)!;
    const depth = random.chance(0.25) ? random.between(1, DEPTH_MAX) : 0;
    const orphans = this.line.splice(Math.max(1, this.line.length - depth));
    const base = this.line.at(-1)!;
    const told = openSnapshot(tip.snapshot, curves);
    this.#market = openSnapshot(base.snapshot, curves);
    const number = base.stamp.number + 1;
    // Transactions of a reverted block are often in its replacement.
    const comesBack = orphans.length > 0 && random.chance(0.6);
    const block = comesBack
      ? orphans[0]!.block
      : this.#storm(number, random.between(0, STATES_MAX));
    const stamp = this.#stamp(number);
    this.#market.writer.applyBlock({ ...block, stamp });
    const change = this.#difference(told, stamp);
    const orphaned = orphans.map((orphan) => orphan.stamp.hash).reverse();
    const parts: MarketBlock[] = [{ ...change, ...(orphaned.length > 0 && { orphaned }) }];
    if (random.chance(0.2)) {
      const between = openSnapshot(this.#market.snapshot(), curves);
      const late = this.#storm(random.integer(40), 2);
      this.#market.writer.applyBlock({ ...late, stamp });
      parts.push(this.#difference(between, stamp));
    }
    this.#keep(block);
    return parts;
  }

  #keep(block: MarketBlock): void {
    const { stamp } = this.#market.graph;
    this.line.push({ stamp, snapshot: this.#market.snapshot(), block });
  }

  #storm(number: number, states: number): MarketBlock {
    // A pool of one address has the same tokens on every branch.
    return blockStorm(this.#market, this.#random, 1_000 * ++this.#nonce)(number, states);
  }

  #stamp(number: number): MarketBlock["stamp"] {
    const hash = `0x${(++this.#nonce).toString(16).padStart(64, "0")}` as const;
    return { number, hash, timestampMs: 1_000 * number };
  }

  /** The changes from a published market to the current one. */
  #difference(told: OpenMarket, stamp: MarketBlock["stamp"]): MarketBlock {
    const before = poolsOf(told);
    const now = poolsOf(this.#market);
    const tokens = [...now.values()].flatMap(({ listing }) => listing.tokens);
    const newTokens = [...new Set(tokens)].filter((token) => !this.#toldTokens.has(token));
    for (const token of newTokens) this.#toldTokens.add(token);
    const { graph } = this.#market;
    const states = [...now].flatMap(([pool, { state }]) => {
      const known = before.get(pool)?.state;
      const { words, book } = state;
      const hasBook = known !== undefined && isSame(known.book!.keys, book!.keys);
      const keepsBook = hasBook && isSame(known.book!.words, book!.words);
      if (keepsBook && isSame(known.words, words)) return [];
      return { pool, state: keepsBook ? { words } : { words, book: book! } };
    });
    return {
      ...{ stamp, dexes: [], swaps: [], supplies: [], states },
      tokens: newTokens.map((address) => ({
        ...{ address, symbol: `T${address.slice(-4)}`, name: "Told" },
        decimals: graph.tokenDecimals[graph.findToken(address) as TokenIndex]!,
      })),
      pools: [...now.values()].flatMap(({ listing }) =>
        before.has(listing.address) ? [] : [listing],
      ),
      removedPools: [...before.keys()].filter((pool) => !now.has(pool)),
    };
  }
}

interface MarketPool {
  readonly listing: PoolListing;
  readonly state: PoolState;
}

function poolsOf({ graph }: OpenMarket): Map<Address, MarketPool> {
  const pools = new Map<Address, MarketPool>();
  for (let index = 0; index < graph.poolCount; index++) {
    const pool = index as PoolIndex;
    if (!graph.isLive(pool)) continue;
    const address = graph.poolAddress(pool);
    const count = graph.poolTokenCount[pool]!;
    const start = graph.poolStateStart[pool]!;
    const words = curves[graph.poolCurve[pool]!]!.stateWords(count);
    const { keys, words: nets } = bookOf(graph, pool);
    const listing = {
      ...{ address, dexId: graph.dexes[graph.poolDex[pool]!]!.id },
      curve: graph.curveNames[graph.poolCurve[pool]!]!,
      tokens: Array.from({ length: count }, (_, position) =>
        graph.tokenAddress(graph.poolToken(pool, position)),
      ),
      ...{ feePips: graph.poolFeePips[pool]!, parameter: graph.poolParameter[pool]! },
      constants: graph.poolConstants(pool).slice(),
    };
    const state = {
      words: graph.stateWords.slice(start, start + words),
      book: { keys: keys.slice(), words: nets.slice() },
    };
    pools.set(address, { listing, state });
  }
  return pools;
}

const isSame = <A>(one: ArrayLike<A>, other: ArrayLike<A>): boolean =>
  one.length === other.length &&
  Array.prototype.every.call(one, (value, at) => value === other[at]);
