import { REFUSED } from "@millrace/core";
import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  address,
  answersOf,
  asked,
  type Contract,
  openDex,
  quotedBy,
  resolved,
} from "./wrapperChain.ts";

const WSTETH = address("fa");
const STETH = address("5e");
const WETH = address("ee");
const dex = openDex("lido", {});

/** `Lido.sol`: shares and ether of the pool itself, those of vaults on top, and today's room. */
interface Lido {
  readonly internalShares: bigint;
  readonly internalEther: bigint;
  /** Undefined before the version that has them. */
  readonly externalShares: bigint | undefined;
  readonly stakeLimit: bigint;
}

const sharesFor = ({ internalShares, internalEther }: Lido, ether: bigint) =>
  (ether * internalShares) / internalEther;

function contractsOf(lido: Lido, changes: Contract = {}) {
  const { internalShares, internalEther, externalShares, stakeLimit } = lido;
  const externalEther =
    externalShares === undefined ? undefined : (externalShares * internalEther) / internalShares;
  const stETH: Contract = {
    "getTotalShares()": () => internalShares + (externalShares ?? 0n),
    "getTotalPooledEther()": () => internalEther + (externalEther ?? 0n),
    "getExternalShares()": () => externalShares,
    "getExternalEther()": () => externalEther,
    "getCurrentStakeLimit()": () => stakeLimit,
    ...changes,
  };
  const wstETH: Contract = {
    "stETH()": () => BigInt(STETH),
    "getWstETHByStETH(uint256)": (ether) => sharesFor(lido, ether),
  };
  return answersOf(
    new Map([
      [STETH, stETH],
      [WSTETH, wstETH],
    ]),
  );
}

const sound: Lido = {
  internalShares: 7_700_000n * 10n ** 18n + 7n,
  internalEther: 9_400_000n * 10n ** 18n + 11n,
  externalShares: 1_234n * 10n ** 18n + 5n,
  stakeLimit: 150_000n * 10n ** 18n,
};

function found(answer: ReturnType<typeof contractsOf>) {
  const creation = resolved(dex.configured![0]!, answer);
  if (creation === undefined || !("listing" in creation)) throw new Error("no pool");
  const { listing } = creation;
  return { listing, state: asked(dex.read(listing), answer) };
}

function stateOf(lido: Lido) {
  const { listing, state } = found(contractsOf(lido));
  if (state === undefined || "refused" in state) throw new Error("no state");
  return { listing, state };
}

describe("staking by wstETH", () => {
  it("is a pool of the native token and wstETH, one way", () => {
    const { listing, state } = stateOf(sound);
    expect(listing).toMatchObject({ address: WSTETH, tokens: [WETH, WSTETH], curve: "wrapper" });
    const quote = quotedBy(listing, state);
    expect(quote(1, 1n)).toBe(REFUSED);
    expect(quote(0, sound.stakeLimit)).toBe(sharesFor(sound, sound.stakeLimit));
    expect(quote(0, sound.stakeLimit + 1n)).toBe(REFUSED);
  });

  it("gives as many as Lido makes shares for the ether, to the wei, before and after vaults came", () => {
    const total = fc.bigInt(10n ** 20n, 10n ** 26n);
    const lido = fc.record({
      ...{ internalShares: total, internalEther: total, stakeLimit: fc.constant(1n << 200n) },
      externalShares: fc.option(fc.bigInt(0n, 10n ** 25n), { nil: undefined }),
    });
    const amount = fc.oneof(fc.bigInt(1n, 1_000n), fc.bigInt(1n, 10n ** 24n));
    fc.assert(
      fc.property(lido, amount, (drawn, ether) => {
        const { listing, state } = stateOf(drawn);
        expect(quotedBy(listing, state)(0, ether)).toBe(sharesFor(drawn, ether));
      }),
      law("shares of staked ether", 2_000).options,
    );
  });

  it("is asked at every block, and is refused where the shares are out of proportion", () => {
    const { listing, state } = stateOf(sound);
    const calls = dex.eachBlock!.calls(listing);
    const after = (answer: ReturnType<typeof contractsOf>) =>
      dex.eachBlock!.apply(listing, state, calls.map(answer));
    expect(after(contractsOf(sound))).toBe(state);
    const reported = { ...sound, internalEther: sound.internalEther + 10n ** 20n };
    expect(after(contractsOf(reported))).toEqual(stateOf(reported).state);
    const odd = contractsOf(sound, { "getTotalShares()": () => sound.internalShares });
    expect(after(odd)).toEqual({ refused: "shares out of proportion" });
    expect(after(contractsOf(sound, { "getCurrentStakeLimit()": () => undefined }))).toBe(
      undefined,
    );
    expect(after(contractsOf({ ...sound, stakeLimit: 0n }))).toEqual(
      stateOf({ ...sound, stakeLimit: 0n }).state,
    );
  });

  it("is asked for a quote by what wstETH says of stETH", () => {
    const { listing, state } = stateOf(sound);
    const { call, amountOut } = dex.quoteCall!(listing, 0, 1, 10n ** 18n)!;
    expect(amountOut(contractsOf(sound)(call))).toBe(quotedBy(listing, state)(0, 10n ** 18n));
    expect(amountOut(undefined)).toBe(REFUSED);
    expect(dex.quoteCall!(listing, 1, 0, 10n ** 18n)).toBe(undefined);
  });

  it("is none where wstETH does not say what it wraps", () => {
    const silent = answersOf(new Map([[WSTETH, {}]]));
    expect(resolved(dex.configured![0]!, silent)).toBe(undefined);
  });
});
