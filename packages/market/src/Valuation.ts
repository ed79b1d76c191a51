import { type BlockStamp, NO_HASH, type TokenIndex } from "@millrace/core";
import type { Catalogue } from "./Catalogue.ts";
import { enlarged } from "./enlarged.ts";
import type { Topology } from "./Topology.ts";

export const UNSETTLED = -1;

/**
 * What one block's market is worth. Two of these take turns: one is read while the next is filled.
 * `settlePrices` fills the tokens' prices, `valueLiquidity` the liquidity.
 */
export class Valuation {
  stamp: BlockStamp = { number: 0, hash: NO_HASH, timestampMs: 0 };
  topology!: Topology;
  catalogue!: Catalogue;

  // -- tokens; index: token ------------------------------------------------------------------
  /** US dollars of one smallest unit, and of one whole token; 0 when unpriced. */
  unitPriceUsd = new Float64Array(0);
  priceUsd = new Float64Array(0);
  /** The widest path from an anchor: dollars that its thinnest pool takes to move. */
  widthUsd = new Float64Array(0);
  /** The neighbour before it on that path, or UNSETTLED for anchors and unpriced tokens. */
  widestFrom = new Int32Array(0);
  /** See `PriceView`. */
  depthUsd = new Float64Array(0);
  confidence = new Float64Array(0);
  /** The neighbour and the pool that the price was taken from, or UNSETTLED. */
  priceFrom = new Int32Array(0);
  pricePool = new Int32Array(0);
  /** Place in the order of settling, or UNSETTLED: the lower, the better it is backed. */
  settledAt = new Int32Array(0);
  tokenLiquidityUsd = new Float64Array(0);

  // -- index: place in the order of settling --------------------------------------------------
  settled = new Uint32Array(0);
  settledCount = 0;

  // -- pools; index: pool --------------------------------------------------------------------
  poolLiquidityUsd = new Float64Array(0);

  /** Index: token. Its place in the order of liquidity, the most liquid first. */
  liquidityRank = new Uint32Array(0);
  /** Kept by `Valuer.routable`. */
  routable: ReadonlyArray<TokenIndex> | undefined;
  /** Sorted indexes of this block, by list and sort: see `lists.ts`. */
  readonly orders = new Map<string, Uint32Array>();

  /** Empties it for another block. */
  begin(topology: Topology, catalogue: Catalogue, stamp: BlockStamp): void {
    const { tokenCount, poolCount } = topology;
    this.stamp = stamp;
    this.topology = topology;
    this.catalogue = catalogue;
    this.settledCount = 0;
    this.orders.clear();
    this.routable = undefined;
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
    this.poolLiquidityUsd = enlarged(this.poolLiquidityUsd, poolCount).fill(0);
  }

  rankByLiquidity(order: Uint32Array): void {
    this.liquidityRank = enlarged(this.liquidityRank, order.length);
    for (let place = 0; place < order.length; place++) this.liquidityRank[order[place]!] = place;
  }
}
