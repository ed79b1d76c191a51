import { FEE_IN_STATE, TICK_MAX, TICK_MIN } from "@millrace/core";
import {
  ALGEBRA_INTEGRAL_STEPS,
  concentratedLiquidity,
  encodeConcentrated,
  SLIPSTREAM_STEPS,
  UNISWAP_V4_STEPS,
} from "@millrace/protocols";
import { Schema } from "effect";
import { bounded } from "../bounded.ts";
import type { Faults } from "../Faults.ts";
import { integerIn, integerText, reader, Signed, Unsigned } from "../reader.ts";
import type { DecodedState, PoolKind } from "./PoolKind.ts";

/** Pools with ticks. */

/** Widths of the contracts' numbers. */
const SQRT_PRICE_BITS = 160;
const LIQUIDITY_BITS = 128;
const LIQUIDITY_NET_BITS = 127; // and a sign

const PIPS = 1_000_000;
/** Uniswap V4's protocol fees: 12 bits for each direction, zeroForOne's in the low ones. */
const PROTOCOL_FEE_BITS = 12;
const PROTOCOL_FEE_END = 1 << PROTOCOL_FEE_BITS;

const readPlain = reader(ticksAnd(integerIn, { fee: integerIn(0, PIPS - 1) }));
const readOneFee = reader(ticksAnd(integerText, { fee: integerText(0, PIPS - 1) }));
const readUniswapV4 = reader(
  ticksAnd(integerText, {
    lpFee: integerText(0, PIPS),
    protocolFee: integerText(0, PROTOCOL_FEE_END * PROTOCOL_FEE_END - 1),
  }),
);

/** The common fields, with small numbers of a given form, and fees. */
function ticksAnd<S extends Schema.Top, F extends Schema.Struct.Fields>(
  small: (minimum: number, maximum: number) => S,
  fees: F,
) {
  const Tick = small(TICK_MIN, TICK_MAX);
  return Schema.Struct({
    sqrtPriceX96: Unsigned,
    tick: Tick,
    liquidity: Unsigned,
    tickSpacing: small(1, TICK_MAX),
    ticks: Schema.Array(Schema.Tuple([Tick, Signed])),
    ...fees,
  });
}

export const uniswapV3Pool: PoolKind = {
  name: "v3",
  dexId: "UNISWAP_V3",
  protocol: concentratedLiquidity.name,
  curve: concentratedLiquidity,
  isNested: false,
  mark: "sqrtPriceX96",
  constants: ["fee", "tickSpacing"],
  decode: (input, path, faults) => {
    const shape = readPlain(input, path, faults);
    if (shape === undefined) return undefined;
    const { fee: feePips, tickSpacing: parameter } = shape;
    const state = stateOf(shape, path, faults);
    checkLiquidity(state, `${path}.ticks`, faults);
    return { feePips, parameter, state: encodeConcentrated(state) };
  },
};

export const pancakeV3Pool: PoolKind = {
  ...uniswapV3Pool,
  name: "pancake-v3",
  dexId: "PANCAKESWAP_V3",
  isNested: true,
  decode: (input, path, faults) => {
    const shape = readOneFee(input, path, faults);
    if (shape === undefined) return undefined;
    const { fee: feePips, tickSpacing: parameter } = shape;
    return { feePips, parameter, state: encodeConcentrated(stateOf(shape, path, faults)) };
  },
};

/** The fee of its module changes with time. */
export const slipstreamPool: PoolKind = {
  ...uniswapV3Pool,
  name: "slipstream",
  dexId: "SLIPSTREAM",
  protocol: "slipstream",
  isNested: true,
  constants: ["tickSpacing"],
  decode: readingFee(SLIPSTREAM_STEPS),
};

/** The fee of its plugin changes with time. */
export const algebraIntegralPool: PoolKind = {
  ...slipstreamPool,
  name: "algebra-integral",
  dexId: "ALGEBRA_INTEGRAL",
  protocol: "algebra-integral",
  decode: readingFee(ALGEBRA_INTEGRAL_STEPS),
};

/** Protocol fees change, and differ by direction. */
export const uniswapV4Pool: PoolKind = {
  ...slipstreamPool,
  name: "uniswap-v4",
  dexId: "UNISWAP_V4",
  protocol: "uniswap-v4",
  decode: (input, path, faults) => {
    const shape = readUniswapV4(input, path, faults);
    if (shape === undefined) return undefined;
    const { lpFee, protocolFee } = shape;
    const fees = [
      feeOfBoth(lpFee, protocolFee % PROTOCOL_FEE_END),
      feeOfBoth(lpFee, protocolFee >> PROTOCOL_FEE_BITS),
    ] as const;
    return changingFees(shape, UNISWAP_V4_STEPS, fees, path, faults);
  },
};

/** Reads pools with one current fee in the state, whose steps follow a rule (see the curve). */
function readingFee(steps: bigint): PoolKind["decode"] {
  return (input, path, faults) => {
    const shape = readOneFee(input, path, faults);
    return shape && changingFees(shape, steps, [shape.fee, shape.fee], path, faults);
  };
}

/** The protocol's fee, then the providers' fee on the rest (`calculateSwapFee`). */
function feeOfBoth(lpFee: number, protocolFee: number): number {
  return protocolFee + lpFee - Math.floor((protocolFee * lpFee) / PIPS);
}

interface TickShape {
  readonly sqrtPriceX96: string;
  readonly tick: number;
  readonly liquidity: string;
  readonly tickSpacing: number;
  readonly ticks: ReadonlyArray<readonly [number, string]>;
}

function changingFees(
  shape: TickShape,
  steps: bigint,
  feesPips: readonly [number, number],
  path: string,
  faults: Faults,
): DecodedState {
  const state = encodeConcentrated({ ...stateOf(shape, path, faults), feesPips });
  const constants = BigUint64Array.of(steps);
  return { feePips: FEE_IN_STATE, parameter: shape.tickSpacing, constants, state };
}

function stateOf(shape: TickShape, path: string, faults: Faults) {
  return {
    sqrtPriceX96: bounded(shape.sqrtPriceX96, SQRT_PRICE_BITS, `${path}.sqrtPriceX96`, faults),
    tick: shape.tick,
    liquidity: bounded(shape.liquidity, LIQUIDITY_BITS, `${path}.liquidity`, faults),
    ticks: decodeTicks(shape, `${path}.ticks`, faults),
  };
}

type Ticks = ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;

function decodeTicks({ ticks, tickSpacing }: TickShape, path: string, faults: Faults): Ticks {
  let previous: number | undefined;
  return ticks.map(([tick, liquidityNet], place) => {
    const here = `${path}[${place}]`;
    if (previous !== undefined && tick <= previous) {
      faults.add(here, `tick ${tick} ${tick === previous ? "stands twice" : `after ${previous}`}`);
    }
    previous = tick;
    if (tick % tickSpacing !== 0) faults.add(here, `tick ${tick} with a spacing of ${tickSpacing}`);
    return [tick, bounded(liquidityNet, LIQUIDITY_NET_BITS, `${here}[1]`, faults)];
  });
}

/**
 * From the current tick outwards, liquidity must stay within a contract's range. The sums need not
 * reach zero at the ends: a recording may hold part of a book. Pools of other families may hold any
 * part, and swaps end where their liquidity stops making sense.
 */
function checkLiquidity(
  { tick, liquidity, ticks }: { tick: number; liquidity: bigint; ticks: Ticks },
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
        faults.add(path, `past tick ${at} liquidity would be ${running}`);
        return;
      }
    }
  }
}
