import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CURVE_ERROR,
  solidlyHiddenPart,
  solidlyInput,
  solidlyOutput,
  solidlyPoint,
  solidlyRate,
  solidlyReserveLimit,
  solidlyUnevenness,
} from "../../src/curves/solidlyStable/estimates.ts";

// The curve's floats against its solution in integers of some hundred digits more.

const FRACTION_BITS = 300n;
const E18 = 1e18;

function tenToThe(min: number, max: number): fc.Arbitrary<number> {
  return fc.double({ min, max, noNaN: true }).map((exponent) => 10 ** exponent);
}

/** Reserves of one unit to 10^56, balanced or not, and an amount that matters to them. */
const onCurve = fc
  .tuple(
    tenToThe(0, 50),
    fc.oneof(tenToThe(-0.5, 0.5), tenToThe(-6, 6), tenToThe(-30, 30)),
    fc.oneof(tenToThe(-1, 1), tenToThe(-20, 8)),
  )
  .map(([x, skew, part]) => ({ x, y: Math.max(x * skew, 1), amount: x * part }));

/** A float as the integer that it is, with FRACTION_BITS more. */
function wide(value: number): bigint {
  let whole = value;
  let shift = FRACTION_BITS;
  for (; !Number.isInteger(whole); shift--) whole *= 2;
  return BigInt(whole) << shift;
}

function narrow(value: bigint): number {
  const text = value.toString(2);
  const dropped = Math.max(text.length - 64, 0);
  return Number(BigInt(`0b${text.slice(0, 64)}`)) * 2 ** (dropped - Number(FRACTION_BITS));
}

function invariant(x: bigint, y: bigint): bigint {
  return x * y * (x * x + y * y);
}

/** The v at which invariant(u, v) is k, from above, to the last of the FRACTION_BITS. */
function rootBelow(u: bigint, k: bigint, start: bigint): bigint {
  let v = start;
  for (;;) {
    const step = (invariant(u, v) - k) / (u * (u * u + 3n * v * v));
    if (step <= 0n) return v;
    v -= step;
  }
}

function expectClose(value: number, truth: number): void {
  expect(Math.abs(value - truth)).toBeLessThanOrEqual(CURVE_ERROR * truth);
}

