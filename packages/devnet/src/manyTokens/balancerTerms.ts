import type { Address } from "viem";
import { creationCode } from "../contracts/artifacts.ts";
import type { MarketToken } from "../market/Market.ts";
import type { SeededRandom } from "../market/random.ts";
import type { Ground } from "./ManyTokenHouse.ts";
import type { ManyTokenPool, PoolRate } from "./ManyTokenPool.ts";

/** Shared by the houses of both Balancer Vaults. */

/** By symbol; the weights add up to 1. */
export type Weights = Readonly<Record<string, number>>;

/** Rounded to hundredths of a per cent of 10^18, so that the contracts get an exact sum. */
export const weightsE18 = (
  tokens: ReadonlyArray<MarketToken>,
  weights: Weights,
): ReadonlyArray<bigint> =>
  tokens.map(({ symbol }) => BigInt(Math.round(weights[symbol]! * 1e4)) * 10n ** 14n);

/** Makes a rate provider for each of these tokens: what it is worth in one of the others. */
export function provideRates(
  { deployment }: Ground,
  tokens: ReadonlyArray<MarketToken>,
  rated: ReadonlyArray<string>,
): ReadonlyArray<PoolRate | undefined> {
  const isRated = ({ symbol }: MarketToken) => rated.includes(symbol);
  const measure = tokens.find((token) => !isRated(token))!;
  return tokens.map((token) => {
    if (!isRated(token)) return undefined;
    const rate = token.priceUsd / measure.priceUsd;
    const firstE18 = BigInt(Math.round(rate * 1e9)) * 10n ** 9n;
    const provider = deployment.create(creationCode("rateProvider"), "uint256", [firstE18]);
    return { provider, firstE18 };
  });
}

/** A rate a little above the first one, for one of the tokens that have rates. */
export function pickRate(
  { rates = [] }: ManyTokenPool,
  random: SeededRandom,
): { readonly provider: Address; readonly rateE18: bigint } | undefined {
  const known = rates.filter((rate) => rate !== undefined);
  if (known.length === 0) return undefined;
  const { provider, firstE18 } = random.pick(known);
  const grown = BigInt(Math.floor(random.next() * 2e6));
  return { provider, rateE18: firstE18 + (firstE18 * grown) / 10n ** 9n };
}

/** One of the names, with probabilities in proportion to the weights. */
export function pickWeighted<Name extends string>(
  weights: Readonly<Record<Name, number>>,
  random: SeededRandom,
): Name {
  const names = Object.keys(weights) as Name[];
  return random.pick(names.flatMap((name) => new Array<Name>(weights[name]).fill(name)));
}

/** A share of what a pool was made for: from a ten-millionth to a five-hundredth. */
export const pickShare = (random: SeededRandom): bigint =>
  BigInt(Math.ceil(random.betweenMagnitudes(1e2, 2e6)));
export const SHARE_WHOLE = 10n ** 9n;

/** An output that a pool of such depths can give, and more than enough input for it. */
export function pickExactOutput(
  depths: ReadonlyArray<bigint>,
  random: SeededRandom,
): {
  readonly positionIn: number;
  readonly positionOut: number;
  readonly amountOut: bigint;
  readonly amountInMax: bigint;
} {
  const positionIn = random.index(depths.length);
  const positionOut = (positionIn + 1 + random.index(depths.length - 1)) % depths.length;
  const share = pickShare(random);
  const amountOut = (depths[positionOut]! * share) / SHARE_WHOLE + 1n;
  const amountInMax = (20n * depths[positionIn]! * share) / SHARE_WHOLE + 10n;
  return { positionIn, positionOut, amountOut, amountInMax };
}
