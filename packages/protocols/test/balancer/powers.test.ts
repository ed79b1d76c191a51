import { REFUSED } from "@millrace/core";
import { law, type RandomSource, surely } from "@millrace/testing";
import { balancerPower } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { powerE18 } from "../../src/curves/weighted/logExpMath.ts";

const E18 = 10n ** 18n;
/** `powUp` adds 10^-14 and a unit to what `pow` says, in 256 bits. */
function roundedUp(power: bigint): bigint {
  const error = power * 10_000n;
  if (power === REFUSED || error >> 256n !== 0n) return REFUSED;
  return power + (error + E18 - 1n) / E18 + 1n;
}

function answerOf(x: bigint, y: bigint): bigint {
  try {
    return balancerPower(x, y, 1);
  } catch {
    return REFUSED;
  }
}

/** Near 1 by all magnitudes, where swaps are; at the ends of the two logarithms; anything. */
function anyBase(random: RandomSource): bigint {
  const gap = BigInt(Math.floor(10 ** (random.next() * 18)));
  const edge = random.pick([9n, 10n, 11n]) * 10n ** 17n;
  const nearby = BigInt(random.between(-3, 3));
  return random.pick([
    () => E18 - gap,
    () => E18 - gap,
    () => E18 + gap,
    () => edge + nearby,
    () => random.bigint(E18),
    () => random.amount(random.between(1, 200)),
  ])();
}

/** Of weights from 1 to 99 %. */
function anyExponent(random: RandomSource): bigint {
  const [a, b] = [random.between(1, 99), random.between(1, 99)].map(BigInt) as [bigint, bigint];
  return random.chance(0.8) ? (a * E18) / b : random.amount(70);
}

describe("powers of Balancer's weighted pools", () => {
  it("are the library's to the last digit, though small terms are floats", () => {
    const powers = law("Balancer powers", 5_000);
    let given = 0;
    for (const [, random] of powers.sources()) {
      const [x, y] = [anyBase(random), anyExponent(random)];
      const power = powerE18(x, y);
      expect(roundedUp(power), `${x} ${y}`).toBe(answerOf(x, y));
      if (power > 0n) given++;
    }
    expect(given).toBeGreaterThanOrEqual(surely(powers.cases / 2));
  });
});
