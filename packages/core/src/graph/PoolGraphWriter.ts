import type { Curve, PoolFamily, PoolSwap } from "../Curve.ts";
import { Adjacency } from "./Adjacency.ts";
import type { AppliedBlock, RejectedChange } from "./AppliedBlock.ts";
import { ADDRESS_BYTES, type Address, parseAddress } from "./address.ts";
import { storeBook } from "./books.ts";
import { grown } from "./buffers.ts";
import { LeadingPieces } from "./LeadingPieces.ts";
import type { MarketBlock, TokenListing } from "./MarketBlock.ts";
import {
  CONSTANTS_MAX,
  type Dex,
  NO_CONSTANTS,
  POOL_TOKENS_MAX,
  POOL_TOKENS_MIN,
  type PoolGraph,
  type PoolIndex,
  type PoolListing,
  type PoolState,
  type TokenIndex,
} from "./PoolGraph.ts";
import { PoolRows } from "./PoolRows.ts";
import { SearchBounds } from "./SearchBounds.ts";
import { stateProblem } from "./stateProblem.ts";
import { TransitExclusions } from "./TransitExclusions.ts";
import { writing } from "./writeSequence.ts";

/**
 * The only writer of a graph. It checks all input. It leaves out what is impossible, and names it.
 * It empties a pool whose new state is impossible: better no quote than a wrong one.
 */
export class PoolGraphWriter {
  readonly #graph: PoolGraph;
  readonly #curves: ReadonlyArray<Curve>;
  readonly #dexById = new Map<string, number>();
  readonly #rows: PoolRows;
  readonly #exclusions: TransitExclusions;
  #topologyChanged = false;
  /** Pools that the block adds. */
  #newPools: PoolIndex[] = [];
  /** Whether the block removes pools. */
  #poolsWent = false;
  readonly #adjacency: Adjacency;
  readonly #pieces: LeadingPieces;
  readonly #bounds: SearchBounds;
  #rejected: RejectedChange[] = [];

  /**
   * `curves` and `families` go with `graph.curveNames`, index by index. The writer continues from
   * what the graph already holds, from a snapshot.
   */
  constructor(graph: PoolGraph, curves: ReadonlyArray<Curve>, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#curves = curves;
    this.#rows = new PoolRows(graph);
    this.#exclusions = new TransitExclusions(graph);
    this.#adjacency = new Adjacency(graph);
    this.#pieces = new LeadingPieces(graph, families);
    this.#bounds = new SearchBounds(graph, families);
    graph.dexes.forEach(({ id }, index) => {
      this.#dexById.set(id, index);
    });
    this.#rebuildTopology();
  }

