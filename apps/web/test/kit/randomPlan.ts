import type { QuoteStepJson } from "@millrace/api";
import type { RandomSource } from "@millrace/testing";

const testAddress = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;

/** Paths from token 0 to token 1, of one to four pools, some of which they share. */
export function randomPlan(
  random: RandomSource,
  pathCount: number,
  tokenAt: (number: number) => string = testAddress,
): QuoteStepJson[] {
  return Array.from({ length: pathCount }, () => {
    const between = Array.from({ length: random.integer(4) }, () => 2 + random.integer(6));
    const tokens = [0, ...new Set(between), 1];
    const amounts = tokens.map(() => 1n + random.bigint(10n ** 24n));
    return tokens.slice(1).map((to, hop): QuoteStepJson => {
      const from = tokens[hop]!;
      return {
        tokenA: tokenAt(from),
        tokenB: tokenAt(to),
        dexId: `DEX_${random.integer(5)}`,
        poolAddress: testAddress(1_000 + from * 100 + to * 10 + random.integer(3)),
        ...{ aToB: true, fee: 3_000, zeroForOne: true },
        ...{ amountIn: String(amounts[hop]), amountOut: String(amounts[hop + 1]) },
      };
    });
  }).flat();
}
