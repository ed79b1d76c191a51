import { type Curve, NO_CONSTANTS, type PoolListing, type PoolState } from "@millrace/core";
import {
  concentratedLiquidity,
  constantProduct,
  encodeConcentrated,
  encodeReserves,
} from "@millrace/protocols";
import { type Faults, shown } from "./Faults.ts";
import { type ConcentratedShape, readConcentratedShape, readReservesShape } from "./shape.ts";

/** Widths of the contracts' numbers. */
const RESERVE_BITS = 112;
const SQRT_PRICE_BITS = 160;
const LIQUIDITY_BITS = 128;
const LIQUIDITY_NET_BITS = 127; // and a sign

/** A pool's state, encoded as the graph keeps it; undefined once all its faults are told. */
export function decodeState(
  listing: PoolListing,
  curve: Curve,
  input: unknown,
  path: string,
  faults: Faults,
): PoolState | undefined {
  const before = faults.count;
  const state =
    curve === constantProduct ? reserves(input, path, faults) : concentrated(input, path, faults);
  if (state === undefined || faults.count > before) return undefined;
  const problem = curve.check({ ...listing, decimals: [18, 18], constants: NO_CONSTANTS }, state);
  if (problem !== undefined) faults.add(path, `impossible state: ${problem}`);
  return state;
}

/** The family of a file's kind of pool. */
export function protocolOf(kind: "v2" | "v3"): Curve {
  return kind === "v2" ? constantProduct : concentratedLiquidity;
}

function reserves(input: unknown, path: string, faults: Faults): PoolState | undefined {
  const shape = readReservesShape(input, path, faults);
  if (shape === undefined) return undefined;
  const reserve0 = bounded(shape.reserve0, RESERVE_BITS, `${path}.reserve0`, faults);
  const reserve1 = bounded(shape.reserve1, RESERVE_BITS, `${path}.reserve1`, faults);
  return encodeReserves([reserve0, reserve1]);
}

function concentrated(input: unknown, path: string, faults: Faults): PoolState | undefined {
  const shape = readConcentratedShape(input, path, faults);
  if (shape === undefined) return undefined;
  const sqrtPriceX96 = bounded(shape.sqrtPriceX96, SQRT_PRICE_BITS, `${path}.sqrtPriceX96`, faults);
  const liquidity = bounded(shape.liquidity, LIQUIDITY_BITS, `${path}.liquidity`, faults);
  const ticks = decodeTicks(shape, path, faults);
  checkLiquidity(shape.tick, liquidity, ticks, path, faults);
  return encodeConcentrated({ sqrtPriceX96, tick: shape.tick, liquidity, ticks });
}

type Ticks = ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;

function decodeTicks(shape: ConcentratedShape, path: string, faults: Faults): Ticks {
  const { ticks, tickSpacing } = shape;
  return ticks.map(([tick, liquidityNet], place) => {
    const here = `${path}.ticks[${place}]`;
    const previous = ticks[place - 1]?.[0];
    if (previous !== undefined && tick <= previous) {
      faults.add(here, `tick ${tick} ${tick === previous ? "stands twice" : `after ${previous}`}`);
    }
    if (tick % tickSpacing !== 0) faults.add(here, `tick ${tick} with a spacing of ${tickSpacing}`);
    return [tick, bounded(liquidityNet, LIQUIDITY_NET_BITS, `${here}[1]`, faults)];
  });
}

/**
 * From the current tick outwards, liquidity has to stay one that a contract can hold. That the sums
 * come to zero at the ends is not asked: a recording may hold a part of a book.
 */
function checkLiquidity(
  tick: number,
  liquidity: bigint,
  ticks: Ticks,
  path: string,
  faults: Faults,
): void {
  const firstAbove = ticks.findIndex(([at]) => at > tick);
  const end = firstAbove < 0 ? ticks.length : firstAbove;
  const upwards = ticks.slice(end);
  const downwards = ticks.slice(0, end).reverse();
  for (const [side, sign] of [
    [upwards, 1n],
    [downwards, -1n],
  ] as const) {
    let running = liquidity;
    for (const [at, liquidityNet] of side) {
      running += sign * liquidityNet;
      if (running < 0n || running >> BigInt(LIQUIDITY_BITS) !== 0n) {
        faults.add(`${path}.ticks`, `past tick ${at} liquidity would be ${running}`);
        return;
      }
    }
  }
}

/** The integer, or 0n once it is told that it is too wide. */
function bounded(text: string, bits: number, path: string, faults: Faults): bigint {
  const value = BigInt(text);
  const magnitude = value < 0n ? -value : value;
  if (magnitude >> BigInt(bits) === 0n) return value;
  faults.add(path, `expected less than 2^${bits}, is ${shown(text)}`);
  return 0n;
}
