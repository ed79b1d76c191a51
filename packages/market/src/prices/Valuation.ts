import { type BlockStamp, NO_HASH } from "@millrace/core";
import { enlarged } from "../enlarged.ts";
import type { Catalogue } from "../lists/Catalogue.ts";
import { ListSnapshot } from "../lists/ListSnapshot.ts";
import type { Ranking } from "../search/firstMatches.ts";
import type { SearchIndex } from "../search/SearchIndex.ts";
import { TokenHeap } from "./TokenHeap.ts";
import { type TokenPrices, UNSETTLED } from "./TokenPrices.ts";
import type { Topology } from "./Topology.ts";

/**
 * The value of one block's market. Two of these take turns: one is read while the next is filled.
 * `settlePrices` fills in the tokens' prices, `valueLiquidity` the liquidity.
 */
export class Valuation implements TokenPrices {
  stamp: BlockStamp = { number: 0, hash: NO_HASH, timestampMs: 0 };
  /** `graph.version` of that block. */
  graphVersion = -1;
  topology!: Topology;
  catalogue!: Catalogue;

  // -- tokens; index: token ------------------------------------------------------------------
  // As in `TokenPrices`.
  unitPriceUsd = new Float64Array(0);
  priceUsd = new Float64Array(0);
  widthUsd = new Float64Array(0);
  widestFrom = new Int32Array(0);
  depthUsd = new Float64Array(0);
  confidence = new Float64Array(0);
  priceFrom = new Int32Array(0);
  pricePool = new Int32Array(0);
  settledAt = new Int32Array(0);
  tokenLiquidityUsd = new Float64Array(0);
  /** The most liquid tokens first, ties by address. */
  byLiquidity: Ranking = { order: new Uint32Array(0), rank: new Uint32Array(0) };

  // Used by `valueLiquidity`: the value of a token in all pools, and the parts of its price that it
  // can be redeemed for and is credited with. Reused, so that blocks leave less garbage.
  lockedUsd = new Float64Array(0);
  redeemable = new Float64Array(0);
  credit = new Float64Array(0);
  /** Used by `settlePrices`. */
  readonly heap = new TokenHeap();

  // -- index: position in the order of settling --------------------------------------------------
  settled = new Uint32Array(0);
  settledCount = 0;

  // -- pools; index: pool --------------------------------------------------------------------
  poolLiquidityUsd = new Float64Array(0);

  /** The texts by which tokens of this block are found and sorted. */
  search!: SearchIndex;
  /** What lists of this block show beside the valuation. */
  listSnapshot = new ListSnapshot();

  /** Its topology, unless the other valuation has the same. */
  topologyUnlike(other: Valuation): Topology | undefined {
    return this.topology === other.topology ? undefined : this.topology;
  }

  /** Empties the valuation for another block. */
  begin(
    topology: Topology,
    catalogue: Catalogue,
    search: SearchIndex,
    stamp: BlockStamp,
    graphVersion: number,
  ): void {
    const { tokenCount, poolCount } = topology;
    this.stamp = stamp;
    this.graphVersion = graphVersion;
    this.topology = topology;
    this.catalogue = catalogue;
    this.search = search;
    this.settledCount = 0;
    this.unitPriceUsd = enlarged(this.unitPriceUsd, tokenCount).fill(0);
    this.priceUsd = enlarged(this.priceUsd, tokenCount).fill(0);
    this.widthUsd = enlarged(this.widthUsd, tokenCount).fill(0);
    this.depthUsd = enlarged(this.depthUsd, tokenCount).fill(0);
    this.confidence = enlarged(this.confidence, tokenCount).fill(0);
    this.widestFrom = enlarged(this.widestFrom, tokenCount).fill(UNSETTLED);
    this.priceFrom = enlarged(this.priceFrom, tokenCount).fill(UNSETTLED);
    this.pricePool = enlarged(this.pricePool, tokenCount).fill(UNSETTLED);
    this.settledAt = enlarged(this.settledAt, tokenCount).fill(UNSETTLED);
    this.settled = enlarged(this.settled, tokenCount);
    this.tokenLiquidityUsd = enlarged(this.tokenLiquidityUsd, tokenCount).fill(0);
    this.lockedUsd = enlarged(this.lockedUsd, tokenCount).fill(0);
    this.redeemable = enlarged(this.redeemable, tokenCount).fill(0);
    this.credit = enlarged(this.credit, tokenCount).fill(0);
    this.poolLiquidityUsd = enlarged(this.poolLiquidityUsd, poolCount).fill(0);
  }
}
