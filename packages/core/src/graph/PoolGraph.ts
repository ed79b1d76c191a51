import { AddressIndex } from "./AddressIndex.ts";
import { ADDRESS_BYTES, type Address, formatAddress, parseAddress } from "./address.ts";
import { allocate } from "./buffers.ts";
import { decodePoolId, isPoolId, POOL_ID_WORDS, type PoolId, poolKey } from "./poolId.ts";

/** A token's dense index in one graph. */
export type TokenIndex = number & { readonly TokenIndex: unique symbol };

/** A pool's dense index in one graph. */
export type PoolIndex = number & { readonly PoolIndex: unique symbol };

/**
 * A place among a pool's tokens, counted from 0: Uniswap's token0 is at 0. The type accepts any
 * number that is not an index of the graph.
 */
export type TokenPosition = number & {
  readonly TokenIndex?: never;
  readonly PoolIndex?: never;
};

/** `zeroForOne` of Uniswap's contracts: whether a swap with this token in sells token0. */
export const isZeroForOne = (positionIn: TokenPosition): boolean => positionIn === 0;

/** The block that the whole graph shows. A source without hashes gives 32 zero bytes. */
export interface BlockStamp {
  readonly number: number;
  readonly hash: `0x${string}`;
  readonly timestampMs: number;
}

/** A DEX: a factory and the protocol of its pools. */
export interface Dex {
  /** Upper case, such as `UNISWAP_V3`. */
  readonly id: string;
  readonly name: string;
  /** The protocol of its pools: how they appear on a chain and in transactions. */
  readonly protocol: string;
  readonly factory: Address;
}

/** Everything about a pool that never changes. */
export interface PoolListing {
  /** Its contract, or the key of a longer id (`poolKey`). */
  readonly address: Address;
  readonly dexId: string;
  /** `Curve.name` of its curve; may be left out where the DEX's protocol has the same name. */
  readonly curve?: string;
  /** Two to eight distinct tokens, in the pool's own order. */
  readonly tokens: ReadonlyArray<Address>;
  /** In hundredths of a basis point, 3000 = 0.3 %; FEE_IN_STATE where the fee is in the state. */
  readonly feePips: number;
  /** One small number whose meaning the curve defines: a tick spacing, a rounding rule. */
  readonly parameter: number;
  /**
   * All other constants: first what the curve reads, then what the protocol needs of the pool
   * later, and last the pool's id where that is longer than an address (`encodePoolId`). At most
   * CONSTANTS_MAX words.
   */
  readonly constants?: BigUint64Array;
}

/** The `feePips` of a pool whose fee may change and is part of its state. */
export const FEE_IN_STATE = 2 ** 32 - 1;

export const CONSTANTS_MAX = 255;

/** The constants of pools that need none. */
export const NO_CONSTANTS = new BigUint64Array(0);

/**
 * A pool's exact state, as its curve encodes it: `Curve.stateWords` words. Curves with a book
 * (ticks) add its sorted keys with BOOK_WORDS words each.
 */
export interface PoolState {
  readonly words: BigUint64Array;
  readonly book?: Book;
}

/** Ascending keys without repetition, with BOOK_WORDS words each. */
export interface Book {
  readonly keys: Int32Array;
  readonly words: BigInt64Array;
}

/** 64-bit words that a book keeps for each key: enough for an int128. */
export const BOOK_WORDS = 2;

export const POOL_TOKENS_MIN = 2;
export const POOL_TOKENS_MAX = 8;

/** Floats of a piece of an estimate: x, y, limit, bonus (see `PoolFamily.leadingPiece`). */
export const PIECE_STRIDE = 4;

/** Bounds of a transit in `PoolGraph.rankBounds`, and their places: see bounds.ts. */
export const RANK_STRIDE = 4;
export const INFLOW = 0;
export const UNUSUAL_INFLOW = 1;
export const SURPLUS = 2;
export const OUTFLOW = 3;

/** With so many addresses remembered, all are forgotten. */
const ASKED_TOKENS_MAX = 1_024;

/** The rank of a token that is not a transit. */
export const NO_RANK = 2 ** 32 - 1;

export const NO_HASH: `0x${string}` = `0x${"0".repeat(64)}`;

/**
 * The market of one chain at one block, in typed arrays. This is the read view: fields are public
 * so that the search reads the arrays directly; only `PoolGraphWriter` writes them.
 *
 * An *edge* is an ordered pair of tokens of a pool. A *slot* is a place in a token's adjacency
 * list: one for each pool and each other token of it. A slot of token t with neighbour u carries
 * the estimates of both edges, u → t and t → u, so that both directions of search read memory in
 * order.
 */
export class PoolGraph {
  readonly chainId: number;
  /** Curves by index; `poolCurve` holds indexes into it. */
  readonly curveNames: ReadonlyArray<string>;

