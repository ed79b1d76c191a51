import type { PoolFamily, PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";
import type { Anchor } from "@millrace/market";

/** A price as in `PriceView`, and its place in the order in which prices were settled. */
export interface PlainPrice {
  readonly priceUsd: number;
  readonly depthUsd: number;
  readonly confidence: number;
  /** Infinity without a price. */
  readonly place: number;
}

const UNPRICED: PlainPrice = {
  ...{ priceUsd: 0, depthUsd: 0, confidence: 0 },
  place: Number.POSITIVE_INFINITY,
};

/** The largest price of one whole token; a larger one counts as none. */
const PRICE_USD_MAX = 1e15;

interface Say {
  readonly from: number;
  readonly pool: number;
  readonly usd: number;
  weight: number;
}

/**
 * Prices of a whole market in the plainest way: rescans all tokens for each settled one, directly
 * from the pools' states. Index: token.
 */
export function plainPrices(
  graph: PoolGraph,
  familyOf: (pool: PoolIndex) => PoolFamily,
  anchors: ReadonlyArray<Anchor>,
  floorUsd: number,
): PlainPrice[] {
  const { tokenCount } = graph;
  const poolsOf: PoolIndex[][] = Array.from({ length: tokenCount }, () => []);
  for (let pool = 0 as PoolIndex; pool < graph.poolCount; pool++) {
    for (const token of tokensOf(pool)) poolsOf[token]!.push(pool);
  }
  const widths: number[] = Array(tokenCount).fill(0);
  const widestFrom: Array<number | undefined> = Array(tokenCount).fill(undefined);
  const units: number[] = Array(tokenCount).fill(0);
  const prices: PlainPrice[] = Array(tokenCount).fill(UNPRICED);
  const settled: number[] = [];
  const isSettled: boolean[] = Array(tokenCount).fill(false);
  const anchorsUsd = new Map(
    anchors.map(({ address, priceUsd }) => [graph.findToken(address)!, priceUsd]),
  );
  for (const anchor of anchorsUsd.keys()) widths[anchor] = Number.POSITIVE_INFINITY;
  for (;;) {
    let next = -1;
    for (let token = 0; token < tokenCount; token++) {
      if (!isSettled[token] && isNext(token, next)) next = token;
    }
    if (next < 0) return prices;
    settle(next as TokenIndex);
  }

  /** The widest token; among equals the lower address. */
  function isNext(token: number, best: number): boolean {
    if (best < 0) return widths[token]! > 0;
    if (widths[token] !== widths[best]) return widths[token]! > widths[best]!;
    return graph.tokenAddress(token as TokenIndex) < graph.tokenAddress(best as TokenIndex);
  }

  function settle(token: TokenIndex): void {
    const place = settled.length;
    const scale = 10 ** graph.tokenDecimals[token]!;
    const anchorUsd = anchorsUsd.get(token);
    if (anchorUsd !== undefined) {
      units[token] = anchorUsd / scale;
      prices[token] = { priceUsd: anchorUsd, depthUsd: 0, confidence: 1, place };
    } else {
      const heard = saysOf(
        token,
        (other) => isSettled[other]! && widths[other]! * 0.9 >= widths[token]!,
      );
      const says = share(onePool(heard.sort((a, b) => a.usd - b.usd || a.pool - b.pool)));
      const total = says.reduce((sum, { weight }) => sum + weight, 0);
      let below = 0;
      const median = says.find(({ weight }) => {
        below += weight;
        return 2 * below >= total;
      })!;
      const inAgreement = says.filter(({ usd }) => Math.abs(usd / median.usd - 1) <= 0.02);
      const agreeing = inAgreement.reduce((sum, { weight }) => sum + weight, 0);
      const trusted = inAgreement.reduce(
        (sum, { from, weight }) => sum + weight * prices[from]!.confidence,
        0,
      );
      units[token] = median.usd;
      const confidence = ((trusted / total) * agreeing) / (agreeing + floorUsd);
      prices[token] = { priceUsd: median.usd * scale, depthUsd: agreeing, confidence, place };
    }
    isSettled[token] = true;
    settled.push(token);
    for (const other of new Set(poolsOf[token]!.flatMap(tokensOf))) {
      if (isSettled[other]) continue;
      for (const { weight } of saysOf(other, (from) => from === token)) {
        if (weight <= widths[other]!) continue;
        widths[other] = weight;
        widestFrom[other] = token;
      }
    }
  }

  function saysOf(token: TokenIndex, isHeard: (from: number) => boolean): Say[] {
    const says: Say[] = [];
    for (const pool of poolsOf[token]!) {
      const own = graph.poolPosition(pool, token);
      for (const [position, from] of tokensOf(pool).entries()) {
        if (position === own || !isHeard(from)) continue;
        const family = familyOf(pool);
        const mid = family.midPrice(pool, own, position);
        const paid = family.depth(pool, own, position) * mid * 0.98;
        const depthUsd = Math.min(family.depth(pool, position, own), paid) * units[from]!;
        const weight = Math.min(depthUsd, 0.9 * widths[from]!);
        if (!(weight > 0 && weight >= floorUsd)) continue;
        const usd = mid * units[from]!;
        if (!(usd * 10 ** graph.tokenDecimals[token]! <= PRICE_USD_MAX)) continue;
        says.push({ from, pool, usd, weight });
      }
    }
    return says;
  }

  function tokensOf(pool: PoolIndex): TokenIndex[] {
    const count = graph.poolTokenCount[pool]!;
    return Array.from({ length: count }, (_, position) => graph.poolToken(pool, position));
  }

  /** One pool's votes through several tokens together weigh no more than its heaviest one. */
  function onePool(says: Say[]): Say[] {
    return says.map((say) => {
      const weights = says.filter(({ pool }) => pool === say.pool).map(({ weight }) => weight);
      const all = weights.reduce((sum, weight) => sum + weight, 0);
      return {
        ...say,
        weight: weights.length > 1 ? say.weight * (Math.max(...weights) / all) : say.weight,
      };
    });
  }

  /** All votes through one token together weigh no more than that token's own width. */
  function share(says: Say[]): Say[] {
    const inflow = new Map<number, number>();
    const add = (token: number, usd: number) => inflow.set(token, (inflow.get(token) ?? 0) + usd);
    for (const { from, weight } of says) add(from, weight);
    for (const token of settled.toReversed()) {
      const before = widestFrom[token];
      const flow = inflow.get(token);
      if (flow !== undefined && before !== undefined) add(before, Math.min(flow, widths[token]!));
    }
    for (const say of says) {
      for (let at: number | undefined = say.from; at !== undefined; at = widestFrom[at]) {
        say.weight *= Math.min(1, widths[at]! / inflow.get(at)!);
      }
    }
    return says;
  }
}