describe("the curve of stable pools in floats", () => {
  it("gives for an input what the equation has, within its error", () => {
    fc.assert(
      fc.property(onCurve, ({ x, y, amount }) => {
        const [x0, y0, added] = [wide(x), wide(y), wide(amount)];
        const left = rootBelow(x0 + added, invariant(x0, y0), y0);
        expectClose(solidlyOutput(x, y, amount), narrow(y0 - left));
      }),
      law("solidly outputs", 200).options,
    );
  });

  it("asks for an output what the equation has, within its error", () => {
    const part = fc.oneof(
      fc.double({ min: 2 ** -60, max: 0.99, noNaN: true }),
      tenToThe(-18, 0).map((kept) => 1 - kept),
    );
    fc.assert(
      fc.property(onCurve, part, ({ x, y }, part) => {
        const amountOut = y * part;
        const left = y - amountOut;
        if (amountOut <= 0 || left <= 0) return;
        // The equation of just these two floats.
        const [x0, y1] = [wide(x), wide(left)];
        const k = invariant(x0, y1 + wide(amountOut));
        const far = (x0 * (y1 + wide(amountOut))) / y1 + x0;
        const input = rootBelow(y1, k, far + wide(y)) - x0;
        expectClose(solidlyInput(x, y, amountOut, left), narrow(input));
      }),
      law("solidly inputs", 200).options,
    );
  });

  it("has a slope that is the rate, and a bend that is the slope of that", () => {
    const [at, nearby] = [new Float64Array(5).fill(7), new Float64Array(3)];
    fc.assert(
      fc.property(onCurve, ({ x, y, amount }) => {
        solidlyPoint(x, y, amount, at, 1);
        const [output, slope, bend] = [at[1]!, at[2]!, at[3]!];
        expect([at[0], at[4]]).toEqual([7, 7]);
        expect(output).toBe(solidlyOutput(x, y, amount));
        expect(slope).toBeGreaterThan(0);
        expect(bend).toBeLessThanOrEqual(0);
        const stride = (x + amount) * 2 ** -18;
        solidlyPoint(x, y, amount + stride, nearby, 0);
        // A difference quotient is off by half of the bend's own change.
        const quotient = (nearby[1]! - slope) / stride;
        const scale = slope / (x + amount);
        expect(Math.abs(quotient - bend)).toBeLessThanOrEqual(2 ** -12 * scale);
        const left = Math.abs(nearby[0]! - output - slope * stride);
        expect(left).toBeLessThanOrEqual(2 ** -15 * slope * stride + CURVE_ERROR * y);
      }),
      law("solidly slopes", 300).options,
    );
  });

  it("starts with the slope that the price of the reserves is, 1 in balance", () => {
    const point = new Float64Array(3);
    solidlyPoint(5e24, 2e24, 0, point, 0);
    expect(point[0]).toBe(0);
    expectClose(point[1]!, solidlyRate(0.4));
    expect(solidlyRate(1)).toBe(1);
    solidlyPoint(5e24, 5e24, 0, point, 0);
    expect(Math.abs(point[2]!)).toBe(0);
  });

  it("is concave: no chord lies above it", () => {
    fc.assert(
      fc.property(onCurve, fc.double({ min: 2 ** -64, max: 1, noNaN: true }), (each, part) => {
        const { x, y, amount } = each;
        const within = solidlyOutput(x, y, amount * part);
        expect(within).toBeGreaterThanOrEqual(
          solidlyOutput(x, y, amount) * part * (1 - 4 * CURVE_ERROR),
        );
      }),
      law("solidly chords", 300).options,
    );
  });

  it("takes inputs up to where a product of the contract outgrows 256 bits", () => {
    const end = 1n << 256n;
    const unit = 10n ** 18n;
    const isOverflow = (x: bigint, y: bigint) =>
      x * y >= end ||
      x * x >= end ||
      ((x * y) / unit) * ((x * x) / unit + (y * y) / unit) >= end ||
      ((x * x) / unit) * x >= end ||
      3n * x * ((y * y) / unit) >= end;
    fc.assert(
      fc.property(tenToThe(0, 38), (y) => {
        const limit = solidlyReserveLimit(y);
        const reserveOut = BigInt(Math.floor(y));
        expect(isOverflow(BigInt(Math.floor(limit * (1 + 2 ** -40))) + 1n, reserveOut)).toBe(true);
        expect(isOverflow(BigInt(Math.floor(limit * 0.68)), reserveOut)).toBe(false);
      }),
      law("solidly limits", 200).options,
    );
  });

  it("knows how much of k the contract's roundings hide", () => {
    fc.assert(
      fc.property(tenToThe(9, 30), tenToThe(9, 30), (x, y) => {
        const [x0, y0] = [BigInt(Math.floor(x)), BigInt(Math.floor(y))];
        const unit = 10n ** 18n;
        const a = (x0 * y0) / unit;
        const b = (x0 * x0) / unit + (y0 * y0) / unit;
        const rounded = ((a * b) / unit) * unit ** 3n;
        const exact = invariant(x0, y0);
        const hidden = Number(exact - rounded) / Number(exact);
        expect(hidden).toBeLessThanOrEqual(solidlyHiddenPart(Math.floor(x), Math.floor(y)));
      }),
      law("solidly hidden parts", 200).options,
    );
  });

  it("is uneven by a unit or two in pools of tokens, by more in dust", () => {
    expect(solidlyUnevenness(1e6 * E18, 1e6 * E18)).toBeLessThan(1.001);
    expect(solidlyUnevenness(2 * E18, 2 * E18)).toBeLessThan(2.1);
    expect(solidlyUnevenness(1e-3 * E18, 1e-3 * E18)).toBeGreaterThan(1e8);
  });
});
