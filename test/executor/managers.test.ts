import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeSwap, NATIVE, type OrderLeg, pathOf } from "../contracts/orders.ts";
import {
  concentrated,
  type FixtureSwap,
  managed,
  ONE,
  PoolFixture,
  swapOver,
} from "../contracts/PoolFixture.ts";
import {
  type Act,
  ask,
  callbackData,
  errorsMet,
  managerAbi,
  may,
  must,
  performData,
  SELECTORS,
  setScript,
  swapAnswer,
  transferData,
  unlockCallback,
} from "../contracts/scriptedContracts.ts";
import { KINDS } from "../contracts/tightSwaps.ts";

// Pool managers of Uniswap V4's shape. The sender has approved the executor without limit for all
// tokens.

describe("the executor, attacked by a pool manager,", () => {
  let stage: PoolFixture;
  /** A manager that runs any script, and has tokens to give. */
  let scripted: Address;
  let accomplice: Address;
  let leg: OrderLeg;
  let pays: Act;
  beforeAll(async () => {
    stage = await PoolFixture.open(9);
    const { arena, a, b, c } = stage;
    scripted = await arena.deploy("ScriptedContract");
    accomplice = await arena.deploy("ScriptedContract");
    for (const token of [a, b, c])
      for (const holder of [scripted, accomplice]) await arena.give(token, holder, 10n ** 24n);
    leg = managed(scripted, a, b);
    pays = must(b, transferData(stage.sender, 5n));
  });
  afterAll(() => stage?.close());

  interface Part {
    readonly unlock?: ReadonlyArray<Act>;
    readonly swap?: Hex;
    readonly take?: ReadonlyArray<Act>;
    readonly who?: Address;
  }

  /** Scripts a manager's unlock, its answers to swaps, and its payouts. */
  async function acting({ unlock = [calledBack()], swap, take = [pays], who = scripted }: Part) {
    const { arena } = stage;
    await setScript(arena, who, SELECTORS.unlock, unlock);
    await setScript(arena, who, SELECTORS.managerSwap, [], swap ?? swapAnswer(leg, ONE, 5n));
    for (const selector of [SELECTORS.sync, SELECTORS.settle])
      await setScript(arena, who, selector, []);
    await setScript(arena, who, SELECTORS.take, take);
  }

  const calledBack = () => must(stage.arena.executor, unlockCallback);
  const triesAgain = () => may(stage.arena.executor, unlockCallback);
  const met = (who = scripted) => errorsMet(stage.arena, who);
  const refused = (swap: FixtureSwap) => stage.refusal(swap);

  it("pays what was ordered", async () => {
    await acting({});
    for (const kind of KINDS) {
      const { outcome, change } = await stage.play(swapOver(kind, leg));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(stage.a, stage.sender)).toBe(-ONE);
      expect(change(stage.b, stage.sender)).toBe(5n);
    }
  });

  it("never pays more than the leg's amount, nor than the most of an exact output", async () => {
    for (const amount of [ONE + 1n, 2n ** 127n - 1n]) {
      await acting({ swap: swapAnswer(leg, amount, 5n) });
      expect(await refused(swapOver("exactIn", leg))).toBe("PaymentTooLarge");
      expect(await refused(swapOver("exactOut", leg))).toBe("TooMuchIn");
    }
  });

  it("believes no swap that gives of what goes in, or takes of what comes out", async () => {
    for (const [taken, given] of [
      [-1n, 5n],
      [-(2n ** 127n - 1n), 5n],
      [ONE, -1n],
      [ONE, -(2n ** 127n)],
    ] as const) {
      await acting({ swap: swapAnswer(leg, taken, given) });
      for (const kind of KINDS) expect(await refused(swapOver(kind, leg))).toBe("UnsoundSwap");
    }
  });

  it("pays once for one unlock, whenever it is called back again", async () => {
    for (const kind of KINDS) {
      await acting({
        unlock: [calledBack(), triesAgain(), triesAgain()],
        take: [triesAgain(), pays],
      });
      const { outcome, change } = await stage.play(swapOver(kind, leg));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(stage.a, stage.sender)).toBe(-ONE);
      // Within `take`, and twice after the callback.
      expect(await met()).toEqual(Array.from({ length: 3 }, () => "NotTheCalledPool"));
    }
  });

  it("pays by the callback of its shape only", async () => {
    const { executor } = stage.arena;
    const asPool = [
      ask(leg, 1n),
      callbackData(1n, 1n),
      callbackData(1n, 1n, "algebraSwapCallback"),
    ];
    for (const kind of KINDS) {
      await acting({ unlock: [...asPool.map((data) => may(executor, data)), calledBack()] });
      expect(await stage.play(swapOver(kind, leg))).toMatchObject({ outcome: { succeeded: true } });
      expect(await met()).toEqual(asPool.map(() => "NotTheCalledPool"));
    }
    const pool = concentrated(scripted, stage.a, stage.b);
    const asManager = [triesAgain(), must(executor, ask(pool, ONE)), triesAgain(), pays];
    for (const kind of KINDS) {
      await setScript(stage.arena, scripted, SELECTORS.concentratedSwap, asManager);
      expect(await stage.play(swapOver(kind, pool))).toMatchObject({
        outcome: { succeeded: true },
      });
      expect(await met()).toEqual(["NotTheCalledPool", "NotTheCalledPool"]);
    }
  });

  it("pays nobody who was not unlocked: a friend, a stranger, the real manager for a stranger", async () => {
    const { arena, sender, partner } = stage;
    await setScript(arena, accomplice, SELECTORS.unlock, [triesAgain()]);
    const unlocking = encodeFunctionData({ abi: managerAbi, functionName: "unlock", args: ["0x"] });
    await acting({ unlock: [must(accomplice, unlocking), calledBack()] });
    expect(await stage.play(swapOver("exactIn", leg))).toMatchObject({
      outcome: { succeeded: true },
    });
    expect(await met(accomplice)).toEqual(["NotTheCalledPool"]);
    for (const from of [sender, partner])
      expect(await arena.send({ from, to: arena.executor, data: unlockCallback })).toMatchObject({
        error: "NotTheCalledPool",
      });
  });

  it("pays none after its unlock has ended, while another pool is called", async () => {
    const { arena, b, c, sender } = stage;
    await acting({ unlock: [must(b, transferData(arena.executor, 9n))] });
    const late = may(scripted, performData([calledBack()]));
    const gives = must(c, transferData(sender, 5n));
    const second = concentrated(accomplice, b, c);
    await setScript(arena, accomplice, SELECTORS.concentratedSwap, [late, gives]);
    const { outcome, change } = await stage.play(swapOver("exactIn", leg, second));
    expect(outcome).toMatchObject({ succeeded: true });
    expect(await met(accomplice)).toEqual(["NotTheCalledPool"]);
    expect(change(stage.a, sender)).toBe(0n);
    expect(change(b, sender)).toBe(9n);
  });

  it("refuses for the minimum when nothing is handed out, whatever it said", async () => {
    await acting({ swap: swapAnswer(leg, ONE, 2n ** 127n - 1n), take: [] });
    const fee = { recipient: stage.partner, bps: 100 };
    for (const kind of KINDS) {
      expect(await refused(swapOver(kind, leg))).toBe("TooLittleOut");
      expect(await refused({ ...swapOver(kind, leg), fee })).toBe("TooLittleOut");
    }
  });

  it("is locked for it, wherever it is called", async () => {
    const { arena } = stage;
    const order = stage.order({ ...swapOver("exactIn", leg), recipient: stage.partner });
    const again = KINDS.map((kind) =>
      may(arena.executor, encodeSwap(kind, order, [pathOf(ONE, leg)])),
    );
    for (const kind of KINDS) {
      await acting({ unlock: [...again, calledBack(), ...again], take: [...again, pays] });
      const { outcome, change } = await stage.play(swapOver(kind, leg));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(await met()).toEqual(Array.from({ length: 6 }, () => "Reentered"));
      expect(change(stage.a, stage.sender)).toBe(-ONE);
    }
  });

  it("pays managers of one path each its own, and neither in the other's place", async () => {
    const { arena, a, b, c, sender } = stage;
    const first = managed(accomplice, a, b);
    const last = managed(scripted, b, c);
    await acting({
      unlock: [may(accomplice, performData([calledBack()])), calledBack(), triesAgain()],
      swap: swapAnswer(last, 100n, 5n),
      take: [may(accomplice, performData([calledBack()])), must(c, transferData(sender, 5n))],
    });
    await acting({
      unlock: [may(scripted, performData([calledBack()])), calledBack(), triesAgain()],
      swap: swapAnswer(first, 10n, 100n),
      take: [must(b, transferData(arena.executor, 100n))],
      who: accomplice,
    });
    const exact = await stage.play(swapOver("exactOut", first, last));
    expect(exact.outcome).toMatchObject({ succeeded: true });
    expect(exact.change(a, sender)).toBe(-10n);
    expect(exact.change(b, sender)).toBe(0n);
    expect(exact.change(c, sender)).toBe(5n);
    const errors = [...(await met()), ...(await met(accomplice))];
    expect(new Set(errors)).toEqual(new Set(["NotTheCalledPool"]));
  });

  it("lets one take no more of the most than what an earlier path has left", async () => {
    await acting({ swap: swapAnswer(leg, (ONE * 6n) / 10n, 5n) });
    const swap = swapOver("exactOut", leg);
    expect(await refused(swap)).toBe("none");
    expect(await refused({ ...swap, paths: [...swap.paths, ...swap.paths] })).toBe("TooMuchIn");
  });

  it("takes native tokens from a manager while it is unlocked, and at no other time", async () => {
    const { arena, a, sender } = stage;
    await arena.endow(scripted);
    const native = managed(scripted, a, NATIVE);
    const sends: Act = { target: arena.executor, value: 7n, data: "0x", must: true };
    await acting({ swap: swapAnswer(native, ONE, 7n), take: [sends] });
    for (const kind of KINDS) {
      const { outcome, change } = await stage.play(swapOver(kind, native));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(undefined, sender)).toBe(7n);
    }
    const now = { from: arena.operator, to: scripted, data: performData([sends]) };
    expect(await arena.send(now)).toMatchObject({ error: "UnexpectedNative" });
    const late = may(scripted, performData([sends]));
    const second = concentrated(accomplice, stage.b, stage.c);
    await acting({ take: [must(stage.b, transferData(arena.executor, 9n))] });
    const gives = must(stage.c, transferData(sender, 5n));
    await setScript(arena, accomplice, SELECTORS.concentratedSwap, [late, gives]);
    expect(await refused(swapOver("exactIn", leg, second))).toBe("none");
    expect(await met(accomplice)).toEqual(["UnexpectedNative"]);
  });
});
