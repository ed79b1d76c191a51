import { readFileSync } from "node:fs";
import { stableSwapInput } from "./src/curves/stableSwap/exactOutput.ts";
import {
  DIVIDES_EACH,
  DIVIDES_ONCE,
  FEE_OF_UNITS,
  KEEPS_ORACLE,
  stableSwapExchange,
  stableSwapMarket,
} from "./src/curves/stableSwap/math.ts";

for (const f of ["curve-stable", "curve-stable-ng"]) {
  const j = JSON.parse(readFileSync(`/work/shared/data/families/${f}.json`, "utf8"));
  let bad = 0,
    worse = 0,
    n = 0;
  const byPool: Record<string, number> = {};
  for (const [name, , i, k, amount, expected] of j.cases) {
    const s = j.pools[name].state;
    const rules =
      f === "curve-stable"
        ? DIVIDES_EACH | (s.feeOrder === "unit" ? FEE_OF_UNITS : 0)
        : DIVIDES_ONCE | KEEPS_ORACLE;
    const m = stableSwapMarket({
      balances: s.balances.map(BigInt),
      rates: s.rates.map(BigInt),
      amp: BigInt(s.A),
      aPrecision: BigInt(s.aPrecision),
      fee: BigInt(s.fee),
      offpegFeeMultiplier: BigInt(s.offpegFeeMultiplier ?? 0),
      adminFee: 5000000000n,
      rules,
    });
    const got = stableSwapExchange(m, i, k, BigInt(amount))?.amountOut;
    n++;
    if (String(got ?? null) !== String(expected)) {
      bad++;
      byPool[name] = (byPool[name] ?? 0) + 1;
      console.log(f, name, i, k, amount, expected, got);
    }
    if (got !== undefined && got > 0n) {
      const a = stableSwapInput(m, i, k, got);
      const g = (x: bigint) => (x <= 0n ? -1n : (stableSwapExchange(m, i, k, x)?.amountOut ?? -1n));
      if (!(a > 0n && a <= BigInt(amount) && g(a) >= got && g(a - 1n) < got)) {
        worse++;
        console.log("out", f, name, i, k, amount, got, a, g(a));
      }
    }
  }
  console.log(f, n, "cases", bad, "bad", worse, "exact outputs off", byPool);
}
