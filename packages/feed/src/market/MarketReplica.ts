import {
  type Address,
  type BlockStamp,
  type Book,
  type Dex,
  type HistoryStatus,
  type MarketBlock,
  NO_HASH,
  type PoolListing,
  type TokenListing,
} from "@millrace/core";
import {
  bookDigest,
  DIGEST_BITS,
  exclusionsDigest,
  listingText,
  poolDigest,
  supplyDigest,
  tokenDigest,
} from "./itemDigest.ts";
import type { MarketPoint } from "./MarketPoint.ts";

/** The hashes of so many newest blocks are kept; no reorganisation is deeper. */
const LINE_MAX = 256;
const NO_BOOK: Book = { keys: new Int32Array(0), words: new BigInt64Array(0) };

/** A pool's last published state. Never mutated. */
export interface PoolRecord {
  readonly listing: PoolListing;
  readonly listingText: string;
  readonly words: BigUint64Array;
  readonly book: Book;
  readonly bookDigest: bigint;
  readonly digest: bigint;
}

/** All of a market at one block. */
export interface ReplicaContent {
  readonly stamp: BlockStamp;
  readonly digest: bigint;
  /** The newest blocks, ascending; the last one is the market's own. */
  readonly line: ReadonlyArray<BlockStamp>;
  readonly dexes: ReadonlyMap<string, Dex>;
  /** In order of arrival, as pools are. */
  readonly tokens: ReadonlyMap<Address, TokenListing>;
  readonly supplies: ReadonlyMap<Address, bigint>;
  readonly pools: ReadonlyMap<Address, PoolRecord>;
  readonly excluded: ReadonlySet<Address> | undefined;
}

/** The effect of a block on a market, computed but not applied. */
export interface PlannedBlock {
  readonly block: MarketBlock;
  readonly point: MarketPoint;
  /** Undefined: the pool is removed. */
  readonly pools: ReadonlyMap<Address, PoolRecord | undefined>;
}

/** A market rebuilt from its messages. Snapshots and digests are made of it. */
export class MarketReplica implements ReplicaContent {
  readonly dexes = new Map<string, Dex>();
  readonly tokens = new Map<Address, TokenListing>();
  readonly supplies = new Map<Address, bigint>();
  readonly pools = new Map<Address, PoolRecord>();
  /** Other findings of the leader; see `FeedEntry`. */
  readonly notes = new Map<string, string>();
  history: HistoryStatus | undefined;
  #line: BlockStamp[] = [];
  #excluded: ReadonlySet<Address> | undefined;
  #stamp: BlockStamp = { number: 0, hash: NO_HASH, timestampMs: 0 };
  #digest = 0n;

  get stamp(): BlockStamp {
    return this.#stamp;
  }

  get digest(): bigint {
    return this.#digest;
  }

  get line(): ReadonlyArray<BlockStamp> {
    return this.#line;
  }

  get excluded(): ReadonlySet<Address> | undefined {
    return this.#excluded;
  }

