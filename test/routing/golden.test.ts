import { readData } from "@millrace/testing";
import { readMarket } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { SplitJudge } from "../reference/SplitJudge.ts";

interface GoldenRow {
  readonly name: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: string;
  readonly status: "success" | "no_route_found";
  readonly amountOutNetGas: string;
  readonly gasEstimate: string;
}

const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const BNB = "0xb8c77482e45f1f44de1745f52c74426c631bdd52";
const GAS_PRICE_WEI = 10n * 10n ** 9n;
const PATHS = 8;

/**
 * For WETH as output, where gas can be priced, the output before gas; elsewhere net of gas, a lower
 * bound.
 */
function goldenOutput({ tokenOut, amountOutNetGas, gasEstimate }: GoldenRow): bigint {
  const gas = tokenOut === WETH ? BigInt(gasEstimate) * GAS_PRICE_WEI : 0n;
  return BigInt(amountOutNetGas) + gas;
}

describe.each(["a", "b"])("what another router answered on universe %s", (name) => {
  const judge = new SplitJudge(readMarket(`ethereum-2026-03/universe-${name}.json`));
  const { rows } = readData<{ rows: ReadonlyArray<GoldenRow> }>(
    `ethereum-2026-03/golden-${name}.json`,
  );
  const answered = rows.filter(({ status }) => status === "success");
  const requestOf = ({ tokenIn, tokenOut, amountIn }: GoldenRow, maxHops: number) => {
    const amount = BigInt(amountIn);
    return { tokenIn, tokenOut, kind: "exactIn", amount, maxHops, maxSplits: PATHS } as const;
  };
  const outputOf = (row: GoldenRow, maxHops: number) => {
    const quote = judge.quote(requestOf(row, maxHops));
    return quote.found ? quote.amountOut : 0n;
  };

  // The other router also knew venues outside the two families, but none of them was better: no row
  // is out of reach.
  it("is 41 routes, and none to or from BNB, which no pool holds", () => {
    expect(answered).toHaveLength(41);
    const others = rows.filter(({ status }) => status !== "success");
    expect(others.map((row) => row.name)).toEqual([
      "WETH_to_BNB_500",
      "BNB_to_WETH_1700",
      "BNB_to_AAVE_1700",
    ]);
    expect(judge.open.graph.findToken(BNB)).toBe(undefined);
  });

  describe.each([4, 3])("is no better, over 8 paths of at most %i hops", (maxHops) => {
    it.each(answered)("$name", (row) => {
      expect(judge.fault(requestOf(row, maxHops))).toBe(undefined);
      expect(outputOf(row, maxHops)).toBeGreaterThanOrEqual(goldenOutput(row));
    });

    it("nor goes beyond the bound that the certificate of each answer tells", () => {
      for (const row of answered) {
        const request = judge.requestOf(requestOf(row, maxHops));
        const quote = judge.open.router.quote({ ...request, certify: true });
        const certificate = quote.found ? quote.certificate : undefined;
        expect(certificate?.gapBps, row.name).toBeGreaterThanOrEqual(0);
        expect(certificate?.bound, row.name).toBeGreaterThanOrEqual(goldenOutput(row));
      }
    });

    it("by at least 5 % over all rows, in the geometric mean", () => {
      const gains = answered.map((row) =>
        Math.log(Number(outputOf(row, maxHops)) / Number(goldenOutput(row))),
      );
      const mean = Math.exp(gains.reduce((sum, gain) => sum + gain, 0) / gains.length) - 1;
      expect(mean).toBeGreaterThan(0.05);
    });
  });
});
