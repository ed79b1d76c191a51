import { REFUSED } from "@millrace/core";
import { wrapperState } from "@millrace/protocols";
import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyVault, previewDeposit, previewRedeem, RAY, type Vault } from "./vaults.ts";
import {
  address,
  answersOf,
  asked,
  type Contract,
  openDex,
  quotedBy,
  resolved,
} from "./wrapperChain.ts";

const VAULT = address("c4");
const ASSET = address("a0");
const HOLDERS = [address("d1"), address("d2")];
const dex = openDex("erc4626", {
  vaults: [VAULT.toUpperCase().replace("X", "x")],
  holders: HOLDERS,
});
const [configured] = dex.configured!;

/** As much as the contract has; all of it reverts where it divides by nothing. */
function contractOf(vault: Vault, changes: Contract = {}): Contract {
  const { kind, totalSupply, totalAssets } = vault;
  const supply = kind === "rate" ? 10n ** 24n : totalSupply;
  const whole = (f: () => bigint) => {
    try {
      return f();
    } catch {
      return undefined;
    }
  };
  return {
    "asset()": () => BigInt(ASSET),
    "totalSupply()": () => supply,
    "totalAssets()": () =>
      kind === "rate" ? whole(() => previewRedeem(vault, supply)) : totalAssets,
    "convertToAssets(uint256)": (shares) => whole(() => previewRedeem(vault, shares)),
    "previewDeposit(uint256)": (assets) => whole(() => previewDeposit(vault, assets)),
    "previewRedeem(uint256)": (shares) => whole(() => previewRedeem(vault, shares)),
    "maxDeposit(address)": () => vault.maxDeposit,
    "maxRedeem(address)": (holder) => (holder === BigInt(HOLDERS[1]!) ? vault.maxRedeem : 1n),
    ...changes,
  };
}

const answering = (contract: Contract) => answersOf(new Map([[VAULT, contract]]));

const sound: Vault = {
  ...{ address: VAULT, kind: "openZeppelin", offset: 6n },
  ...{ totalSupply: 3n * 10n ** 24n, totalAssets: 31n * 10n ** 17n },
  ...{ maxDeposit: 10n ** 30n, maxRedeem: 10n ** 22n },
};

function found(contract: Contract) {
  const answer = answering(contract);
  const creation = resolved(configured!, answer);
  if (creation === undefined || !("listing" in creation)) throw new Error("no pool");
  const state = asked(dex.read(creation.listing), answer);
  if (state === undefined || "refused" in state) throw new Error("no state");
  return { listing: creation.listing, state };
}

