import type { Address } from "@millrace/core";
import { executorAbi } from "@millrace/execution";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approval } from "../contracts/ExecutorFixture.ts";
import { encodeSwap, type OrderLeg, pathOf } from "../contracts/orders.ts";
import {
  concentrated,
  type FixtureSwap,
  ONE,
  PoolFixture,
  swapOver,
} from "../contracts/PoolFixture.ts";
import {
  type Act,
  ask,
  callbackData,
  errorsMet,
  hookErrors,
  may,
  must,
  performData,
  reservesAnswer,
  SELECTORS,
  setHook,
  setScript,
  transferData,
} from "../contracts/scriptedContracts.ts";

// Attacks on every rule of the contract. The sender has approved the executor without limit for all
// tokens.

describe("the executor, attacked,", () => {
  let stage: PoolFixture;
  let native: Address;
  /** A pool that runs any script, and has tokens to give. */
  let scripted: Address;
  let accomplice: Address;
  beforeAll(async () => {
    stage = await PoolFixture.open(3);
    native = stage.arena.wrappedNative;
    scripted = await stage.arena.deploy("ScriptedContract");
    accomplice = await stage.arena.deploy("ScriptedContract");
    for (const token of [stage.a, stage.b, stage.c])
      for (const holder of [scripted, accomplice])
        await stage.arena.give(token, holder, 10n ** 24n);
  });
  afterAll(() => stage?.close());

  const acting = (acts: ReadonlyArray<Act>, who = scripted) =>
    setScript(stage.arena, who, SELECTORS.concentratedSwap, acts);

  /** All balances of the sender. */
  const wealth = async () => {
    const tokens = [stage.a, stage.b, stage.c, native];
    return stage.arena.balances(tokens.map((token) => [token, stage.sender]));
  };

  describe("by a pool", () => {
    let leg: OrderLeg;
    let pays: Act;
    beforeAll(() => {
      leg = concentrated(scripted, stage.a, stage.b);
      pays = must(stage.b, transferData(stage.sender, 5n));
    });

    it("pays what was ordered, to either callback", async () => {
      for (const name of [
        "uniswapV3SwapCallback",
        "pancakeV3SwapCallback",
        "algebraSwapCallback",
      ] as const) {
        const [amount0, amount1] = stage.a < stage.b ? [ONE, -5n] : [-5n, ONE];
        await acting([pays, must(stage.arena.executor, callbackData(amount0!, amount1!, name))]);
        const { outcome, change } = await stage.play(swapOver("exactIn", leg));
        expect(outcome).toMatchObject({ succeeded: true });
        expect(change(stage.a, stage.sender)).toBe(-ONE);
      }
    });

    it("never pays more than the leg's amount", async () => {
      for (const amount of [ONE + 1n, 2n ** 255n - 1n, -1n, -(2n ** 255n)]) {
        await acting([pays, must(stage.arena.executor, ask(leg, amount))]);
        expect(await stage.refusal(swapOver("exactIn", leg)), `${amount}`).toBe("PaymentTooLarge");
      }
    });

    it("never pays more than the most of an exact output", async () => {
      await acting([pays, must(stage.arena.executor, ask(leg, ONE + 1n))]);
      expect(await stage.refusal(swapOver("exactOut", leg))).toBe("TooMuchIn");
      for (const amount of [2n ** 255n - 1n, -1n]) {
        await acting([pays, must(stage.arena.executor, ask(leg, amount))]);
        expect(await stage.refusal(swapOver("exactOut", leg))).not.toBe("none");
      }
    });

    it("never pays twice for one call, though both together were within the amount", async () => {
      const half = ask(leg, ONE / 2n);
      for (const kind of ["exactIn", "exactOut"] as const) {
        const { executor } = stage.arena;
        await acting([pays, must(executor, half), may(executor, half), may(executor, half)]);
        const { outcome, change } = await stage.play(swapOver(kind, leg));
        expect(outcome).toMatchObject({ succeeded: true });
        expect(await errorsMet(stage.arena, scripted)).toEqual([
          "NotTheCalledPool",
          "NotTheCalledPool",
        ]);
        expect(change(stage.a, stage.sender)).toBe(-ONE / 2n);
      }
    });

    it("pays no other token than the leg's, whichever side the pool names", async () => {
      const other = stage.a < stage.b ? callbackData(0n, ONE) : callbackData(ONE, 0n);
      await acting([pays, must(stage.arena.executor, other)]);
      const before = await wealth();
      const { outcome } = await stage.play(swapOver("exactIn", leg));
      expect(outcome).toMatchObject({ succeeded: true });
      const after = await wealth();
      expect(after.map((amount, index) => amount - before[index]!)).toEqual([0n, 5n, 0n, 0n]);
    });

    it("pays none that was not called: the pool of another leg, its friend, a stranger", async () => {
      const { executor } = stage.arena;
      await acting([may(executor, ask(leg, 1n)), pays], accomplice);
      // While the accomplice is called, the scripted contract calls back, and the other way round.
      await acting([
        must(accomplice, performData([may(executor, ask(leg, 1n))])),
        pays,
        must(executor, ask(leg, ONE)),
      ]);
      const { outcome } = await stage.play(swapOver("exactIn", leg));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(await errorsMet(stage.arena, accomplice)).toEqual(["NotTheCalledPool"]);
      for (const from of [stage.partner, stage.sender])
        expect(await stage.arena.send({ from, to: executor, data: ask(leg, 1n) })).toMatchObject({
          error: "NotTheCalledPool",
        });
    });

    it("pays none after its call has ended, in the same transaction or a later one", async () => {
      const { executor } = stage.arena;
      const second = concentrated(accomplice, stage.b, stage.c);
      // The first pool asks for its payment not in its own call, but during the second's.
      await acting([must(stage.b, transferData(executor, 9n))]);
      const late = may(scripted, performData([must(executor, ask(leg, ONE))]));
      await acting([late, must(stage.c, transferData(stage.sender, 5n))], accomplice);
      const { outcome, change } = await stage.play(swapOver("exactIn", leg, second));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(await errorsMet(stage.arena, accomplice)).toEqual(["NotTheCalledPool"]);
      expect(change(stage.a, stage.sender)).toBe(0n);
      // The sender gets the part of the first's output that the second did not take.
      expect(change(stage.b, stage.sender)).toBe(9n);
      const now = performData([must(executor, ask(leg, 1n))]);
      const { operator: from } = stage.arena;
      expect(await stage.arena.send({ from, to: scripted, data: now })).toMatchObject({
        error: "NotTheCalledPool",
      });
    });

    it("pays none late, while a pair is called or a later order of the same transaction", async () => {
      const { arena, a, b, c } = stage;
      const late = may(scripted, performData([must(arena.executor, ask(leg, ONE))]));
      // The pool gives something, and does not ask for its payment.
      await acting([must(b, transferData(accomplice, 9n))]);
      await setScript(arena, accomplice, SELECTORS.getReserves, [], reservesAnswer(ONE, ONE));
      await setScript(arena, accomplice, SELECTORS.pairSwap, [
        late,
        must(c, transferData(stage.sender, 5n)),
      ]);
      const pair: OrderLeg = { kind: "pair", pool: accomplice, tokenIn: b, tokenOut: c };
      const { outcome, change } = await stage.play(swapOver("exactIn", leg, pair));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(await errorsMet(arena, accomplice)).toEqual(["NotTheCalledPool"]);
      expect(change(a, stage.sender)).toBe(0n);

      const orderOf = (swap: FixtureSwap) =>
        must(arena.executor, encodeSwap(swap.kind, stage.order(swap), swap.paths));
      await acting([pays]);
      await setHook(arena, a, scripted, performData([must(arena.executor, ask(leg, ONE))]));
      const before = await arena.balance(a, accomplice);
      const honest = [must(a, approval(arena.executor, 9n * ONE))];
      honest.push(orderOf(swapOver("exactIn", stage.legs.abPair)));
      const bundle = [orderOf(swapOver("exactIn", leg)), must(accomplice, performData(honest))];
      await arena.mustSend({ from: arena.operator, to: scripted, data: performData(bundle) });
      expect(await hookErrors(arena, a)).toEqual(["NotTheCalledPool"]);
      expect(await arena.balance(a, accomplice)).toBe(before - ONE);
      await setHook(arena, a, NOBODY, "0x");
    });

    it("pays nested pools once each, and neither in the other's place", async () => {
      const { executor } = stage.arena;
      const first = concentrated(accomplice, stage.a, stage.b);
      const last = concentrated(scripted, stage.b, stage.c);
      const asLast = may(scripted, performData([must(executor, ask(last, 7n))]));
      const asFirst = may(accomplice, performData([must(executor, ask(first, 7n))]));
      // Last, called first: asks, which calls the first; both try again at every point.
      await acting([
        asFirst,
        must(executor, ask(last, 100n)),
        may(executor, ask(last, 100n)),
        asFirst,
        must(stage.c, transferData(stage.sender, 5n)),
      ]);
      await acting(
        [
          asLast,
          must(stage.b, transferData(scripted, 100n)),
          must(executor, ask(first, 10n)),
          asLast,
          may(executor, ask(first, 10n)),
        ],
        accomplice,
      );
      const { outcome, change } = await stage.play(swapOver("exactOut", first, last));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(stage.a, stage.sender)).toBe(-10n);
      expect(change(stage.b, stage.sender)).toBe(0n);
      const met = [
        ...(await errorsMet(stage.arena, scripted)),
        ...(await errorsMet(stage.arena, accomplice)),
      ];
      expect(met).toEqual(Array.from({ length: 6 }, () => "NotTheCalledPool"));
    });

    it("pays the whole path of an exact output no more than the most", async () => {
      const { executor } = stage.arena;
      const last = concentrated(scripted, stage.b, stage.c);
      await acting([
        must(executor, ask(last, 3n * ONE)),
        must(stage.c, transferData(stage.sender, 5n)),
      ]);
      for (const first of [stage.legs.abPair, stage.legs.abV3])
        expect(await stage.refusal(swapOver("exactOut", first, last))).toBe("TooMuchIn");
      const split = swapOver("exactOut", stage.legs.abPair);
      const paths = [
        pathOf(ONE / 2n, stage.legs.abPair),
        pathOf((ONE * 7n) / 10n, stage.legs.abV3),
      ];
      expect(await stage.refusal({ ...split, paths })).toBe("TooMuchIn");
    });

    it("of pair's shape gets its input, and no callback", async () => {
      const { executor } = stage.arena;
      const pairLeg: OrderLeg = { ...leg, kind: "pair" };
      await setScript(stage.arena, scripted, SELECTORS.getReserves, [], reservesAnswer(1n, 1n));
      await setScript(stage.arena, scripted, SELECTORS.pairSwap, [
        may(executor, ask(leg, 1n)),
        may(executor, callbackData(1n, 1n)),
        pays,
      ]);
      const { outcome, change } = await stage.play(swapOver("exactIn", pairLeg));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(await errorsMet(stage.arena, scripted)).toEqual([
        "NotTheCalledPool",
        "NotTheCalledPool",
      ]);
      expect(change(stage.a, stage.sender)).toBe(-ONE);
    });

    it("that gives nothing is refused for the minimum, whatever it says that it gave", async () => {
      await setScript(
        stage.arena,
        scripted,
        SELECTORS.concentratedSwap,
        [must(stage.arena.executor, ask(leg, ONE))],
        reservesAnswer(-(10n ** 20n) & (2n ** 256n - 1n), ONE),
      );
      expect(await stage.refusal(swapOver("exactIn", leg))).toBe("TooLittleOut");
      const fee = { recipient: stage.partner, bps: 100 };
      expect(await stage.refusal({ ...swapOver("exactIn", leg), fee })).toBe("TooLittleOut");
    });

    it("is not a token: neither the wrapped native one nor the order's own", async () => {
      for (const pool of [native, stage.a, stage.b, stage.arena.executor])
        for (const kind of ["pair", "volatile", "stable", "concentrated", "managed"] as const)
          expect(await stage.refusal(swapOver("exactIn", { ...leg, kind, pool }))).not.toBe("none");
    });
  });

  it("takes native tokens from the wrapped one only", async () => {
    const { arena, sender: from } = stage;
    const to = arena.executor;
    expect(await arena.send({ from, to, data: "0x", value: 1n })).toMatchObject({
      error: "UnexpectedNative",
    });
    const view = encodeFunctionData({ abi: executorAbi, functionName: "wrappedNative" });
    expect(await arena.send({ from, to, data: view, value: 1n })).toMatchObject({
      succeeded: false,
    });
    expect(await arena.send({ from, to, data: "0x12345678" })).toMatchObject({ succeeded: false });
  });
});

const NOBODY: Address = `0x${"00".repeat(20)}`;
