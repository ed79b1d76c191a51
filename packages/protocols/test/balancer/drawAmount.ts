import type { RandomSource } from "@millrace/testing";
import type { BalancerPool } from "@millrace/testing/reference";

const ONE = 10n ** 18n;

/** Dust, parts and multiples of a balance, amounts at the limits of 30 %, and powers of two. */
export function drawAmount(
  random: RandomSource,
  { balances, fee }: BalancerPool,
  position: number,
): bigint {
  const balance = balances[position]!;
  const limit = (balance * 3n) / 10n;
  const nearby = BigInt(random.between(-3, 3));
  const part = BigInt(Math.ceil(10 ** (random.next() * 11 - 9) * 2 ** 60));
  const amount = random.pick([
    () => BigInt(random.between(1, 20)),
    () => (balance * part) >> 60n,
    () => (balance * part) >> 60n,
    () => random.bigint(balance + 1n),
    () => limit + nearby,
    () => (limit * ONE) / (ONE - fee) + nearby,
    () => balance + nearby,
    () => 7n * balance,
    () => 1n << BigInt(random.integer(256)),
  ])();
  return amount < 1n ? 1n : amount;
}
