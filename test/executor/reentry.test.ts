import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approval } from "../contracts/ExecutorFixture.ts";
import { encodeSwap, FAR, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { back, concentrated, ONE, PoolFixture, swapOver } from "../contracts/PoolFixture.ts";
import {
  ask,
  errorsMet,
  hookErrors,
  may,
  must,
  performData,
  SELECTORS,
  setHook,
  setScript,
  transferData,
} from "../contracts/scriptedContracts.ts";

// The sender has approved the executor without limit for all tokens.

describe("the executor, called again,", () => {
  let stage: PoolFixture;
  /** Runs any script, and has tokens to give. */
  let scripted: Address;
  let receiver: Address;
  beforeAll(async () => {
    stage = await PoolFixture.open(7);
    scripted = await stage.arena.deploy("ScriptedContract");
    receiver = await stage.arena.deploy("ScriptedContract");
    for (const token of [stage.a, stage.b]) await stage.arena.give(token, scripted, 10n ** 24n);
  });
  afterAll(() => stage?.close());

  const calls = (): ReadonlyArray<Hex> => {
    const swap = { ...swapOver("exactIn", stage.legs.abPair), recipient: stage.partner };
    const permit = { amount: 1n, deadline: 1n, v: 27, r: ZERO, s: ZERO };
    const order = stage.order(swap);
    return [undefined, permit].flatMap((given) =>
      (["exactIn", "exactOut"] as const).map((kind) => encodeSwap(kind, order, swap.paths, given)),
    );
  };

  it("is locked for a token", async () => {
    const { arena, sender, b } = stage;
    const token = await arena.token();
    const pool = await arena.pair([token, 100n * ONE], [b, 100n * ONE]);
    await arena.fund(token, sender, 100n * ONE);
    for (const data of calls()) {
      await setHook(arena, token, arena.executor, data);
      const leg: OrderLeg = { kind: "pair", pool, tokenIn: token, tokenOut: b };
      for (const next of [leg, back(leg)]) {
        const { outcome } = await stage.play(swapOver("exactIn", next));
        expect(outcome).toMatchObject({ succeeded: true });
      }
      expect(await hookErrors(arena, token)).toEqual(["Reentered", "Reentered"]);
    }
  });

  it("is locked for a pool, while it is called and in its callback", async () => {
    const { arena, a, b, sender } = stage;
    const leg = concentrated(scripted, a, b);
    const again = calls().map((data) => may(arena.executor, data));
    const asked = must(arena.executor, ask(leg, ONE));
    const pays = must(b, transferData(sender, 5n));
    const acts = [...again, asked, ...again, pays];
    await setScript(arena, scripted, SELECTORS.concentratedSwap, acts);
    expect(await stage.play(swapOver("exactIn", leg))).toMatchObject({
      outcome: { succeeded: true },
    });
    expect(await errorsMet(arena, scripted)).toEqual(again.concat(again).map(() => "Reentered"));
  });

  it("is locked for who receives native tokens", async () => {
    const { arena } = stage;
    const again = calls().map((data) => may(arena.executor, data));
    await setScript(arena, receiver, SELECTORS.received, again);
    const swap = { ...swapOver("exactIn", back(stage.wrapped.waPair)), recipient: receiver };
    const { outcome } = await stage.play({ ...swap, nativeOut: true });
    expect(outcome).toMatchObject({ succeeded: true });
    expect(await errorsMet(arena, receiver)).toEqual(again.map(() => "Reentered"));
  });

  it("is open again afterwards, in the same transaction too, and begins anew", async () => {
    const { arena, a, b } = stage;
    const approve = must(a, approval(arena.executor, 10n * ONE));
    for (const kind of ["exactIn", "exactOut"] as const) {
      const swap = { ...swapOver(kind, stage.legs.abPair), amountIn: (ONE * 5n) / 4n };
      const paths = [pathOf(kind === "exactIn" ? swap.amountIn : ONE, stage.legs.abPair)];
      const order = { ...stage.order(swap), recipient: stage.partner };
      const sent = must(arena.executor, encodeSwap(kind, order, paths));
      const before = await arena.balance(b, stage.partner);
      const data = performData([approve, sent, sent]);
      await arena.mustSend({ from: arena.operator, to: scripted, data });
      expect(await arena.balance(b, stage.partner)).toBeGreaterThanOrEqual(before + 2n * ONE);
    }
  });

  it("takes from who sent the order, not from who sent the transaction", async () => {
    const { arena, a, sender, legs } = stage;
    const tokens = [stage.a, stage.b, stage.c, arena.wrappedNative];
    const wealth = () => arena.balances(tokens.map((token) => [token, sender]));
    const before = await wealth();
    for (const leg of [legs.abPair, legs.abV3]) {
      for (const kind of ["exactIn", "exactOut"] as const) {
        const swap = swapOver(kind, leg);
        const most = { ...stage.order(swap), recipient: stage.partner, amountIn: 2n * ONE };
        const order = kind === "exactIn" ? { ...most, amountIn: ONE } : most;
        const data = encodeSwap(kind, order, swap.paths);
        const permit = { amount: ONE, deadline: FAR, v: 27, r: ZERO, s: ZERO };
        const permitted = encodeSwap(kind, order, swap.paths, permit);
        const had = await arena.balance(a, scripted);
        for (const [amount, given] of [
          [0n, data],
          [0n, permitted],
          [9n * ONE, data],
        ] as const) {
          const acts = [must(a, approval(arena.executor, amount)), must(arena.executor, given)];
          const sent = await arena.send({ from: sender, to: scripted, data: performData(acts) });
          expect(sent.succeeded).toBe(amount > 0n);
        }
        expect(await arena.balance(a, scripted)).toBeLessThan(had);
      }
    }
    expect(await wealth()).toEqual(before);
  });
});

const ZERO: Hex = `0x${"00".repeat(32)}`;
