import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ManyTokenPools } from "../contracts/ManyTokenPools.ts";
import { encodeSwap, NATIVE, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { concentrated, managed, ONE, PoolFixture, swapOver } from "../contracts/PoolFixture.ts";
import {
  type Act,
  callbackData,
  errorsMet,
  may,
  must,
  performData,
  SELECTORS,
  setScript,
  transferData,
  unlockCallback,
} from "../contracts/scriptedContracts.ts";
import { checkNothingStays } from "../contracts/tightSwaps.ts";

// Vaults of Balancer V3's shape. The sender has approved the executor without limit for all tokens.

const vaultAbi = parseAbi(["function unlock(bytes data)"]);

describe("the executor, attacked by a vault,", () => {
  let stage: PoolFixture;
  /** A vault that runs any script, and has tokens to give. */
  let scripted: Address;
  let accomplice: Address;
  let leg: OrderLeg;
  let real: OrderLeg;
  let pays: Act;
  beforeAll(async () => {
    stage = await PoolFixture.open(12);
    const { arena, a, b, c, sender } = stage;
    scripted = await arena.deploy("ScriptedContract");
    accomplice = await arena.deploy("ScriptedContract");
    for (const token of [a, b, c])
      for (const holder of [scripted, accomplice]) await arena.give(token, holder, 10n ** 24n);
    const pools = await ManyTokenPools.open(arena);
    real = await pools.weightedV3([a, b, c], 100_000n * ONE);
    leg = { ...real, pool: scripted };
    pays = must(b, transferData(sender, 5n));
  });
  afterAll(() => stage?.close());

  interface Part {
    readonly unlock?: ReadonlyArray<Act>;
    /** The payment and the swap output that it reports. */
    readonly paid?: bigint;
    readonly given?: bigint;
    readonly swap?: ReadonlyArray<Act>;
    readonly sendTo?: ReadonlyArray<Act>;
  }

  async function acting({ paid = ONE, given = 5n, swap = [], ...part }: Part): Promise<void> {
    const { unlock = [calledBack()], sendTo = [pays] } = part;
    const set = (selector: Hex, acts: ReadonlyArray<Act>, answer?: Hex) =>
      setScript(stage.arena, scripted, selector, acts, answer);
    const words = (...values: ReadonlyArray<bigint>) =>
      values.map((value) => encodeAbiParameters(parseAbiParameters("uint256"), [value]).slice(2));
    await set(SELECTORS.unlock, unlock);
    await set(SELECTORS.vaultV3Settle, [], `0x${words(paid).join("")}`);
    await set(SELECTORS.vaultV3Swap, swap, `0x${words(given, paid, given).join("")}`);
    await set(SELECTORS.sendTo, sendTo);
  }

  const calledBack = () => must(stage.arena.executor, unlockCallback);
  const triesAgain = () => may(stage.arena.executor, unlockCallback);
  const met = (who = scripted) => errorsMet(stage.arena, who);

  it("pays it the leg's amount and no more, whatever it says that it got", async () => {
    for (const paid of [0n, 1n, ONE, ONE + 1n, 2n ** 255n, 2n ** 256n - 1n]) {
      await acting({ paid });
      const { outcome, change } = await stage.play(swapOver("exactIn", leg));
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(stage.a, stage.sender)).toBe(-ONE);
      expect(change(stage.b, stage.sender)).toBe(5n);
      expect(await stage.arena.allowance(stage.a, stage.arena.executor, scripted)).toBe(0n);
      await checkNothingStays(stage, change);
    }
  });

  it("refuses for the minimum when nothing is handed out, whatever it said", async () => {
    for (const given of [5n, 2n ** 256n - 1n]) {
      await acting({ given, sendTo: [] });
      expect(await stage.refusal(swapOver("exactIn", leg))).toBe("TooLittleOut");
      await acting({ given, unlock: [] });
      expect(await stage.refusal(swapOver("exactIn", leg))).toBe("TooLittleOut");
    }
  });

  it("is called back once, by the vault that it unlocked, with nothing of its own", async () => {
    const { arena, sender, partner } = stage;
    const tries = [triesAgain(), may(arena.executor, callbackData(1n, -1n))];
    await acting({
      unlock: [...tries.slice(1), calledBack(), ...tries],
      swap: tries,
      sendTo: [...tries, pays],
    });
    const { outcome } = await stage.play(swapOver("exactIn", leg));
    expect(outcome).toMatchObject({ succeeded: true });
    expect(await met()).toEqual(Array.from({ length: 7 }, () => "NotTheCalledPool"));
    for (const from of [sender, partner])
      expect(await arena.send({ from, to: arena.executor, data: unlockCallback })).toMatchObject({
        error: "NotTheCalledPool",
      });
    // The real vault calls back only its unlocker.
    const args = [unlockCallback] as const;
    const unlocking = encodeFunctionData({ abi: vaultAbi, functionName: "unlock", args });
    await acting({ unlock: [may(real.pool, unlocking), calledBack()] });
    expect(await stage.refusal(swapOver("exactIn", leg))).toBe("none");
    const theft = encodeFunctionData({
      ...{ abi: vaultAbi, functionName: "unlock", args: [transferData(partner, 1n)] },
    });
    const had = await arena.balance(stage.a, partner);
    await arena.send({ from: partner, to: real.pool, data: theft });
    expect(await arena.balance(stage.a, partner)).toBe(had);
  });

  it("is closed to a friend of the vault, and to the vault when its unlock has ended", async () => {
    const { arena, b, c, sender } = stage;
    await setScript(arena, accomplice, SELECTORS.unlock, [triesAgain()]);
    const unlocking = encodeFunctionData({ abi: vaultAbi, functionName: "unlock", args: ["0x"] });
    await acting({ unlock: [must(accomplice, unlocking), calledBack()] });
    expect(await stage.refusal(swapOver("exactIn", leg))).toBe("none");
    expect(await met(accomplice)).toEqual(["NotTheCalledPool"]);
    await acting({ unlock: [must(b, transferData(arena.executor, 9n))] });
    const late = may(scripted, performData([calledBack()]));
    const second = concentrated(accomplice, b, c);
    await setScript(arena, accomplice, SELECTORS.concentratedSwap, [
      late,
      must(c, transferData(sender, 5n)),
    ]);
    expect(await stage.refusal(swapOver("exactIn", leg, second))).toBe("none");
    expect(await met(accomplice)).toEqual(["NotTheCalledPool"]);
  });

  it("is locked for it, wherever it is called", async () => {
    const { arena } = stage;
    const order = stage.order({ ...swapOver("exactIn", leg), recipient: stage.partner });
    const again = may(arena.executor, encodeSwap("exactIn", order, [pathOf(ONE, leg)]));
    await acting({ unlock: [again, calledBack(), again], swap: [again], sendTo: [again, pays] });
    expect(await stage.refusal(swapOver("exactIn", leg))).toBe("none");
    expect(await met()).toEqual(Array.from({ length: 4 }, () => "Reentered"));
  });

  it("pays one no native tokens, and takes none of it", async () => {
    const { arena, a, b } = stage;
    await arena.endow(scripted);
    const sends: Act = { target: arena.executor, value: 7n, data: "0x", must: false };
    await acting({ unlock: [sends, calledBack()], sendTo: [sends, pays] });
    expect(await stage.refusal(swapOver("exactIn", leg))).toBe("none");
    expect(await met()).toEqual(["UnexpectedNative", "UnexpectedNative"]);
    const native = { ...real, tokenIn: NATIVE, tokenOut: b };
    expect(await stage.refusal({ ...swapOver("exactIn", native), value: ONE })).not.toBe("none");
    const toNative = { ...real, tokenIn: a, tokenOut: NATIVE };
    expect(await stage.refusal(swapOver("exactIn", toNative))).not.toBe("none");
  });

  it("never takes it for a pool manager, nor a manager for it", async () => {
    const manager = managed(scripted, stage.a, stage.b);
    await acting({});
    // Its answers are no deltas, and it knows no functions of a manager.
    await setScript(stage.arena, scripted, SELECTORS.managerSwap, [], "0x");
    expect(await stage.refusal(swapOver("exactIn", manager))).not.toBe("none");
    const asManager = managed(real.pool, stage.a, stage.b);
    expect(await stage.refusal(swapOver("exactIn", asManager))).not.toBe("none");
    expect(await stage.refusal(swapOver("exactIn", real))).toBe("none");
  });

  it("goes through one vault, another and the first again", async () => {
    const { arena, a, b, c } = stage;
    const w = arena.wrappedNative;
    const elsewhere = await ManyTokenPools.open(arena);
    const first = await (await ManyTokenPools.open(arena)).weightedV3([a, b, c, w], 900n * ONE);
    const path = [
      { ...first, tokenIn: a, tokenOut: b },
      await elsewhere.weightedV3([b, c], 900n * ONE),
      { ...first, tokenIn: c, tokenOut: w },
    ];
    const { outcome, change } = await stage.play(swapOver("exactIn", ...path));
    expect(outcome).toMatchObject({ succeeded: true });
    expect(change(w, stage.sender)).toBeGreaterThan((ONE * 9n) / 10n);
    await checkNothingStays(stage, change);
  });
});