describe("a vault that is configured", () => {
  it("is a pool of asset and share, by the rule that its answers show", () => {
    const rules = [
      [sound, 2, [10n ** 6n, 1n]],
      [{ ...sound, offset: 0n }, 2, [1n, 1n]],
      [{ ...sound, kind: "solmate" }, 2, [0n, 0n]],
      [{ ...sound, kind: "rate", totalSupply: RAY, totalAssets: RAY + 12_345n }, 0, [0n, 0n]],
    ] as const;
    for (const [vault, counting, [virtualShares, virtualAssets]] of rules) {
      const { listing, state } = found(contractOf(vault));
      expect(listing).toEqual({
        ...{ address: VAULT, dexId: "WRAPPERS", tokens: [ASSET, VAULT], curve: "wrapper" },
        ...{ feePips: 0, parameter: 0 },
      });
      const { totalSupply: shares, totalAssets: assets } = vault;
      const limits = { depositMax: vault.maxDeposit, redeemMax: vault.maxRedeem };
      const rule = { counting, virtualShares, virtualAssets };
      expect(state).toEqual(wrapperState({ ...rule, ...limits, shares, assets }));
    }
    expect([dex.creationTopics, dex.poolTopics]).toEqual([[], []]);
  });

  it("is refused, and counted, where no rule explains it, and is none where it answers nonsense", () => {
    const taxed = { "previewRedeem(uint256)": (shares: bigint) => (shares * 999n) / 1_000n };
    const of = (changes: Contract, vault = sound) =>
      resolved(configured!, answering(contractOf(vault, changes)));
    expect(of(taxed)).toEqual({ refused: "shares out of proportion" });
    expect(of({}, { ...sound, totalSupply: 0n })).toEqual({ refused: "a vault without shares" });
    expect(of({ "previewDeposit(uint256)": () => undefined })).toBe(undefined);
    expect(of({ "asset()": () => BigInt(VAULT) })).toBe(undefined);
    expect(of({ "asset()": () => 1n << 200n })).toBe(undefined);
    expect(of({ "totalSupply()": () => undefined })).toBe(undefined);
  });

  it("quotes what it previews to the wei, up to the limits that it tells, whatever its totals", () => {
    const amount = fc.oneof(fc.bigInt(1n, 1_000n), fc.bigInt(1n, 1n << 110n));
    const some = law("previews of vaults", 2_000);
    const holds = (drawn: Vault, amountIn: bigint, isDeposit: boolean) => {
      // Totals as small as the virtual ones say little of who reckons.
      const more = drawn.kind === "rate" ? 0n : 1n;
      const vault = {
        ...drawn,
        totalSupply: drawn.totalSupply + more,
        totalAssets: drawn.totalAssets + 1n,
      };
      const { listing, state } = found(contractOf(vault));
      const quote = quotedBy(listing, state)(isDeposit ? 0 : 1, amountIn);
      if (quote === REFUSED) return;
      const preview = isDeposit ? previewDeposit : previewRedeem;
      expect(quote).toBe(preview(vault, amountIn));
      expect(amountIn).toBeLessThanOrEqual(isDeposit ? vault.maxDeposit : vault.maxRedeem || 1n);
    };
    const small = anyVault.filter(({ totalSupply, totalAssets, kind }) => {
      const isSmall = totalSupply < 1n << 100n && totalAssets < 1n << 100n;
      return isSmall && totalAssets > 0n && (kind !== "rate" || totalAssets < 1n << 95n);
    });
    fc.assert(fc.property(small, amount, fc.boolean(), holds), some.options);
  });

  it("is read again at every block, and is refused at the first where it reckons otherwise", () => {
    const { listing, state } = found(contractOf(sound));
    const calls = dex.eachBlock!.calls(listing);
    const after = (contract: Contract) =>
      dex.eachBlock!.apply(listing, state, calls.map(answering(contract)));
    expect(after(contractOf(sound))).toBe(state);
    const grown = { ...sound, totalAssets: sound.totalAssets + 1n };
    const moved = after(contractOf(grown));
    expect(moved).toEqual(found(contractOf(grown)).state);
    expect(moved).not.toEqual(state);
    // What explains two rules at one block, one of them explains at the next.
    const other = { ...sound, offset: 7n };
    expect(after(contractOf(other))).toEqual(found(contractOf(other)).state);
    const odd = { "previewRedeem(uint256)": (shares: bigint) => previewRedeem(sound, shares) - 1n };
    expect(after(contractOf(sound, odd))).toEqual({ refused: "shares out of proportion" });
    expect(after(contractOf({ ...sound, totalSupply: 1n << 127n }))).toMatchObject({
      refused: expect.any(String),
    });
    expect(after(contractOf(sound, { "maxDeposit(address)": () => undefined }))).toBe(undefined);
  });

  it("redeems as much as the greatest holder could, and nothing where none is named", () => {
    const { listing, state } = found(contractOf(sound));
    const quote = quotedBy(listing, state);
    expect(quote(1, sound.maxRedeem)).toBe(previewRedeem(sound, sound.maxRedeem));
    expect(quote(1, sound.maxRedeem + 1n)).toBe(REFUSED);
    expect(quote(0, sound.maxDeposit)).toBe(previewDeposit(sound, sound.maxDeposit));
    expect(quote(0, sound.maxDeposit + 1n)).toBe(REFUSED);
    const alone = openDex("erc4626", { vaults: [VAULT] });
    const read = asked(alone.read(listing), answering(contractOf(sound)));
    if (read === undefined || "refused" in read) throw new Error("no state");
    expect(quotedBy(listing, read)(1, 1n)).toBe(REFUSED);
    expect(quotedBy(listing, read)(0, 10n ** 18n)).toBe(previewDeposit(sound, 10n ** 18n));
  });

  it("is asked for a quote by its own preview, and for its depth by its limits", () => {
    const { listing, state } = found(contractOf(sound));
    const answer = answering(contractOf(sound));
    for (const positionIn of [0, 1]) {
      const { call, amountOut } = dex.quoteCall!(listing, positionIn, 1 - positionIn, 10n ** 18n)!;
      expect(amountOut(answer(call))).toBe(quotedBy(listing, state)(positionIn, 10n ** 18n));
      expect(amountOut(undefined)).toBe(REFUSED);
    }
    const [assets, shares] = dex.virtualReserves(listing, dex.shallowRead(listing).map(answer))!;
    expect(Number(assets) * (1 / Math.sqrt(0.98) - 1)).toBeCloseTo(1e30, -20);
    expect(Number(shares) / Number(assets) / (3e24 / 3.1e18)).toBeCloseTo(1);
    expect(dex.virtualReserves(listing, [])).toBe(undefined);
  });

  it("cannot be opened without a list of vaults", () => {
    for (const settings of [{}, { vaults: "0x" }, { vaults: ["0x12"] }]) {
      expect(() => openDex("erc4626", settings)).toThrow();
    }
  });
});
