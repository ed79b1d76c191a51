import type { ChangeSituation } from "./ManyTokenHouse.ts";

/** A change of liquidity; on average as much is added as removed. */
export type LiquidityChange =
  | { readonly kind: "add"; readonly amounts: ReadonlyArray<bigint> }
  | { readonly kind: "remove"; readonly shares: bigint }
  | { readonly kind: "removeOne"; readonly shares: bigint; readonly position: number };

const MILLION = 1_000_000;

/** In all tokens or one; undefined where there is nothing to remove. */
export function drawLiquidityChange({
  random,
  shares,
  depths,
}: ChangeSituation): LiquidityChange | undefined {
  const part = BigInt(Math.ceil(random.betweenMagnitudes(1, MILLION / 500)));
  const of = (whole: bigint) => (whole * part) / BigInt(MILLION);
  const only = random.chance(0.5) ? random.index(depths.length) : undefined;
  if (random.chance(0.5)) {
    const amounts = depths.map((depth, at) => (only === undefined || at === only ? of(depth) : 0n));
    return { kind: "add", amounts };
  }
  const taken = of(shares);
  if (taken === 0n) return undefined;
  return only === undefined
    ? { kind: "remove", shares: taken }
    : { kind: "removeOne", shares: taken, position: only };
}
