import { type MarketToken, toUnits } from "../market/Market.ts";
import type { DexCode } from "../market/networks.ts";
import type { SeededRandom } from "../market/random.ts";
import type { Spot } from "./makeSpots.ts";

/** Random numbers for a trader's decisions. */
export interface TradeRandom extends SeededRandom {
  /** Whether all trades are small relative to the pools. */
  readonly isOrderly: boolean;
}

/** Pools in sequence, and the tokens between them: one more than pools. */
export interface Route {
  readonly spots: ReadonlyArray<Spot>;
  readonly tokens: ReadonlyArray<MarketToken>;
}

/** A random route over at most so many pools of one DEX; no token comes twice. */
export function pickRoute(
  spots: ReadonlyArray<Spot>,
  dexCode: DexCode,
  maxHops: number,
  random: SeededRandom,
): Route | undefined {
  const choices = spots.filter(({ pool }) => pool.dexCode === dexCode);
  if (choices.length === 0) return undefined;
  const first = random.pick(choices);
  const { token0, token1 } = first.pool;
  const route = random.chance(0.5)
    ? { spots: [first], tokens: [token0, token1] }
    : { spots: [first], tokens: [token1, token0] };
  const hops = 1 + random.index(maxHops);
  while (route.spots.length < hops) {
    const last = route.tokens.at(-1)!;
    const onward = choices.filter(({ pool }) => {
      const next = otherToken(pool, last);
      return next !== undefined && !route.tokens.includes(next);
    });
    if (onward.length === 0) break;
    const spot = random.pick(onward);
    route.spots.push(spot);
    route.tokens.push(otherToken(spot.pool, last)!);
  }
  return route;
}

/** The other token of a pool; undefined when the pool does not have this one. */
function otherToken({ token0, token1 }: Spot["pool"], token: MarketToken): MarketToken | undefined {
  if (token === token0) return token1;
  return token === token1 ? token0 : undefined;
}

/** A pool's reserves seen by a swap of this token: the one it adds to comes first. */
export const oriented = (
  { pool, reserve0, reserve1 }: Spot,
  tokenIn: MarketToken,
): readonly [bigint, bigint] =>
  pool.token0 === tokenIn ? [reserve0, reserve1] : [reserve1, reserve0];

/**
 * The same, for deciding how much to trade: a tenth of it at most. Positions around a price make
 * reserves many times larger than a pool's balances, and selling beyond them may multiply the
 * price.
 */
export function tradable(spot: Spot, tokenIn: MarketToken): readonly [bigint, bigint] {
  const { token0, token1, depthUsd } = spot.pool;
  const [reserveIn, reserveOut] = oriented(spot, tokenIn);
  const tokenOut = token0 === tokenIn ? token1 : token0;
  const held = (token: MarketToken) => toUnits((2 * depthUsd) / token.priceUsd, token);
  const least = (one: bigint, other: bigint) => (one < other ? one : other);
  return [least(reserveIn, held(tokenIn)), least(reserveOut, held(tokenOut))];
}

/**
 * A random input: mostly from a millionth to a fiftieth of the reserve, sometimes dust, or enough
 * to move the price by a fifth. Orderly traffic takes a five-hundredth at most.
 */
export function pickAmount(reserve: bigint, random: TradeRandom): bigint {
  if (random.isOrderly) return partOf(reserve, random.betweenMagnitudes(2e-5, 0.002));
  const kind = random.next();
  if (kind < 0.04) return BigInt(1 + random.index(1_000));
  const [low, high] = kind < 0.07 ? [0.02, 0.1] : [1e-6, 0.02];
  return partOf(reserve, random.betweenMagnitudes(low, high));
}

function partOf(reserve: bigint, share: number): bigint {
  const amount = (reserve * BigInt(Math.ceil(share * 1e12))) / 10n ** 12n;
  return amount === 0n ? 1n : amount;
}
