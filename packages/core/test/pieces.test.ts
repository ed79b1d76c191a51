import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as pieces from "../src/search/pieces.ts";

// A search passes over what these bounds say cannot be better, so each has to hold of every swap.
// The pools here are pairs where floats lose most: next to the widest reserves, next to nothing,
// next to a fee of all, and asked for dust or for the last units.

const PIPS = 1_000_000n;
const BITS = 128;
const END = 1n << BigInt(BITS);

interface Pair {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  readonly feePips: bigint;
  /** Whether the fee comes off first, rounded down, which may give a unit to the trader. */
  readonly isFeeFirst: boolean;
  /** Where the piece ends: the pair itself goes on, as a concave curve does. */
  readonly limit: bigint;
}

const dust = fc.bigInt(0n, 20n);
const width = fc
  .tuple(fc.integer({ min: 1, max: BITS }), fc.bigInt(-2n, 2n))
  .map(([bits, offset]) => (1n << BigInt(bits)) + offset);
const reserve = fc
  .oneof(
    dust,
    fc.bigInt(1n, 10n ** 7n).map((less) => END - less),
    width,
    fc.bigInt(1n, END),
  )
  .map((amount) => within(amount, END - 1n));
const feePips = fc
  .constantFrom(999_999, 999_998, 999_000, 500_000, 3_000, 1, 0)
  .map((pips) => BigInt(pips));

const pair: fc.Arbitrary<Pair> = fc
  .record({
    reserveIn: reserve,
    reserveOut: reserve,
    feePips,
    isFeeFirst: fc.boolean(),
    part: fc.integer({ min: 0, max: 1 << 20 }),
  })
  .map(({ part, ...pool }) => {
    const limit = ((END - pool.reserveIn) * BigInt(part)) >> 20n;
    return { ...pool, limit: within(limit, END) };
  });

/** Dust, the last units, or any width, of an amount that is at least 1. */
const amountOf = (most: bigint): fc.Arbitrary<bigint> =>
  fc
    .oneof(
      dust,
      dust.map((less) => most - less),
      fc.bigInt(1n, most),
      width,
      fc.integer({ min: 1, max: 60 }).map((bits) => most - (most >> BigInt(bits))),
    )
    .map((amount) => within(amount, most));

function within(amount: bigint, most: bigint): bigint {
  return amount > most ? most : amount < 1n ? 1n : amount;
}

function outputOf({ feePips, isFeeFirst, reserveIn, reserveOut }: Pair, amountIn: bigint): bigint {
  const fee = isFeeFirst ? (amountIn * feePips) / PIPS : 0n;
  const rest = isFeeFirst ? (amountIn - fee) * PIPS : amountIn * (PIPS - feePips);
  return (rest * reserveOut) / (reserveIn * PIPS + rest);
}

/** The piece as a family gives it (`PoolFamily.leadingPiece`). */
function pieceOf({ feePips, isFeeFirst, limit, reserveIn, reserveOut }: Pair): Float64Array {
  const perUnit = 1e6 / Number(PIPS - feePips);
  const [x, y] = [Number(reserveIn) * perUnit, Number(reserveOut) * (1 + 2 ** -48)];
  return Float64Array.of(x, y, Number(limit), isFeeFirst ? perUnit : 0);
}

/** What is wrong with the bounds on a swap of these two amounts. */
function faultsOf(piece: Float64Array, amountIn: bigint, amountOut: bigint): string[] {
  const [given, taken] = [Number(amountIn), Number(amountOut)];
  const isTooLow = (bound: number, exact: number) => bound !== pieces.BEYOND && bound < exact;
  const isTooHigh = (bound: number, exact: number) => bound !== pieces.BEYOND && bound > exact;
  const faults = {
    mostOutput: isTooLow(pieces.mostOutput(piece, 0, given), taken),
    mostOutputByTangent: isTooLow(pieces.mostOutputByTangent(piece, 0, given), taken),
    leastInput: isTooHigh(pieces.leastInput(piece, 0, taken), given),
    leastInputByTangent: isTooHigh(pieces.leastInputByTangent(piece, 0, taken), given),
    inputBelow: pieces.inputBelow(piece, 0, Number(amountOut - 1n)) > given,
    outputAbove: pieces.outputAbove(piece, 0, given) < taken,
    // Of more than 53 bits a float is as good as the integer next to it.
    outputStaysBelow: taken < 2 ** 53 && pieces.outputStaysBelow(piece, 0, given, taken - 1),
    inputStaysAbove: given < 2 ** 53 && pieces.inputStaysAbove(piece, 0, taken, given + 1),
  };
  return Object.entries(faults).flatMap(([name, isFaulty]) => (isFaulty ? [name] : []));
}

describe("bounds of a swap", () => {
  it("hold at the edges of the arithmetic", () => {
    let swaps = 0;
    const cases = pair.chain((pool) => fc.tuple(fc.constant(pool), amountOf(END - pool.reserveIn)));
    const bounds = law("bounds of a swap from its leading piece", 6_000);
    fc.assert(
      fc.property(cases, ([pool, amountIn]) => {
        const amountOut = outputOf(pool, amountIn);
        if (amountOut === 0n) return;
        swaps++;
        expect(faultsOf(pieceOf(pool), amountIn, amountOut)).toEqual([]);
        const least = leastInputFor(pool, amountIn, amountOut);
        expect(faultsOf(pieceOf(pool), least, amountOut)).toEqual([]);
      }),
      bounds.options,
    );
    expect(swaps).toBeGreaterThan(bounds.cases / 4);
  });
});

/** The least input that gives an output which `enough` gives. */
function leastInputFor(pool: Pair, enough: bigint, amountOut: bigint): bigint {
  let [low, high] = [0n, enough];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (outputOf(pool, middle) >= amountOut) high = middle;
    else low = middle;
  }
  return high;
}
