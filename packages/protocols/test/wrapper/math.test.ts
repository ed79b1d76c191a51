import { REFUSED } from "@millrace/core";
import { law, surely } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Wrapper, wrapperAmountIn, wrapperAmountOut } from "../../src/curves/wrapper/math.ts";
import { anyVault, previewDeposit, previewRedeem, type Vault } from "./vaults.ts";

function wrapperOfVault({ kind, totalSupply, totalAssets, offset, ...limits }: Vault): Wrapper {
  const isVirtual = kind === "openZeppelin";
  return {
    ...{ shares: totalSupply, assets: totalAssets, isFixed: kind === "rate" },
    ...{ virtualShares: isVirtual ? 10n ** offset : 0n, virtualAssets: isVirtual ? 1n : 0n },
    ...{ depositMax: limits.maxDeposit, redeemMax: limits.maxRedeem },
  };
}

describe("the arithmetic of vaults", () => {
  // A hundred thousand cases in a long run of effort 20.
  it("is what they preview, and the least input of an output is the least", () => {
    const amount = fc.oneof(fc.bigInt(1n, 1_000n), fc.bigInt(1n, 1n << 120n));
    const vaults = law("arithmetic of vaults", 5_000);
    let given = 0;
    const holds = (vault: Vault, some: bigint, isDeposit: boolean) => {
      const wrapper = wrapperOfVault(vault);
      const preview = isDeposit ? previewDeposit : previewRedeem;
      const amountOut = wrapperAmountOut(wrapper, isDeposit, some);
      if (amountOut !== REFUSED) {
        given++;
        expect(amountOut).toBe(preview(vault, some));
        expect(some).toBeLessThanOrEqual(isDeposit ? vault.maxDeposit : vault.maxRedeem);
      }
      const amountIn = wrapperAmountIn(wrapper, isDeposit, some);
      if (amountIn === REFUSED) return;
      expect(preview(vault, amountIn)).toBeGreaterThanOrEqual(some);
      expect(preview(vault, amountIn - 1n)).toBeLessThan(some);
    };
    fc.assert(fc.property(anyVault, amount, fc.boolean(), holds), vaults.options);
    expect(given).toBeGreaterThanOrEqual(surely(vaults.cases / 10));
  });
});