  stamp: BlockStamp = { number: 0, hash: NO_HASH, timestampMs: 0 };
  /**
   * Grows by one whenever pools or tokens come or go, or the adjacency changes for another reason.
   */
  topologyVersion = 0;
  /** Grows by one with every applied block, and with every other change. */
  version = 0;
  /** Grows by one whenever potentials, and the bounds made with them, change. */
  boundsVersion = 0;
  /** Grows by one whenever the excluded tokens change. */
  exclusionsVersion = 0;
  /** One number, for readers in other threads; see `sequenceOf`. */
  readonly writeSequence = allocate(Int32Array, 1);

  // -- tokens; index: token ------------------------------------------------------------------
  tokenCount = 0;
  tokenAddresses = allocate(Uint8Array, 0); // stride ADDRESS_BYTES
  tokenDecimals = allocate(Uint8Array, 0);
  tokenIsExcluded = allocate(Uint8Array, 0); // 1: in the middle of no path (`excludeFromTransit`)
  readonly tokenByAddress: AddressIndex = new AddressIndex();
  /** Addresses of `findToken`, as they were written: most requests are for few tokens. */
  readonly askedTokens = new Map<string, TokenIndex>();

  // -- venues; index: DEX --------------------------------------------------------------------
  readonly dexes: Dex[] = [];

  // -- pools; index: pool. A removed pool keeps its index, with poolTokenCount 0, until reuse. --
  poolCount = 0;
  /** Pools in the market: `poolCount` without the removed pools. */
  livePoolCount = 0;
  poolAddresses = allocate(Uint8Array, 0); // stride ADDRESS_BYTES
  poolCurve = allocate(Uint8Array, 0); // index into curveNames
  poolDex = allocate(Uint16Array, 0); // index into dexes
  poolFeePips = allocate(Uint32Array, 0);
  poolParameter = allocate(Int32Array, 0);
  poolConstantStart = allocate(Uint32Array, 0); // first of its words in constantWords
  poolConstantCount = allocate(Uint8Array, 0);
  poolTokenCount = allocate(Uint8Array, 0);
  poolTokenStart = allocate(Uint32Array, 0); // first of its tokens in poolTokens
  poolStateStart = allocate(Uint32Array, 0); // first of its words in stateWords
  poolVersion = allocate(Uint32Array, 0); // grows with each change of the pool's state
  poolUpdatedBlock = allocate(Float64Array, 0); // number of the block that last changed its state
  poolBookStart = allocate(Uint32Array, 0); // first of its keys in bookKeys
  poolBookLength = allocate(Uint32Array, 0); // keys in use
  poolBookCapacity = allocate(Uint32Array, 0); // keys reserved
  poolSlotStart = allocate(Uint32Array, 0); // first of its n × (n − 1) entries in poolSlots
  readonly poolByAddress: AddressIndex = new AddressIndex();

  // -- arenas, indexed by the starts above -----------------------------------------------------
  poolTokens = allocate(Uint32Array, 0); // token, by position in the pool
  poolTokensLength = 0;
  stateWords = allocate(BigUint64Array, 0);
  stateWordsLength = 0;
  constantWords = allocate(BigUint64Array, 0); // never changed once written
  constantWordsLength = 0;
  bookKeys = allocate(Int32Array, 0);
  bookWords = allocate(BigInt64Array, 0); // stride BOOK_WORDS
  bookLength = 0;
  /**
   * Books that replace those of the arena: only in a graph of assumptions, never in the market's.
   */
  assumedBooks: ReadonlyMap<PoolIndex, Book> | undefined = undefined;

  // -- adjacency; index: slot. Lists have room between them, for pools that come (Adjacency.ts). --
  slotCount = 0; // slots of all lists
  slotsLength = 0; // with the room between them
  slotStart = allocate(Uint32Array, 0); // index: token; first slot of its list
  slotEnd = allocate(Uint32Array, 0); // index: token; end of its list
  slotTransitEnd = allocate(Uint32Array, 0); // index: token; end of its transit slots
  slotNeighbour = allocate(Uint32Array, 0); // token; ascending within both parts of a list
  slotRank = allocate(Uint32Array, 0); // the neighbour's rank; only where it is a transit
  slotPool = allocate(Uint32Array, 0);
  slotPositions = allocate(Uint8Array, 0); // own position in the pool × 8 + the neighbour's
  slotIn = allocate(Float64Array, 0); // leading piece of neighbour → own; stride PIECE_STRIDE
  slotOut = allocate(Float64Array, 0); // leading piece of own → neighbour; stride PIECE_STRIDE
  // The best rates of both edges, y / x of their pieces, for scans that need no more of most slots.
  slotRateIn = allocate(Float64Array, 0);
  slotRateOut = allocate(Float64Array, 0);
  // Slot of the ordered positions (i, j), i ≠ j, of a pool: see `poolSlot`. Indexed by
  // poolSlotStart.
  poolSlots = allocate(Uint32Array, 0);

