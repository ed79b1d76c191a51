import { REFUSED } from "@millrace/core";
import { recordedFamily } from "@millrace/testing";
import { openBalancerPool, swapBalancer } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { recordedBalancer } from "./recordedBalancer.ts";

const families = [
  { name: "balancer-v2-weighted", count: 256 },
  { name: "balancer-v2-stable", count: 109 },
  { name: "balancer-v3", count: 6 },
];

describe.each(families)("swaps of $name, as the Vaults answered", ({ name, count }) => {
  const { pools, cases } = recordedFamily(name);

  it("are all there", () => expect(cases).toHaveLength(count));

  it.each([...pools.keys()])(
    "through %s come to the wei, by the curve and the reference",
    (key) => {
      const pool = recordedBalancer(name, pools.get(key)!.state);
      const { family, index } = openBalancerPool(pool);
      for (const { kind, positionIn, positionOut, amount, expected } of cases.filter(
        (each) => each.pool === key,
      )) {
        const isIn = kind === "exactIn";
        const quote = isIn ? family.quoteExactIn : family.quoteExactOut;
        const quoted = quote(index, positionIn, positionOut, BigInt(amount));
        const wanted = expected === null ? REFUSED : BigInt(expected);
        expect(quoted).toBe(wanted);
        const swap = swapBalancer(pool, positionIn, positionOut, kind, BigInt(amount));
        expect((isIn ? swap?.amountOut : swap?.amountIn) ?? REFUSED).toBe(wanted);
      }
    },
  );
});
