import type { Address } from "@millrace/core";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FamilyPools } from "../contracts/FamilyPools.ts";
import { encodeSwap, NATIVE, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { type FixtureSwap, ONE, PoolFixture, swapOver } from "../contracts/PoolFixture.ts";
import {
  type Act,
  ask,
  errorsMet,
  type HookManners,
  hookParts,
  managerAbi,
  may,
  must,
  SWAP_HOOK,
  setScript,
  unlockCallback,
} from "../contracts/scriptedContracts.ts";
import { KINDS, tightSwap } from "../contracts/tightSwaps.ts";

const syncData = (currency: Address) =>
  encodeFunctionData({ abi: managerAbi, functionName: "sync", args: [currency] });

describe("the executor, in pools of Uniswap V4 with a hook that stops at nothing,", () => {
  let stage: PoolFixture;
  let families: FamilyPools;
  let hooked: OrderLeg;
  let native: OrderLeg;
  beforeAll(async () => {
    stage = await PoolFixture.open(10);
    families = await FamilyPools.open(stage.arena);
    const { arena, a, b } = stage;
    const scripted = await arena.deploy("ScriptedContract");
    const code = await arena.chain.request("eth_getCode", [scripted, "latest"]);
    await arena.chain.request("anvil_setCode", [SWAP_HOOK, code]);
    await behaves({});
    const terms = { feePips: 3_000, tickSpacing: 60, hooks: SWAP_HOOK };
    hooked = await families.managed([a, b], terms, 100_000n * ONE);
    native = await families.managed([NATIVE, a], terms, 4_000n * ONE);
  });
  afterAll(() => stage?.close());

  const refused = (swap: FixtureSwap) => stage.refusal(swap);

  async function behaves(manners: HookManners) {
    for (const part of hookParts(manners)) await setScript(stage.arena, SWAP_HOOK, ...part);
  }

  const takes = (currency: Address, amount: bigint): Act =>
    must(
      families.manager,
      encodeFunctionData({
        ...{ abi: managerAbi, functionName: "take", args: [currency, SWAP_HOOK, amount] },
      }),
    );

  it("pays no hook, and is locked for it", async () => {
    const { executor } = stage.arena;
    const order = stage.order({ ...swapOver("exactIn", hooked), recipient: stage.partner });
    const again = encodeSwap("exactIn", order, [pathOf(ONE, hooked)]);
    const acts = [
      may(executor, unlockCallback),
      may(executor, ask(hooked, ONE)),
      may(executor, again),
    ];
    for (const kind of KINDS) {
      await behaves({});
      const tight = await tightSwap(stage, kind, [[hooked]], ONE);
      await behaves({ before: acts, after: acts });
      expect(await refused(tight.swap)).toBe("none");
      const once = ["NotTheCalledPool", "NotTheCalledPool", "Reentered"];
      expect(await errorsMet(stage.arena, SWAP_HOOK)).toEqual([...once, ...once]);
    }
  });

  it("refuses a hook's price where it is worse than the order's limits", async () => {
    const extra = ONE / 100n;
    for (const kind of KINDS) {
      const currency = kind === "exactIn" ? stage.b : stage.a;
      await behaves({});
      const { swap } = await tightSwap(stage, kind, [[hooked]], ONE);
      await behaves({ after: [takes(currency, extra)], taken: extra });
      expect(await refused(swap)).toBe(kind === "exactIn" ? "TooLittleOut" : "TooMuchIn");
      const wide = { ...swap, amountIn: swap.amountIn + extra, amountOutMin: 1n };
      if (kind === "exactOut") expect(await refused(wide)).toBe("none");
    }
  });

  it("believes no hook that takes more than came out", async () => {
    await behaves({});
    const { swap, amountOut } = await tightSwap(stage, "exactIn", [[hooked]], ONE);
    const taken = amountOut + 1n;
    await behaves({ after: [takes(stage.b, taken)], taken });
    expect(await refused({ ...swap, amountOutMin: 1n })).toBe("UnsoundSwap");
  });

  it("pays the manager what it takes, whatever a hook made it expect", async () => {
    const { arena, a } = stage;
    for (const [path, currency] of [
      [native, a],
      [{ ...native, tokenIn: a, tokenOut: NATIVE }, NATIVE],
      [hooked, NATIVE],
      [hooked, stage.b],
    ] as const) {
      for (const kind of KINDS) {
        await behaves({});
        const { swap, amountIn, amountOut } = await tightSwap(stage, kind, [[path]], ONE);
        const syncs = [must(families.manager, syncData(currency))];
        await behaves({ before: syncs, after: syncs });
        const { outcome, change } = await stage.play({ ...swap, recipient: stage.recipient });
        expect(outcome).toMatchObject({ succeeded: true });
        const token = (of: Address) => (of === NATIVE ? undefined : of);
        expect(change(token(path.tokenIn), stage.sender)).toBe(-amountIn);
        expect(change(token(path.tokenOut), stage.recipient)).toBe(amountOut);
        expect(await arena.balance(undefined, arena.executor)).toBe(0n);
      }
    }
  });
});