  get point(): MarketPoint {
    return { number: this.#stamp.number, hash: this.#stamp.hash, digest: this.#digest };
  }

  /** The effect that a block would have. */
  plan(block: MarketBlock): PlannedBlock {
    let digest = this.#digest;
    const replace = (former: bigint, next: bigint) => {
      digest += next - former;
    };
    const tokens = new Map(block.tokens.map((token) => [token.address, token]));
    for (const [address, token] of tokens) {
      const former = this.tokens.get(address);
      replace(former === undefined ? 0n : tokenDigest(former), tokenDigest(token));
    }
    const supplies = new Map(block.supplies.map((each) => [each.token, each.totalSupply]));
    for (const [token, supply] of supplies) {
      replace(supplyDigest(token, this.supplies.get(token)), supplyDigest(token, supply));
    }
    const pools = this.#poolsAfter(block);
    for (const [address, pool] of pools) {
      replace(this.pools.get(address)?.digest ?? 0n, pool?.digest ?? 0n);
    }
    const { excludedFromTransit: excluded, stamp } = block;
    if (excluded !== undefined) {
      replace(exclusionsDigest(this.#excluded), exclusionsDigest(excluded));
    }
    const { number, hash } = stamp;
    return { block, pools, point: { number, hash, digest: BigInt.asUintN(DIGEST_BITS, digest) } };
  }

  /** Applies the plan made last. */
  commit({ block, pools, point }: PlannedBlock): void {
    for (const dex of block.dexes) if (!this.dexes.has(dex.id)) this.dexes.set(dex.id, dex);
    for (const token of block.tokens) this.tokens.set(token.address, token);
    for (const { token, totalSupply } of block.supplies) {
      if (totalSupply === undefined) this.supplies.delete(token);
      else this.supplies.set(token, totalSupply);
    }
    const removed = new Set(block.removedPools);
    for (const [address, pool] of pools) {
      // A pool that was removed and added again comes last.
      if (pool === undefined || removed.has(address)) this.pools.delete(address);
      if (pool !== undefined) this.pools.set(address, pool);
    }
    this.#excluded = block.excludedFromTransit ?? this.#excluded;
    this.#advance(block);
    this.#digest = point.digest;
  }

  /** A copy of the current content that nothing changes. */
  frozen(): ReplicaContent & Pick<MarketReplica, "notes" | "history"> {
    return {
      stamp: this.#stamp,
      digest: this.#digest,
      line: [...this.#line],
      dexes: new Map(this.dexes),
      tokens: new Map(this.tokens),
      supplies: new Map(this.supplies),
      pools: new Map(this.pools),
      excluded: this.#excluded,
      notes: new Map(this.notes),
      history: this.history,
    };
  }

  /** Sets the blocks before the current one, where they did not arrive as blocks. */
  rememberLine(line: ReadonlyArray<BlockStamp>): void {
    this.#line = line.slice(-LINE_MAX);
  }

  #advance({ stamp, orphaned = [], history = [] }: MarketBlock): void {
    if (orphaned.length > 0) {
      const gone = new Set<string>(orphaned);
      this.#line = this.#line.filter(({ hash }) => !gone.has(hash));
    }
    if (this.#line.at(-1)?.hash !== stamp.hash) this.#line.push(stamp);
    // A reorganisation has to revert their swaps too.
    for (const past of history) this.#insert(past.stamp);
    if (this.#line.length > LINE_MAX) this.#line = this.#line.slice(-LINE_MAX);
    this.#stamp = stamp;
  }

  /** Adds a block to the line, unless it is older than the line reaches. */
  #insert(stamp: BlockStamp): void {
    const before = this.#line.findLastIndex(({ number }) => number <= stamp.number);
    const isOld = before < 0 && this.#line.length >= LINE_MAX;
    if (isOld || this.#line[before]?.hash === stamp.hash) return;
    this.#line.splice(before + 1, 0, stamp);
  }

  #poolsAfter(block: MarketBlock): Map<Address, PoolRecord | undefined> {
    const pools = new Map<Address, PoolRecord | undefined>();
    const now = (address: Address) =>
      pools.has(address) ? pools.get(address) : this.pools.get(address);
    for (const address of block.removedPools) {
      if (now(address) !== undefined) pools.set(address, undefined);
    }
    for (const listing of block.pools) {
      // The market keeps its former listing.
      if (now(listing.address) === undefined) pools.set(listing.address, recordOf(listing));
    }
    for (const { pool: address, state } of block.states) {
      const pool = now(address);
      if (pool === undefined) continue;
      const { words, book = pool.book } = state;
      const digest = book === pool.book ? pool.bookDigest : bookDigest(book);
      pools.set(address, {
        ...{ ...pool, words, book, bookDigest: digest },
        digest: poolDigest(pool.listingText, words, digest),
      });
    }
    return pools;
  }
}

/** A pool without a state. */
function recordOf(listing: PoolListing): PoolRecord {
  const text = listingText(listing);
  const [words, digest] = [new BigUint64Array(0), bookDigest(NO_BOOK)];
  return {
    ...{ listing, listingText: text, words, book: NO_BOOK, bookDigest: digest },
    digest: poolDigest(text, words, digest),
  };
}
