import type { Address, PoolListing } from "@millrace/core";
import type { Admission } from "../ChainOptions.ts";

/** The result of a shallow read of a pool. */
export interface ShallowReading {
  readonly listing: PoolListing;
  /** Virtual reserves by position in the pool; undefined when the pool has no price. */
  readonly reserves: ReadonlyArray<bigint> | undefined;
}

/** Share of a reserve of an x·y = k pool that moves its price by 2 %. */
const DEPTH_SHARE = 1 / Math.sqrt(0.98) - 1;

/** Prices of tokens that are not anchors. */
export type AnchoredPrices = ReadonlyMap<Address, AnchoredPrice>;

interface AnchoredPrice {
  /** Price of the smallest unit, in US dollars. */
  readonly unitUsd: number;
  /** Depth of the pool that gives the price: nothing valued by it counts for more. */
  readonly depthUsd: number;
}

export interface AnchorDepths {
  /** In the order of the pools, in US dollars; 0 where unknown. */
  readonly depths: ReadonlyArray<number>;
  readonly prices: AnchoredPrices;
}

/**
 * The input that moves each pool's price by 2 %, in US dollars. A pool with an anchor has the depth
 * of that side, or of the smaller side when both are anchors. Other pools are valued by the price
 * of their tokens in the deepest pool with an anchor, if that is above the floor, and count for no
 * more than that pool: a pool that is itself worth nothing makes no price. When only some pools are
 * measured, `known` are the prices that others gave before.
 */
export function anchorDepths(
  admission: Admission,
  pools: ReadonlyArray<ShallowReading>,
  known: AnchoredPrices = new Map(),
): AnchorDepths {
  const anchors: AnchoredPrices = new Map(
    admission.anchors.map(({ address, decimals, priceUsd }) => [
      address.toLowerCase() as Address,
      { unitUsd: priceUsd / 10 ** decimals, depthUsd: Number.POSITIVE_INFINITY },
    ]),
  );
  const anchored = pools.map((pool) => depthAt(anchors, pool));
  const prices = pricesBy(anchors, admission.depthFloorUsd, pools, anchored, known);
  const depths = anchored.map((depth, index) => depth ?? depthAt(prices, pools[index]!) ?? 0);
  return { depths, prices };
}

/** The depth of the smaller of the priced sides; undefined when no side has a price. */
function depthAt(
  prices: AnchoredPrices,
  { listing, reserves }: ShallowReading,
): number | undefined {
  if (reserves === undefined) return undefined;
  let least: number | undefined;
  for (const [position, token] of listing.tokens.entries()) {
    const price = prices.get(token);
    const reserve = reserves[position];
    if (price === undefined || reserve === undefined) continue;
    const depth = Math.min(Number(reserve) * DEPTH_SHARE * price.unitUsd, price.depthUsd);
    least = Math.min(least ?? depth, depth);
  }
  return least;
}

/**
 * Prices of tokens that are not anchors, each from the deepest pool that joins it with an anchor.
 */
function pricesBy(
  anchors: AnchoredPrices,
  floorUsd: number,
  pools: ReadonlyArray<ShallowReading>,
  depths: ReadonlyArray<number | undefined>,
  known: AnchoredPrices,
): AnchoredPrices {
  const prices = new Map(known);
  for (const [index, { listing, reserves }] of pools.entries()) {
    const depthUsd = depths[index];
    if (depthUsd === undefined || depthUsd < floorUsd || reserves === undefined) continue;
    const anchorAt = listing.tokens.findIndex((token) => anchors.has(token));
    const worth = Number(reserves[anchorAt]) * anchors.get(listing.tokens[anchorAt]!)!.unitUsd;
    for (const [position, token] of listing.tokens.entries()) {
      const reserve = Number(reserves[position]);
      if (anchors.has(token) || !(reserve > 0)) continue;
      if (depthUsd <= (prices.get(token)?.depthUsd ?? 0)) continue;
      prices.set(token, { unitUsd: worth / reserve, depthUsd });
    }
  }
  return prices;
}