  // -- transits: tokens that may stand in the middle of a path. Index: rank, dense, so that what a
  // search reads of each neighbour of a hub lies close together.
  // -----------------------------------
  transitCount = 0;
  tokenRank = allocate(Uint32Array, 0); // index: token; NO_RANK for all others
  rankPotential = allocate(Float64Array, 0); // tokenPotential
  rankBounds = allocate(Float64Array, 0); // stride RANK_STRIDE: see bounds.ts

  // -- bounds for the search (potentials.ts); index: token ---------------------------------------
  tokenPotential = allocate(Float64Array, 0);
  tokenPriceSlot = allocate(Uint32Array, 0); // the slot that prices the token
  tokenPriceOrder = allocate(Uint32Array, 0); // index: rank; each after the one that prices it
  /** Number of tokens with unusual edges (bounds.ts). */
  outlierCount = 0;
  outliers = allocate(Uint32Array, 0); // index: order of finding
  tokenIsOutlier = allocate(Uint8Array, 0); // 1: among the outliers
  /** The greatest bonus of any piece, in units of its input, and in value. */
  bonusMax = 0;
  bonusValueMax = 0;

  constructor(chainId: number, curveNames: ReadonlyArray<string>) {
    this.chainId = chainId;
    this.curveNames = curveNames;
  }

  /** The token at an address in any case; undefined for an unknown one or no address. */
  findToken(address: string): TokenIndex | undefined {
    const asked = this.askedTokens.get(address);
    if (asked !== undefined) return asked;
    if (!parseAddress(address, addressScratch)) return undefined;
    const index = this.tokenByAddress.find(this.tokenAddresses, addressScratch);
    if (index < 0) return undefined;
    if (this.askedTokens.size >= ASKED_TOKENS_MAX) this.askedTokens.clear();
    this.askedTokens.set(address, index as TokenIndex);
    return index as TokenIndex;
  }

  /**
   * The pool of an address, or of an id of 32 bytes, in any case; undefined when it is unknown or
   * neither.
   */
  findPool(id: string): PoolIndex | undefined {
    const isLong = isPoolId(id);
    if (!parseAddress(isLong ? poolKey(id as PoolId) : id, addressScratch)) return undefined;
    const index = this.poolByAddress.find(this.poolAddresses, addressScratch) as PoolIndex;
    if (index < 0 || (isLong && this.poolId(index) !== id.toLowerCase())) return undefined;
    return index;
  }

  /** Lower-case address of a token. */
  tokenAddress(token: TokenIndex): Address {
    return formatAddress(this.tokenAddresses, token * ADDRESS_BYTES);
  }

  /** Lower-case address by which the graph knows a pool: see `PoolListing.address`. */
  poolAddress(pool: PoolIndex): Address {
    return formatAddress(this.poolAddresses, pool * ADDRESS_BYTES);
  }

  /** The 32-byte id of a pool, in lower case; undefined where it has none. */
  poolId(pool: PoolIndex): PoolId | undefined {
    if (this.poolConstantCount[pool]! < POOL_ID_WORDS) return undefined;
    return decodePoolId(this.poolAddress(pool), this.poolConstants(pool));
  }

  /**
   * The contract that holds a pool: the pool itself, or its DEX's factory where it has a longer id.
   */
  poolContract(pool: PoolIndex): Address {
    if (this.poolId(pool) === undefined) return this.poolAddress(pool);
    return this.dexes[this.poolDex[pool]!]!.factory;
  }

  /** The token at a position of a pool. */
  poolToken(pool: PoolIndex, position: TokenPosition): TokenIndex {
    return this.poolTokens[this.poolTokenStart[pool]! + position]! as TokenIndex;
  }

  /** The position of a token in a pool, or -1. */
  poolPosition(pool: PoolIndex, token: TokenIndex): TokenPosition {
    const start = this.poolTokenStart[pool]!;
    for (let position = 0; position < this.poolTokenCount[pool]!; position++) {
      if (this.poolTokens[start + position] === token) return position;
    }
    return -1;
  }

  /** The slot in the list of the token at `own` whose neighbour is the token at `other`. */
  poolSlot(pool: PoolIndex, own: TokenPosition, other: TokenPosition): number {
    const column = other < own ? other : other - 1;
    return this.poolSlots[
      this.poolSlotStart[pool]! + own * (this.poolTokenCount[pool]! - 1) + column
    ]!;
  }

  /** A view of `PoolListing.constants`; valid until the graph changes. */
  poolConstants(pool: PoolIndex): BigUint64Array {
    const start = this.poolConstantStart[pool]!;
    return this.constantWords.subarray(start, start + this.poolConstantCount[pool]!);
  }

  /** True when the pool is in the market. */
  isLive(pool: PoolIndex): boolean {
    return pool < this.poolCount && this.poolTokenCount[pool]! > 0;
  }

  /** Bytes of all buffers. */
  get byteLength(): number {
    let bytes = 0;
    for (const value of Object.values(this))
      if (ArrayBuffer.isView(value)) bytes += value.byteLength;
    return bytes + this.tokenByAddress.byteLength + this.poolByAddress.byteLength;
  }
}

const addressScratch = new Uint8Array(ADDRESS_BYTES);
