import { revertWords } from "../simulate/revertWords.ts";
import type { Trial } from "./planTrial.ts";
import type { TokenVerdict } from "./TokenVerdict.ts";
import type { TrialAnswer } from "./trialCall.ts";

type Finding = Pick<TokenVerdict, "kind" | "buyTaxBps" | "sellTaxBps" | "detail">;

const ALL_BPS = 10_000n;

/**
 * The finding of a trial. A tax is the difference between what one end pays and what the other
 * gets, by their balances: from pool to buyer, and from seller to pool. There a single unit counts.
 *
 * Outputs are compared with our arithmetic only to a basis point, and may be more: anybody can
 * leave tokens in a pair, which the next trade there takes along. What is missing also counts as a
 * tax: where a pool gives less although all has arrived, or holds less than it needs to pay
 * everybody (after a rebase).
 */
export function judgeTrial({ purchase, sales }: Trial, answer: TrialAnswer): Finding {
  const { bought, held, paidOut } = answer;
  if (answer.purchaseError !== "0x" || bought === 0n) {
    const words =
      bought === 0n && paidOut > 0n ? "nothing arrives" : revertWords(answer.purchaseError);
    return finding("unbuyable", ALL_BPS, 0n, `a purchase fails: ${words}`);
  }
  const missing = shortfallBps(held, purchase.promised);
  const buyTax = largest(
    deviationBps(bought, paidOut),
    shortfallBps(paidOut, purchase.amountOut),
    missing,
  );
  const sale = sales[Number(answer.sale)];
  if (sale === undefined) {
    const words = `a sale fails: ${revertWords(answer.firstSaleError)}`;
    return finding("unsellable", buyTax, ALL_BPS, words);
  }
  // The output is known for the planned amount only.
  const isAsPlanned = bought === purchase.amountOut;
  const sellTax = largest(
    deviationBps(answer.arrived, answer.sent),
    deviationBps(answer.sent, bought),
    isAsPlanned ? shortfallBps(answer.output, sale.amountOut) : 0n,
  );
  const refusal = answer.sale === 0n ? undefined : `${sales[0]!.leg.holder} does not take it`;
  if (buyTax > 0n || sellTax > 0n) {
    const detail = missing > 0n ? "a pool has less of it than it needs to pay everybody" : refusal;
    return finding("taxed", buyTax, sellTax, detail);
  }
  if (refusal !== undefined) return finding("unsellable", 0n, ALL_BPS, refusal);
  return { kind: "plain", buyTaxBps: 0, sellTaxBps: 0 };
}

const finding = (
  kind: Finding["kind"],
  buyTaxBps: bigint,
  sellTaxBps: bigint,
  detail: string | undefined,
): Finding => ({
  ...{ kind, buyTaxBps: Number(buyTaxBps), sellTaxBps: Number(sellTaxBps) },
  ...(detail !== undefined && { detail }),
});

/** How far an amount is from the expected one, in basis points rounded up; at most 10,000. */
function deviationBps(amount: bigint, expected: bigint): bigint {
  const difference = amount < expected ? expected - amount : amount - expected;
  if (difference >= expected) return difference === 0n ? 0n : ALL_BPS;
  return (difference * ALL_BPS + expected - 1n) / expected;
}

/** How much less an amount is than the expected one, in basis points rounded down. */
function shortfallBps(amount: bigint, expected: bigint): bigint {
  return amount < expected ? ((expected - amount) * ALL_BPS) / expected : 0n;
}

function largest(...values: ReadonlyArray<bigint>): bigint {
  let most = 0n;
  for (const value of values) if (value > most) most = value;
  return most;
}
