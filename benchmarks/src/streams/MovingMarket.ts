import {
  type Address,
  BOOK_WORDS,
  type MarketBlock,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type PoolState,
  RouteRelevance,
  readWords,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { SeededRandom } from "../SeededRandom.ts";

const SEED = 20_261_121;
/** Tokens with the most pools, and pools between them that every block touches. */
const HUBS = 5;
const HUB_POOLS = 20;
/** The input of a swap is the pool's holding divided by this. */
const PART = 2_000n;
// Words of a pool's state, by family.
const RESERVE_WORDS = 2;
const SQRT_PRICE_WORDS = 3;
const LIQUIDITY_AT = 3;
const LIQUIDITY_WORDS = 2;
const TICK_AT = 5;

/** A trade that somebody seeks a quote for. */
export interface Sought {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
}

/** A market whose blocks move prices up and down, for the service to replay as a recording. */
export class MovingMarket {
  readonly market: OpenMarket;
  readonly #first: MarketBlock;
  readonly #direction = new Map<PoolIndex, number>();
  readonly #updates: Array<{ readonly block: number; readonly pools: object }> = [];
  /** By block, the pools that it touches. */
  readonly #touched: Array<ReadonlyArray<PoolIndex>> = [];

  /**
   * `touched` pools move in each of `blocks` blocks: always HUB_POOLS between hubs, whose prices
   * carry all others, and random ones of the rest.
   */
  constructor(first: MarketBlock, blocks: number, touched: number) {
    this.#first = first;
    this.market = openMarket(1, curves);
    this.market.writer.applyBlock(first);
    const random = new SeededRandom(SEED);
    const always = this.#hubPools();
    for (let block = 1; block <= blocks; block++) this.#move(block, touched, always, random);
  }

  get lastBlock(): number {
    return this.#updates.at(-1)!.block;
  }

  /** The text of a market file. */
  recording(): string {
    const { stamp, tokens, pools, states } = this.#first;
    const stateOf = new Map(states.map(({ pool, state }) => [pool, state]));
    return JSON.stringify({
      chainId: 1,
      block: stamp.number,
      blockTimestamp: Math.floor(stamp.timestampMs / 1_000),
      tokens,
      pools: pools.map(({ address, dexId, tokens: [token0, token1], feePips, parameter }) => {
        const state = stateOf.get(address)!;
        const kind = state.book === undefined ? { kind: "v2" } : { kind: "v3" };
        const spacing = state.book === undefined ? {} : { tickSpacing: parameter };
        const fields = { ...kind, token0, token1, fee: feePips, ...spacing };
        return { id: address, dex: dexId, ...fields, ...recorded(state, state) };
      }),
      updates: this.#updates,
    });
  }

  /** For each block, how many of the sought quotes it could change. */
  relevance(sought: ReadonlyArray<Sought>, maxHops: number): ReadonlyArray<number> {
    const { graph } = this.market;
    const pairs = sought.map(({ tokenIn, tokenOut }) => [
      graph.findToken(tokenIn)!,
      graph.findToken(tokenOut)!,
    ]) as ReadonlyArray<readonly [number, number]>;
    return this.#touched.map((pools) => {
      const relevance = new RouteRelevance(graph, pools);
      return pairs.filter(([from, to]) => relevance.mayMatter(from, to, maxHops)).length;
    });
  }

  /** Tokens that have pools with the first hub only: their prices move whenever the hub's does. */
  followers(count: number): ReadonlyArray<Address> {
    const { graph } = this.market;
    const { slotEnd, slotNeighbour, slotStart, tokenCount } = graph;
    const [hub] = this.#byPools();
    const tokens = Array.from({ length: tokenCount }, (_, token) => token as TokenIndex);
    const follows = (token: TokenIndex) =>
      slotNeighbour.subarray(slotStart[token], slotEnd[token]).every((one) => one === hub);
    return tokens
      .filter(follows)
      .slice(0, count)
      .map((token) => graph.tokenAddress(token));
  }

  /** At most `count` of the candidates that have a quote, each of another pair or amount. */
  quotable(candidates: Iterable<Sought>, count: number): ReadonlyArray<Sought> {
    const { graph, router } = this.market;
    const found = new Map<string, Sought>();
    for (const sought of candidates) {
      if (found.size === count) break;
      const tokenIn = graph.findToken(sought.tokenIn);
      const tokenOut = graph.findToken(sought.tokenOut);
      if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) continue;
      const request = { tokenIn, tokenOut, amount: sought.amountIn, maxHops: 3 };
      if (!router.quote({ ...request, kind: "exactIn" }).found) continue;
      found.set(`${tokenIn} ${tokenOut} ${sought.amountIn}`, sought);
    }
    return [...found.values()];
  }

  #byPools(): ReadonlyArray<TokenIndex> {
    const { slotEnd, slotStart, tokenCount } = this.market.graph;
    const poolsOf = (token: TokenIndex) => slotEnd[token]! - slotStart[token]!;
    const tokens = Array.from({ length: tokenCount }, (_, token) => token as TokenIndex);
    return tokens.sort((one, other) => poolsOf(other) - poolsOf(one));
  }

  #hubPools(): ReadonlyArray<PoolIndex> {
    const { graph } = this.market;
    const hubs = new Set<number>(this.#byPools().slice(0, HUBS));
    const pools = Array.from({ length: graph.poolCount }, (_, pool) => pool as PoolIndex);
    return pools
      .filter((pool) => [0, 1].every((position) => hubs.has(graph.poolToken(pool, position))))
      .slice(0, HUB_POOLS);
  }

  #move(
    block: number,
    touched: number,
    always: ReadonlyArray<PoolIndex>,
    random: SeededRandom,
  ): void {
    const { graph, writer } = this.market;
    const states = new Map<PoolIndex, PoolState>();
    for (let draw = 0; states.size < Math.min(touched, graph.poolCount / 2); draw++) {
      const pool = always[draw] ?? (random.below(graph.poolCount) as PoolIndex);
      const state = states.has(pool) ? undefined : this.#swapped(pool);
      if (state !== undefined) states.set(pool, state);
    }
    const number = this.#first.stamp.number + block;
    const addressOf = (pool: PoolIndex) => this.#first.pools[pool]!.address;
    const changes = Array.from(states, ([pool, state]) => ({ pool: addressOf(pool), state }));
    writer.applyBlock({
      stamp: { ...this.#first.stamp, number },
      dexes: [],
      tokens: [],
      pools: [],
      removedPools: [],
      states: changes,
      swaps: [],
      supplies: [],
    });
    const entries = Array.from(states, ([pool, state]) => {
      const first = this.#first.states[pool]!.state;
      return [addressOf(pool), recorded(state, first)] as const;
    });
    this.#updates.push({ block: number, pools: Object.fromEntries(entries) });
    this.#touched.push([...states.keys()]);
  }

  /**
   * The state after a small swap, whose direction alternates; undefined where the swap is too
   * large.
   */
  #swapped(pool: PoolIndex): PoolState | undefined {
    const { graph, families } = this.market;
    const family = families[graph.poolCurve[pool]!]!;
    const tokenIn = this.#direction.get(pool) ?? 0;
    this.#direction.set(pool, 1 - tokenIn);
    const held = family.tokenAmounts(pool)[tokenIn]!;
    return family.swapExactIn(pool, tokenIn, 1 - tokenIn, held / PART + 1n)?.state;
  }
}

/** A state as in a market file; its ticks are those of the pool's first state. */
function recorded({ words }: PoolState, { book }: PoolState): object {
  if (book === undefined) {
    return {
      reserve0: String(readWords(words, 0, RESERVE_WORDS)),
      reserve1: String(readWords(words, RESERVE_WORDS, RESERVE_WORDS)),
    };
  }
  return {
    sqrtPriceX96: String(readWords(words, 0, SQRT_PRICE_WORDS)),
    tick: Number(BigInt.asIntN(64, words[TICK_AT]!)),
    liquidity: String(readWords(words, LIQUIDITY_AT, LIQUIDITY_WORDS)),
    ticks: Array.from(book.keys, (tick, position) => {
      const low = BigInt.asUintN(64, book.words[BOOK_WORDS * position]!);
      return [tick, String((book.words[BOOK_WORDS * position + 1]! << 64n) | low)];
    }),
  };
}
