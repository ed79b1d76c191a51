import type { Book } from "../graph/PoolGraph.ts";
import { PiecewiseCurve } from "./PiecewiseCurve.ts";
import { lastAtOrBelow, liquidityNet, type TickPosition } from "./tickBook.ts";
import { sqrtRatioAtTick } from "./tickMath.ts";

/**
 * The swap curve of a tick book up to the price `end`; `gamma` is the part of an input left after
 * the fee. The places where steps end do not matter: they only round in the pool's favour.
 */
export function tickCurve(
  book: () => Book,
  from: TickPosition,
  end: bigint,
  gamma: number,
  zeroForOne: boolean,
): PiecewiseCurve {
  // The fee takes all of an input: nothing ever comes out.
  if (gamma === 0) return new PiecewiseCurve(() => false);
  let price = from.sqrtPriceX96;
  let liquidity = from.liquidity;
  let index = lastAtOrBelow(book().keys, from.tick) + (zeroForOne ? 0 : 1);

  /** Walks to the end of the next range with liquidity, and appends it. */
  return new PiecewiseCurve((curve) => {
    while (price !== 0n && (zeroForOne ? price > end : price < end)) {
      const ticks = book();
      const tick = ticks.keys[index];
      const ratio = tick === undefined ? end : sqrtRatioAtTick(tick);
      const target = zeroForOne ? (ratio < end ? end : ratio) : ratio > end ? end : ratio;
      const holds = liquidity > 0n && target !== price;
      if (holds) appendRange(curve, Number(liquidity), price, target, gamma, zeroForOne);
      price = target;
      if (tick !== undefined && target === ratio) {
        liquidity += zeroForOne ? -liquidityNet(ticks, index) : liquidityNet(ticks, index);
        if (liquidity < 0n) price = end; // the contract reverts from here on
      }
      index += zeroForOne ? -1 : 1;
      if (holds) return true;
    }
    return false;
  });
}

/** Appends the curve between two prices: x·y = k with virtual reserves L/√P and L√P. */
function appendRange(
  curve: PiecewiseCurve,
  liquidity: number,
  fromX96: bigint,
  toX96: bigint,
  gamma: number,
  zeroForOne: boolean,
): void {
  const from = Number(fromX96) / 2 ** 96;
  const to = Number(toX96) / 2 ** 96;
  // From the integers: a difference of two near floats would have no digits left.
  const change = Number(toX96 - fromX96) / 2 ** 96;
  if (zeroForOne) {
    const x = liquidity / from;
    curve.append(x / gamma, liquidity * from, (x * -change) / to / gamma);
  } else {
    curve.append((liquidity * from) / gamma, liquidity / from, (liquidity * change) / gamma);
  }
}
