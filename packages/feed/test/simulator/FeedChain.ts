import type {
  Address,
  BlockStamp,
  MarketBlock,
  PoolListing,
  PoolState,
  SwapEvent,
} from "@millrace/core";
import { openMarket } from "@millrace/core";
import { encodeBalances, type RandomSource, weightedCurve } from "@millrace/testing";

const TOKENS = 6;
const POOLS_MAX = 10;
const BLOCK_MS = 1_000;
export const CHAIN_ID = 31_337;

/** A block of the true chain, and the whole market after it. */
export interface TrueBlock {
  readonly stamp: BlockStamp;
  readonly parent: TrueBlock | undefined;
  readonly swaps: ReadonlyArray<SwapEvent>;
  readonly pools: ReadonlyMap<
    Address,
    { readonly listing: PoolListing; readonly state: PoolState }
  >;
}

const DEX = { id: "TEST", name: "Test", protocol: "weighted-for-tests", factory: address(1) };
const tokens = Array.from({ length: TOKENS }, (_, index) => ({
  ...{ address: address(100 + index), decimals: 6 + index },
  ...{ symbol: `T${index}`, name: `Token ${index}` },
}));

/** A chain that grows and sometimes reorganises; every market has to equal it. */
export class FeedChain {
  head: TrueBlock;
  readonly #random: RandomSource;
  readonly #blocks = new Map<string, TrueBlock>();
  readonly #snapshots = new Map<string, Uint8Array>();
  #poolCount = 0;

  constructor(random: RandomSource, startMs: number) {
    this.#random = random;
    const pools = new Map(Array.from({ length: 4 }, () => this.#newPool()));
    const stamp = { number: 100, hash: random.hex(32), timestampMs: startMs };
    this.head = this.#keep({ stamp, parent: undefined, swaps: [], pools });
  }

  /** Adds one block, or replaces the last ones. */
  grow(): void {
    const depth = this.#random.chance(0.1) ? this.#random.between(1, 3) : 0;
    let base = this.head;
    for (let back = 0; back < depth && base.parent !== undefined; back++) base = base.parent;
    for (let count = 0; count <= depth; count++) base = this.#after(base);
    this.head = base;
  }

  find(hash: string): TrueBlock | undefined {
    return this.#blocks.get(hash);
  }

  /** The graph of a market that is built from scratch at a block, as bytes. */
  snapshotAt(hash: string): Uint8Array {
    const known = this.#snapshots.get(hash);
    if (known !== undefined) return known;
    const market = openMarket(CHAIN_ID, [weightedCurve]);
    market.writer.applyBlock(wholeMarket(this.#blocks.get(hash)!));
    const snapshot = market.snapshot();
    this.#snapshots.set(hash, snapshot);
    return snapshot;
  }

  #after(parent: TrueBlock): TrueBlock {
    const random = this.#random;
    const pools = new Map(parent.pools);
    const swaps: SwapEvent[] = [];
    for (let count = random.between(0, 3); count > 0; count--) {
      const [pool, { listing }] = random.pick([...pools]);
      pools.set(pool, { listing, state: this.#newState(listing) });
      swaps.push(this.#swap(listing, swaps.length));
    }
    if (random.chance(0.1) && pools.size < POOLS_MAX) pools.set(...this.#newPool());
    if (random.chance(0.07) && pools.size > 2) pools.delete(random.pick([...pools.keys()]));
    const { number, timestampMs } = parent.stamp;
    const stamp = { number: number + 1, hash: random.hex(32), timestampMs: timestampMs + BLOCK_MS };
    return this.#keep({ stamp, parent, swaps, pools });
  }

  #keep(block: TrueBlock): TrueBlock {
    this.#blocks.set(block.stamp.hash, block);
    return block;
  }

  #newPool() {
    const chosen = this.#random.shuffled(tokens).slice(0, this.#random.between(2, 3));
    const listing: PoolListing = {
      ...{ address: address(10_000 + this.#poolCount++), dexId: DEX.id, curve: weightedCurve.name },
      tokens: chosen.map((token) => token.address),
      ...{ feePips: 3_000, parameter: 0 },
      constants: new BigUint64Array(chosen.length).fill(1n),
    };
    return [listing.address, { listing, state: this.#newState(listing) }] as const;
  }

  #newState(listing: PoolListing): PoolState {
    return encodeBalances(listing.tokens.map(() => this.#random.amount(60) + 1_000n));
  }

  #swap(listing: PoolListing, logIndex: number): SwapEvent {
    return {
      ...{ pool: listing.address, transactionHash: this.#random.hex(32), logIndex },
      ...{ tokenIn: listing.tokens[0]!, tokenOut: listing.tokens[1]! },
      ...{ amountIn: this.#random.amount(90), amountOut: this.#random.amount(90), priceAfter: 1.5 },
    };
  }
}

/** The first message of a source at the block. */
export function wholeMarket({ stamp, pools }: TrueBlock): MarketBlock {
  const all = [...pools.values()];
  return {
    ...{ stamp, dexes: [DEX], tokens, pools: all.map(({ listing }) => listing), removedPools: [] },
    states: all.map(({ listing, state }) => ({ pool: listing.address, state })),
    ...{ swaps: [], supplies: [] },
  };
}

/** The messages of a source that moves from one block to another, block by block. */
export function messagesBetween(from: TrueBlock, to: TrueBlock): MarketBlock[] {
  if (from === to) return [];
  const path: TrueBlock[] = [];
  const former = new Set<string>();
  for (let at: TrueBlock | undefined = from; at !== undefined; at = at.parent) {
    former.add(at.stamp.hash);
  }
  let common: TrueBlock = to;
  for (; !former.has(common.stamp.hash); common = common.parent!) path.unshift(common);
  const orphaned: Array<`0x${string}`> = [];
  for (let at = from; at !== common; at = at.parent!) orphaned.push(at.stamp.hash);
  let known = from;
  return path.map((block, index) => {
    const message = messageOf(known, block, index === 0 ? orphaned : []);
    known = block;
    return message;
  });
}

function messageOf(
  known: TrueBlock,
  block: TrueBlock,
  orphaned: ReadonlyArray<`0x${string}`>,
): MarketBlock {
  const isNew = (pool: Address) => !known.pools.has(pool);
  const changed = [...block.pools].filter(
    ([pool, { state }]) => known.pools.get(pool)?.state !== state,
  );
  return {
    ...{ stamp: block.stamp, orphaned, dexes: [], tokens: [], supplies: [], swaps: block.swaps },
    pools: changed.filter(([pool]) => isNew(pool)).map(([, { listing }]) => listing),
    removedPools: [...known.pools.keys()].filter((pool) => !block.pools.has(pool)),
    states: changed.map(([pool, { state }]) => ({ pool, state })),
  };
}

function address(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}`;
}