  /** Applies a block in one synchronous step: readers of this thread see all of it or nothing. */
  applyBlock(block: MarketBlock): AppliedBlock {
    return writing(this.#graph, () => {
      const applied = this.#apply(block);
      this.#bounds.tightenNow();
      return applied;
    });
  }

  /**
   * The same, in time proportional to the block's own pools and the lists of new ones, if no pool
   * left and few came. The bounds of the search are then true, but loose: `tightenBounds` should
   * follow.
   */
  applyChanges(block: MarketBlock): AppliedBlock {
    return writing(this.#graph, () => this.#apply(block));
  }

  get areBoundsLoose(): boolean {
    return this.#bounds.areLoose;
  }

  /** Makes bounds tight in slices, between which blocks may come. Run only one at a time. */
  tightenBounds(): Generator<void> {
    return this.#bounds.tighten();
  }

  #apply(block: MarketBlock): AppliedBlock {
    const graph = this.#graph;
    this.#topologyChanged = false;
    this.#newPools = [];
    this.#poolsWent = false;
    this.#rejected = [];
    for (const dex of block.dexes) this.#addDex(dex);
    for (const token of block.tokens) this.#addToken(token);
    for (const address of block.removedPools) this.#removePool(address);
    for (const pool of block.pools) this.#addPool(pool);
    const changedPools: PoolIndex[] = [];
    for (const { pool: address, state } of block.states) {
      const pool = graph.findPool(address);
      if (pool === undefined) {
        this.#reject("state", address, "unknown pool");
      } else {
        this.#setState(pool, state, block.stamp.number);
        changedPools.push(pool);
      }
    }
    if (this.#topologyChanged && !this.#extendTopology()) {
      this.#rebuildTopology();
    } else {
      for (const pool of changedPools) {
        this.#pieces.write(pool);
        this.#bounds.take(pool);
        this.#bounds.raise(pool);
      }
    }
    graph.stamp = block.stamp;
    graph.version++;
    return {
      stamp: block.stamp,
      changedPools,
      topologyChanged: this.#topologyChanged,
      rejected: this.#rejected,
      block,
    };
  }

  /** Writes the state after a swap; the caller ensures that it is not stale. */
  applySwap(swap: PoolSwap): void {
    writing(this.#graph, () => {
      this.#writeWords(swap.pool, swap.state.words);
      this.#pieces.write(swap.pool);
      this.#bounds.take(swap.pool);
      this.#bounds.raise(swap.pool);
      this.#graph.version++;
    });
  }

  /** See `Engine.excludeFromTransit`. */
  excludeFromTransit(tokens: ReadonlySet<Address>): void {
    if (!this.#exclusions.replace(tokens).changesMarks) return;
    writing(this.#graph, () => {
      if (this.#exclusions.mark().changesTransits) this.#rebuildTopology();
      this.#graph.exclusionsVersion++;
      this.#graph.version++;
    });
  }

  /** Adds new pools and tokens to the existing lists; false where that needs a new layout. */
  #extendTopology(): boolean {
    const pools = this.#newPools;
    const isFew = pools.length <= NEW_POOLS_MAX && !this.#poolsWent;
    if (!isFew || this.#adjacency.isSparse) return false;
    this.#exclusions.markNew();
    const extended = this.#adjacency.extend(pools);
    this.#pieces.reserve();
    for (const pool of pools) this.#pieces.write(pool);
    this.#graph.topologyVersion++;
    this.#bounds.extend(pools, extended);
    return true;
  }

  #rebuildTopology(): void {
    this.#exclusions.mark(); // tokens may have come
    this.#pieces.moveWith(() => this.#adjacency.rebuild());
    this.#graph.topologyVersion++;
    this.#bounds.rebuild();
  }

  #reject(what: RejectedChange["what"], address: string, reason: string): void {
    this.#rejected.push({ what, address, reason });
  }

  #addDex(dex: Dex): void {
    const graph = this.#graph;
    if (this.#dexById.has(dex.id)) return;
    this.#dexById.set(dex.id, graph.dexes.length);
    graph.dexes.push(dex);
  }

  #addToken(token: TokenListing): void {
    const graph = this.#graph;
    if (!Number.isInteger(token.decimals) || token.decimals < 0 || token.decimals > 255) {
      return this.#reject("token", token.address, `impossible decimals ${token.decimals}`);
    }
    const index = graph.tokenCount;
    graph.tokenAddresses = grown(Uint8Array, graph.tokenAddresses, (index + 1) * ADDRESS_BYTES);
    if (!parseAddress(token.address, graph.tokenAddresses, index * ADDRESS_BYTES)) {
      return this.#reject("token", token.address, "not an address");
    }
    const known = graph.findToken(token.address);
    if (known !== undefined) {
      if (graph.tokenDecimals[known] === token.decimals) return;
      graph.tokenDecimals[known] = token.decimals;
      this.#topologyChanged = true; // readers keep copies
      return;
    }
    graph.tokenDecimals = grown(Uint8Array, graph.tokenDecimals, index + 1);
    graph.tokenDecimals[index] = token.decimals;
    graph.tokenByAddress.add(graph.tokenAddresses, index);
    graph.tokenCount++;
    this.#topologyChanged = true; // lists are indexed by token
  }

  #addPool(listing: PoolListing): void {
    const graph = this.#graph;
    const dex = this.#dexById.get(listing.dexId);
    if (dex === undefined)
      return this.#reject("pool", listing.address, `no DEX '${listing.dexId}'`);
    const curveName = listing.curve ?? graph.dexes[dex]!.protocol;
    const curveIndex = graph.curveNames.indexOf(curveName);
    const curve = this.#curves[curveIndex];
    if (curve === undefined)
      return this.#reject("pool", listing.address, `no curve '${curveName}'`);
    const tokens = this.#poolTokens(listing);
    if (tokens === undefined) return;
    const constants = listing.constants ?? NO_CONSTANTS;
    const problem =
      constants.length > CONSTANTS_MAX
        ? `${constants.length} words of constants`
        : curve.check({ ...listing, constants, decimals: this.#decimalsOf(tokens) }, undefined);
    if (problem !== undefined) return this.#reject("pool", listing.address, problem);
    if (graph.findPool(listing.address) !== undefined) {
      return this.#reject("pool", listing.address, "listed twice");
    }

    const stateWords = curve.stateWords(tokens.length);
    const room = { constants: constants.length, stateWords };
    const pool = this.#rows.take(room, tokens.length);
    if (!parseAddress(listing.address, graph.poolAddresses, pool * ADDRESS_BYTES)) {
      this.#rows.leave(pool, room);
      return this.#reject("pool", listing.address, "not an address");
    }
    graph.poolByAddress.add(graph.poolAddresses, pool);
    graph.poolCurve[pool] = curveIndex;
    graph.poolDex[pool] = dex;
    graph.poolFeePips[pool] = listing.feePips;
    graph.poolParameter[pool] = listing.parameter;
    graph.poolTokenCount[pool] = tokens.length;
    graph.poolTokens.set(tokens, graph.poolTokenStart[pool]!);
    graph.poolConstantCount[pool] = constants.length;
    graph.constantWords.set(constants, graph.poolConstantStart[pool]!);
    graph.poolVersion[pool]!++;
    graph.livePoolCount++;
    this.#newPools.push(pool as PoolIndex);
    this.#topologyChanged = true;
  }

  /** The indexes of a listing's tokens; undefined, and rejected, when they cannot be a pool's. */
  #poolTokens(listing: PoolListing): TokenIndex[] | undefined {
    const { address, tokens } = listing;
    if (tokens.length < POOL_TOKENS_MIN || tokens.length > POOL_TOKENS_MAX) {
      this.#reject("pool", address, `${tokens.length} tokens`);
      return undefined;
    }
    const indexes: TokenIndex[] = [];
    for (const token of tokens) {
      const index = this.#graph.findToken(token);
      if (index === undefined || indexes.includes(index)) {
        this.#reject(
          "pool",
          address,
          index === undefined ? `unknown token ${token}` : "a token twice",
        );
        return undefined;
      }
      indexes.push(index);
    }
    return indexes;
  }

  #decimalsOf(tokens: ReadonlyArray<TokenIndex>): number[] {
    return tokens.map((token) => this.#graph.tokenDecimals[token]!);
  }

  #removePool(address: string): void {
    const graph = this.#graph;
    const pool = graph.findPool(address);
    if (pool === undefined) return this.#reject("removal", address, "unknown pool");
    graph.poolByAddress.remove(graph.poolAddresses, pool);
    const curve = this.#curves[graph.poolCurve[pool]!]!;
    const stateWords = curve.stateWords(graph.poolTokenCount[pool]!);
    this.#rows.leave(pool, { constants: graph.poolConstantCount[pool]!, stateWords });
    graph.poolTokenCount[pool] = 0;
    graph.poolBookLength[pool] = 0;
    graph.poolVersion[pool]!++;
    graph.livePoolCount--;
    this.#poolsWent = true;
    this.#topologyChanged = true;
  }

  #setState(pool: PoolIndex, state: PoolState, blockNumber: number): void {
    const graph = this.#graph;
    const curve = this.#curves[graph.poolCurve[pool]!]!;
    const problem = stateProblem(graph, curve, pool, state);
    graph.poolUpdatedBlock[pool] = blockNumber;
    if (problem !== undefined) {
      this.#reject("state", graph.poolAddress(pool), problem);
      graph.poolBookLength[pool] = 0;
      this.#writeWords(pool, new BigUint64Array(curve.stateWords(graph.poolTokenCount[pool]!)));
      return;
    }
    // The words last: they raise the pool's version, on which caches depend.
    if (state.book !== undefined) storeBook(graph, pool, state.book);
    this.#writeWords(pool, state.words);
  }

  #writeWords(pool: PoolIndex, words: BigUint64Array): void {
    this.#graph.stateWords.set(words, this.#graph.poolStateStart[pool]!);
    this.#graph.poolVersion[pool]!++;
  }
}

/** With more new pools in one block, all lists are laid out anew. */
const NEW_POOLS_MAX = 64;
