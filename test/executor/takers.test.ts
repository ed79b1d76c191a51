import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { encodeAbiParameters, encodeFunctionData, parseAbiParameters } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenAbi } from "../contracts/ExecutorFixture.ts";
import { wrapping } from "../contracts/FamilyPools.ts";
import { ManyTokenPools } from "../contracts/ManyTokenPools.ts";
import { encodeSwap, NATIVE, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { back, ONE, PoolFixture, swapOver } from "../contracts/PoolFixture.ts";
import {
  type Act,
  callbackData,
  errorsMet,
  hookErrors,
  may,
  must,
  performData,
  SELECTORS,
  setHook,
  setScript,
  takeData,
  transferData,
  unlockCallback,
} from "../contracts/scriptedContracts.ts";
import { checkNothingStays } from "../contracts/tightSwaps.ts";

// Contracts that take their input by allowance: Curve's pools, Balancer's Vaults, vaults of shares.
// The sender has approved the executor without limit for all tokens.

describe("the executor, attacked by one that takes its input itself,", () => {
  let stage: PoolFixture;
  /** Runs any script, and has tokens to give. */
  let scripted: Address;
  let accomplice: Address;
  let honest: OrderLeg;
  let kinds: ReadonlyArray<readonly [OrderLeg, Hex]>;
  let pays: Act;
  beforeAll(async () => {
    stage = await PoolFixture.open(11);
    const { arena, a, b, c } = stage;
    scripted = await arena.deploy("ScriptedContract");
    accomplice = await arena.deploy("ScriptedContract");
    for (const token of [a, b, c])
      for (const holder of [scripted, accomplice]) await arena.give(token, holder, 10n ** 24n);
    await arena.endow(scripted);
    const pools = await ManyTokenPools.open(arena);
    honest = await pools.curve("CurvePool", [a, b], 100_000n * ONE);
    const leg = (kind: OrderLeg["kind"]): OrderLeg => ({
      ...{ kind, pool: scripted, tokenIn: a, tokenOut: b },
    });
    kinds = [
      [leg("stableSwap"), SELECTORS.exchange],
      [leg("cryptoSwap"), SELECTORS.exchangeByIndex],
      [{ ...leg("balancerV2"), poolId: `0x${"17".repeat(32)}` }, SELECTORS.vaultSwap],
      [leg("shares"), SELECTORS.redeem],
      [leg("wrapper"), SELECTORS.unwrap],
    ];
    pays = must(b, transferData(stage.sender, 5n));
  });
  afterAll(() => stage?.close());

  const acting = (selector: Hex, acts: ReadonlyArray<Act>, answer?: Hex) =>
    setScript(stage.arena, scripted, selector, acts, answer);
  const takes = (amount: bigint, token = stage.a) =>
    must(token, takeData(stage.arena.executor, scripted, amount));
  const allowed = (token = stage.a) => stage.arena.allowance(token, stage.arena.executor, scripted);

  async function setAnswer(token: Address, answer: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "setAnswer", args: [answer] });
    await stage.arena.mustSend({ from: stage.arena.operator, to: token, data });
  }

  async function setTax(token: Address, bps: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "setTax", args: [bps] });
    await stage.arena.mustSend({ from: stage.arena.operator, to: token, data });
  }

  it("lets it take what the leg sells, and gives back what it leaves, of every kind", async () => {
    for (const [leg, selector] of kinds) {
      for (const amount of [ONE, ONE - 1n, ONE / 2n, 0n]) {
        await acting(selector, [takes(amount), pays]);
        const { outcome, change } = await stage.play(swapOver("exactIn", leg));
        expect(outcome, leg.kind).toMatchObject({ succeeded: true });
        expect(change(stage.a, stage.sender)).toBe(-amount);
        expect(change(stage.b, stage.sender)).toBe(5n);
        expect(await allowed(), leg.kind).toBe(0n);
        await checkNothingStays(stage, change);
      }
    }
  });

  it("lets it take no more, in parts or of another token", async () => {
    for (const [leg, selector] of kinds) {
      for (const acts of [
        [takes(ONE + 1n)],
        [takes(ONE), takes(1n)],
        [takes(ONE), takes(1n, stage.b)],
        [must(stage.a, takeData(stage.sender, scripted, 1n))],
      ]) {
        await acting(selector, [...acts, pays]);
        expect(await stage.refusal(swapOver("exactIn", leg)), leg.kind).not.toBe("none");
      }
    }
  });

  it("lets it take no more than its leg sells, though more is there of another path", async () => {
    const { arena } = stage;
    const w = arena.wrappedNative;
    for (const [at, [kind, selector]] of kinds.slice(0, 3).entries()) {
      // An earlier path leaves all of its input, which this contract might take.
      const [otherKind, otherSelector] = kinds[(at + 1) % 3]!;
      const [leg, idle] = [kind, otherKind].map((each) => ({ ...each, tokenIn: w }));
      const paths = [pathOf(ONE, idle!), pathOf(ONE, leg!)];
      const split = { ...swapOver("exactIn", leg!), amountIn: 2n * ONE, value: 2n * ONE, paths };
      await acting(otherSelector, [pays]);
      await acting(selector, [takes(ONE + 1n, w), pays]);
      expect(await stage.refusal(split), leg!.kind).not.toBe("none");
      await acting(selector, [takes(ONE, w), pays]);
      expect(await stage.refusal(split), leg!.kind).toBe("none");
      // Leftovers of paths are returned in the form they were paid in.
      await acting(selector, [takes(ONE / 4n, w), pays]);
      const { outcome, change } = await stage.play(split);
      expect(outcome, leg!.kind).toMatchObject({ succeeded: true });
      expect(change(undefined, stage.sender)).toBe(-ONE / 4n);
      expect(await allowed(w)).toBe(0n);
      await checkNothingStays(stage, change);
    }
  });

  it("asks nothing of what it says, or does not", async () => {
    const words = [0n, 1n, 2n ** 256n - 1n].map((word) =>
      encodeAbiParameters(parseAbiParameters("uint256"), [word]),
    );
    for (const [leg, selector] of kinds) {
      for (const answer of ["0x", "0x12", ...words, `0x${"ff".repeat(1_000)}`] as const) {
        await acting(selector, [takes(ONE), pays], answer);
        const { outcome, change } = await stage.play(swapOver("exactIn", leg));
        expect(outcome, leg.kind).toMatchObject({ succeeded: true });
        expect(change(stage.b, stage.sender)).toBe(5n);
        // It reports a large output, and gives nothing.
        await acting(selector, [takes(ONE)], answer);
        expect(await stage.refusal(swapOver("exactIn", leg)), leg.kind).toBe("TooLittleOut");
      }
    }
  });

  it("is closed to it while it is called, orders and callbacks of all kinds", async () => {
    const { executor } = stage.arena;
    const order = encodeSwap(
      "exactIn",
      stage.order(swapOver("exactIn", stage.legs.abPair)),
      swapOver("exactIn", stage.legs.abPair).paths,
    );
    const tries = [order, callbackData(1n, -1n), callbackData(-1n, 1n), unlockCallback];
    for (const [leg, selector] of kinds) {
      await acting(selector, [
        ...tries.map((data) => may(executor, data)),
        takes(ONE),
        ...tries.map((data) => may(executor, data)),
        pays,
      ]);
      expect(await stage.refusal(swapOver("exactIn", leg)), leg.kind).toBe("none");
      const each = ["Reentered", ...Array.from({ length: 3 }, () => "NotTheCalledPool")];
      expect(await errorsMet(stage.arena, scripted), leg.kind).toEqual([...each, ...each]);
    }
  });

  it("leaves it nothing for a later order, of the same transaction or the next", async () => {
    const { arena, a, partner } = stage;
    const [leg, selector] = kinds[0]!;
    await arena.fund(a, partner, 10n * ONE);
    await acting(selector, [pays]);
    await setHook(
      arena,
      a,
      scripted,
      performData([may(a, takeData(arena.executor, scripted, 1n))]),
    );
    const had = await arena.balance(a, scripted);
    // In a later path of the order, and in the order of another sender.
    const split = swapOver("exactIn", leg);
    const paths = [pathOf(ONE, leg), pathOf(ONE, honest)];
    expect(await stage.refusal({ ...split, amountIn: 2n * ONE, paths })).toBe("none");
    const later = { ...swapOver("exactIn", honest), recipient: partner };
    const data = encodeSwap("exactIn", stage.order(later), later.paths);
    await arena.mustSend({ from: partner, to: arena.executor, data });
    const met = await errorsMet(arena, scripted);
    expect(met.length).toBeGreaterThan(4);
    expect(met.every((error) => error !== "none")).toBe(true);
    expect(await arena.balance(a, scripted)).toBe(had);
    expect(await hookErrors(arena, a)).not.toEqual([]);
    await setHook(arena, a, NATIVE, "0x");
  });

  it("approves tokens that return nothing, and refuse to change what is allowed", async () => {
    const [leg, selector] = kinds[0]!;
    await setAnswer(stage.a, 1n);
    // Twice: a leftover allowance of the first time would break the second.
    for (const amount of [ONE / 3n, 0n, ONE]) {
      await acting(selector, [takes(amount), pays]);
      const { outcome, change } = await stage.play(swapOver("exactIn", leg));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(stage.a, stage.sender)).toBe(-amount);
      expect(await allowed()).toBe(0n);
    }
    for (const answer of [2n, 3n]) {
      await setAnswer(stage.a, answer);
      expect(await stage.refusal(swapOver("exactIn", leg))).toBe("TransferFailed");
    }
    await setAnswer(stage.a, 0n);
  });

  it("refuses a taxed input, and takes one that is taxed on the way as it is", async () => {
    const { arena, a, b } = stage;
    await setTax(a, 100n);
    expect(await stage.refusal(swapOver("exactIn", honest))).not.toBe("none");
    // Nor can one take more than the executor holds.
    const [leg, selector] = kinds[0]!;
    await acting(selector, [takes(ONE), pays]);
    expect(await stage.refusal(swapOver("exactIn", leg))).not.toBe("none");
    // One that takes everything gets no more, and has no allowance afterwards.
    await acting(selector, [takes((ONE * 99n) / 100n), pays]);
    const { outcome } = await stage.play(swapOver("exactIn", leg));
    expect(outcome).toMatchObject({ succeeded: true });
    expect(await allowed()).toBe(0n);
    const { outcome: between, change } = await stage.play(
      swapOver("exactIn", back(stage.legs.abPair), honest, stage.legs.bcPair),
    );
    expect(between).toMatchObject({ succeeded: false });
    const behind = swapOver("exactIn", stage.wrapped.waPair, leg);
    await acting(selector, [takes(1_000n), pays]);
    const taken = await stage.play(behind);
    expect(taken.outcome).toMatchObject({ succeeded: true });
    await setTax(a, 0n);
    expect(await arena.balance(a, arena.executor)).toBe(0n);
    expect(await arena.balance(b, arena.executor)).toBe(0n);
    expect(change(a, arena.executor)).toBe(0n);
  });

  it("swaps through one pool twice, in one path and in two", async () => {
    const { arena, a, b, c, sender } = stage;
    const pools = await ManyTokenPools.open(arena);
    const curve = await pools.curve("CurvePool", [a, b, c], 100_000n * ONE);
    const weighted = await pools.weighted([a, b, c], 100_000n * ONE);
    const weightedV3 = await pools.weightedV3([a, b, c], 100_000n * ONE);
    for (const pool of [curve, weighted, weightedV3]) {
      const [ab, bc] = [
        { ...pool, tokenIn: a, tokenOut: b },
        { ...pool, tokenIn: b, tokenOut: c },
      ];
      const ac = { ...pool, tokenIn: a, tokenOut: c };
      const paths = [pathOf(ONE, ab, bc), pathOf(ONE, ac), pathOf(ONE, ac)];
      const swap = { ...swapOver("exactIn", ac), amountIn: 3n * ONE, paths };
      const { outcome, change } = await stage.play(swap);
      expect(outcome, pool.kind).toMatchObject({ succeeded: true });
      expect(change(a, sender)).toBe(-3n * ONE);
      expect(change(c, sender)).toBeGreaterThan((ONE * 29n) / 10n);
      await checkNothingStays(stage, change);
    }
  });

  it("gives back native tokens that a pool refunds, and takes none that it did not ask for", async () => {
    const { arena, a, b, sender } = stage;
    const refund: Act = { target: arena.executor, value: ONE / 4n, data: "0x", must: true };
    const native: OrderLeg = {
      ...{ kind: "stableSwap", pool: scripted, tokenIn: NATIVE, tokenOut: b },
    };
    await acting(SELECTORS.exchange, [refund, pays]);
    const first = await stage.play({ ...swapOver("exactIn", native), value: ONE });
    expect(first.outcome).toMatchObject({ succeeded: true });
    expect(first.change(undefined, sender)).toBe((-3n * ONE) / 4n);
    await checkNothingStays(stage, first.change);
    const [, unwrap] = wrapping(arena);
    const between = await stage.play(
      swapOver("exactIn", back(stage.wrapped.waPair), unwrap, native),
    );
    expect(between.outcome).toMatchObject({ succeeded: true });
    expect(between.change(undefined, sender)).toBe(ONE / 4n);
    await checkNothingStays(stage, between.change);
    // No token of the leg is native.
    for (const [leg, selector] of kinds) {
      await acting(selector, [takes(ONE), refund, pays]);
      expect(await stage.refusal(swapOver("exactIn", leg))).toBe("UnexpectedNative");
    }
    // During another's call with native tokens, or later.
    const given: Act = { target: arena.executor, value: 1n, data: "0x", must: false };
    await arena.endow(accomplice);
    await acting(SELECTORS.exchange, [must(accomplice, performData([given])), pays]);
    const value = { value: ONE };
    expect(await stage.refusal({ ...swapOver("exactIn", native), ...value })).toBe("none");
    expect(await errorsMet(arena, accomplice)).toEqual(["UnexpectedNative"]);
    const late = may(scripted, performData([{ ...given, must: true }]));
    await setHook(arena, b, accomplice, performData([late]));
    const behind = swapOver("exactIn", native, stage.legs.bcPair);
    await acting(SELECTORS.exchange, [must(b, transferData(arena.executor, ONE))]);
    expect(await stage.refusal({ ...behind, ...value })).toBe("none");
    // During its own call, and when its output is passed on.
    const after = (await errorsMet(arena, accomplice)).slice(1);
    expect(after).toEqual(["none", "UnexpectedNative"]);
    await setHook(arena, b, NATIVE, "0x");
    expect(await arena.balance(a, arena.executor)).toBe(0n);
  });

  it("gives native tokens out of a pool that pays them, measured by what has come", async () => {
    const { arena, a, sender } = stage;
    const native: OrderLeg = {
      ...{ kind: "cryptoSwap", pool: scripted, tokenIn: a, tokenOut: NATIVE },
    };
    const paid: Act = { target: arena.executor, value: 7n, data: "0x", must: true };
    await acting(SELECTORS.exchangeByIndex, [takes(ONE), paid]);
    const { outcome, change } = await stage.play(swapOver("exactIn", native));
    expect(outcome).toMatchObject({ succeeded: true });
    expect(change(undefined, sender)).toBe(7n);
    const tooMuch = { ...swapOver("exactIn", native), amountOutMin: 8n };
    expect(await stage.refusal(tooMuch)).toBe("TooLittleOut");
  });
});
