import type { Address, PoolListing } from "@millrace/core";
import type { Admission } from "../ChainOptions.ts";

/** What a shallow read gives of a pool. */
export interface ShallowReading {
  readonly listing: PoolListing;
  /** By position of the tokens; undefined when the pool has no price. */
  readonly reserves: ReadonlyArray<bigint> | undefined;
}

/** Of one reserve of an x·y = k pool, what moves its price by 2 %. */
const DEPTH_SHARE = 1 / Math.sqrt(0.98) - 1;

/** What tokens are worth that are no anchors. */
export type AnchoredPrices = ReadonlyMap<Address, AnchoredPrice>;

interface AnchoredPrice {
  /** US dollars that the smallest unit is worth. */
  readonly unitUsd: number;
  /** Depth of the pool that says so: nothing valued by it counts for more. */
  readonly depthUsd: number;
}

export interface AnchorDepths {
  /** In the order of the pools, in US dollars; 0 where it is unknown. */
  readonly depths: ReadonlyArray<number>;
  readonly prices: AnchoredPrices;
}

/**
 * What it takes to move each pool's price by 2 %. A pool with an anchor has the depth of that side,
 * of the smaller one when both are anchors. Others are valued by the price that the deepest pool
 * with an anchor has for their tokens, if it is above the floor, and count for no more than that
 * pool does: no price is made by a pool that is not itself worth something. When only some pools
 * are looked at, `known` are the prices that others gave before.
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

/** The depth of the smaller of the sides that have a price; undefined when none has. */
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

/** Prices of tokens that are no anchors, each by the deepest pool that joins it with one. */
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
