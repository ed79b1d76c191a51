import type { Address, BlockStamp, MarketBlock, SwapEvent } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { encodeReserves, FEE_INSIDE } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import type { LedgerBlock, LedgerSwap, LedgerTerms } from "../reference/marketLedger.ts";

const DEX = "UNISWAP_V2";

/** A pool of the generated chain, with what makes it fair at its tokens' worth. */
interface GeneratedPool {
  readonly address: Address;
  readonly tokens: readonly [Address, Address];
  readonly reserves: readonly [bigint, bigint];
}

/** A generated block, with the reserves of pools after it. */
export interface GeneratedBlock extends LedgerBlock {
  readonly reserves: ReadonlyMap<Address, readonly [bigint, bigint]>;
}

const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}` as Address;

const TOKENS = [
  { address: address(0xa0), decimals: 6, worthUsd: 1 },
  { address: address(0xb1), decimals: 18, worthUsd: 3_499.37 },
  { address: address(0xc2), decimals: 8, worthUsd: 95_000 },
  { address: address(0x0d3), decimals: 0, worthUsd: 12.5 },
  { address: address(0x1e4), decimals: 18, worthUsd: 0.000_009 },
  { address: address(0x2f5), decimals: 24, worthUsd: 1.16 },
];

/** The first two are anchors, each with the worth that it has here. */
export const GENERATED_TERMS: LedgerTerms = {
  anchors: TOKENS.slice(0, 2).map(({ address: token, worthUsd }) => ({
    address: token,
    priceUsd: worthUsd,
  })),
  decimals: new Map(TOKENS.map(({ address: token, decimals }) => [token, decimals])),
};

const pool = (number: number, first: number, second: number, worthUsd: number): GeneratedPool => {
  const tokens = [TOKENS[first]!, TOKENS[second]!].sort((left, right) =>
    left.address < right.address ? -1 : 1,
  );
  const reserves = tokens.map((token) =>
    BigInt(Math.floor((worthUsd / 2 / token.worthUsd) * 10 ** Math.min(token.decimals, 12))),
  );
  const units = tokens.map(
    (token, place) => reserves[place]! * 10n ** BigInt(Math.max(0, token.decimals - 12)),
  );
  return {
    address: address(0xee00 + number),
    tokens: [tokens[0]!.address, tokens[1]!.address],
    reserves: [units[0]!, units[1]!],
  };
};

/** In the market from the first block. */
const MARKET_POOLS = [
  pool(1, 0, 1, 9_000_000),
  pool(2, 0, 2, 5_000_000),
  pool(3, 1, 3, 3_000_000),
  pool(4, 2, 3, 2_000_000), // no anchor
  pool(5, 4, 0, 1_000_000),
  pool(6, 4, 1, 700_000),
  pool(7, 5, 4, 400_000), // no anchor
];
/** Too small for the market, but their swaps are published; the last one may enter later. */
export const OUTSIDE_POOLS = [pool(8, 1, 2, 100), pool(9, 0, 3, 90)];
const ALL_POOLS = [...MARKET_POOLS, ...OUTSIDE_POOLS];

/** The block that opens the market in its state after `made`; it has no swaps. */
export function openingBlock(made: GeneratedBlock): MarketBlock {
  return {
    stamp: made.stamp,
    dexes: [{ id: DEX, name: "V2", protocol: "constant-product", factory: address(0xfac) }],
    tokens: TOKENS.map(({ address: token, decimals }, index) => ({
      ...{ address: token, decimals },
      ...{ symbol: `T${index}`, name: `Token ${index}` },
    })),
    pools: MARKET_POOLS.map(listingOf),
    removedPools: [],
    states: statesOf(made, MARKET_POOLS),
    ...{ swaps: [], supplies: [] },
  };
}

/** A block as a source publishes it; `entering` is a pool that enters the market with it. */
export function toldBlock(made: GeneratedBlock, entering?: GeneratedPool): MarketBlock {
  return {
    stamp: made.stamp,
    ...{ dexes: [], tokens: [], removedPools: [], supplies: [] },
    pools: entering === undefined ? [] : [listingOf(entering)],
    states: statesOf(made, entering === undefined ? MARKET_POOLS : [...MARKET_POOLS, entering]),
    swaps: made.swaps.map(toEvent),
  };
}

/** A message with the history of blocks, newest first, while the market is at `head`. */
export function historyBlock(
  head: BlockStamp,
  past: ReadonlyArray<GeneratedBlock>,
): MarketBlock & { readonly history: NonNullable<MarketBlock["history"]> } {
  return {
    stamp: head,
    ...{ dexes: [], tokens: [], pools: [], removedPools: [], states: [], swaps: [], supplies: [] },
    history: past.map(({ stamp, swaps }) => ({ stamp, swaps: swaps.map(toEvent) })),
  };
}

const listingOf = ({ address: at, tokens }: GeneratedPool) => ({
  ...{ address: at, dexId: DEX, tokens },
  ...{ feePips: 3_000, parameter: FEE_INSIDE },
});

const statesOf = (made: GeneratedBlock, pools: ReadonlyArray<GeneratedPool>) =>
  pools.map((of) => ({
    pool: of.address,
    state: encodeReserves(made.reserves.get(of.address) ?? of.reserves),
  }));

/** The price goes with what goes in. */
const toEvent = ({ tokens, ratioAfter, ...swap }: LedgerSwap): SwapEvent => ({
  pool: swap.pool,
  transactionHash: swap.transactionHash,
  logIndex: swap.logIndex,
  tokenIn: swap.tokenIn,
  tokenOut: swap.tokenOut,
  amountIn: swap.amountIn,
  amountOut: swap.amountOut,
  priceAfter: swap.tokenIn === tokens[0] ? ratioAfter : 1 / ratioAfter,
});

/** Generates blocks with a limited number of transactions, each with a few swaps. */
export class BlockMaker {
  readonly #random: RandomSource;
  #hashes = 0;
  /** The parent's hash, by block hash. */
  readonly parents = new Map<Hex, Hex>();

  constructor(random: RandomSource) {
    this.#random = random;
  }

  make(parent: GeneratedBlock | undefined, number: number, timestampMs: number, most: number) {
    const random = this.#random;
    const reserves = new Map(parent?.reserves);
    const swaps: LedgerSwap[] = [];
    let logIndex = random.integer(5);
    for (let count = random.integer(most + 1); count > 0; count--) {
      const transactionHash = this.#hash();
      for (let more = [1, 1, 1, 2, 3, 6][random.integer(6)]!; more > 0; more--) {
        swaps.push(this.#swap(transactionHash, logIndex, reserves));
        logIndex += 1 + random.integer(4);
      }
    }
    const stamp = { number, hash: this.#hash(), timestampMs };
    if (parent !== undefined) this.parents.set(stamp.hash, parent.stamp.hash);
    return { stamp, swaps, reserves } satisfies GeneratedBlock;
  }

  #swap(
    transactionHash: string,
    logIndex: number,
    reserves: Map<Address, readonly [bigint, bigint]>,
  ): LedgerSwap {
    const random = this.#random;
    const { address: at, tokens, reserves: initial } = random.pick(ALL_POOLS);
    const place = random.integer(2);
    const now = reserves.get(at) ?? initial;
    const share = 10n ** BigInt(2 + random.integer(12));
    const amountIn = now[place]! / share + BigInt(1 + random.integer(99));
    const amountOut = (now[1 - place]! * amountIn) / (now[place]! + amountIn) + 1n;
    // The pool keeps a little of the payment, so that prices wander and return.
    const after = now.map((reserve, other) =>
      other === place ? reserve + amountIn : reserve - amountOut,
    ) as [bigint, bigint];
    const isSane = after.every((reserve, other) => {
      const ratio = Number(reserve) / Number(initial[other]!);
      return ratio > 0.9 && ratio < 1.1;
    });
    if (isSane) reserves.set(at, after);
    const [reserve0, reserve1] = isSane ? after : now;
    return {
      ...{ pool: at, tokens, transactionHash, logIndex, amountIn, amountOut },
      ...{ tokenIn: tokens[place]!, tokenOut: tokens[1 - place]! },
      ratioAfter: Number(reserve1) / Number(reserve0),
    };
  }

  #hash(): Hex {
    const random = this.#random.bigint(2n ** 192n);
    return `0x${((BigInt(++this.#hashes) << 192n) + random).toString(16).padStart(64, "0")}`;
  }
}
