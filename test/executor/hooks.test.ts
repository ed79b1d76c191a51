import type { Address } from "@millrace/core";
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FamilyPools } from "../contracts/FamilyPools.ts";
import { encodeSwap, NATIVE, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { type FixtureSwap, ONE, PoolFixture, swapOver } from "../contracts/PoolFixture.ts";
import {
  type Act,
  ask,
  errorsMet,
  may,
  must,
  setScript,
  unlockCallback,
} from "../contracts/scriptedContracts.ts";
import { KINDS, tightSwap } from "../contracts/tightSwaps.ts";

const managerAbi = parseAbi([
  "function sync(address currency)",
  "function take(address currency, address to, uint256 amount)",
]);
const syncData = (currency: Address) =>
  encodeFunctionData({ abi: managerAbi, functionName: "sync", args: [currency] });

describe("the executor, in pools of Uniswap V4 with a hook that stops at nothing,", () => {
  let stage: PoolFixture;
  let families: FamilyPools;
  /** The bits of its address: called before and after swaps, whose amounts it may change. */
  const HOOK: Address = "0x40000000000000000000000000000000000000cc";
  const BEFORE_SWAP = "0x575e24b4";
  const AFTER_SWAP = "0xb47b2fb1";
  let hooked: OrderLeg;
  let native: OrderLeg;
  beforeAll(async () => {
    stage = await PoolFixture.open(10);
    families = await FamilyPools.open(stage.arena);
    const { arena, a, b } = stage;
    const scripted = await arena.deploy("ScriptedContract");
    const code = await arena.chain.request("eth_getCode", [scripted, "latest"]);
    await arena.chain.request("anvil_setCode", [HOOK, code]);
    await behaves({});
    const terms = { feePips: 3_000, tickSpacing: 60, hooks: HOOK };
    hooked = await families.managed([a, b], terms, 100_000n * ONE);
    native = await families.managed([NATIVE, a], terms, 4_000n * ONE);
  });
  afterAll(() => stage?.close());

  const refused = (swap: FixtureSwap) => stage.refusal(swap);

  interface Manners {
    readonly acts?: ReadonlyArray<Act>;
    /** What it changes: of the amount given, and after the swap of the other. */
    readonly specified?: bigint;
    readonly unspecified?: bigint;
  }

  async function behaves({ acts = [], specified = 0n, unspecified = 0n }: Manners) {
    const delta = (BigInt.asUintN(128, specified) << 128n) | 0n;
    const before = encodeAbiParameters(parseAbiParameters("bytes4, uint256, uint24"), [
      ...([BEFORE_SWAP, delta, 0] as const),
    ]);
    const after = encodeAbiParameters(parseAbiParameters("bytes4, int128"), [
      AFTER_SWAP,
      unspecified,
    ]);
    await setScript(stage.arena, HOOK, BEFORE_SWAP, acts, before);
    await setScript(stage.arena, HOOK, AFTER_SWAP, acts, after);
  }

  const takes = (currency: Address, amount: bigint): Act =>
    must(
      families.manager,
      encodeFunctionData({
        ...{ abi: managerAbi, functionName: "take", args: [currency, HOOK, amount] },
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
    await behaves({ acts });
    for (const kind of KINDS) {
      const tight = await tightSwap(stage, kind, [[hooked]], ONE);
      await behaves({ acts });
      expect(await refused(tight.swap)).toBe("none");
      const once = ["NotTheCalledPool", "NotTheCalledPool", "Reentered"];
      expect(await errorsMet(stage.arena, HOOK)).toEqual([...once, ...once]);
    }
  });

  it("refuses a hook's price where it is worse than the order's limits", async () => {
    const extra = ONE / 100n;
    for (const kind of KINDS) {
      const [currency] = kind === "exactIn" ? [stage.b] : [stage.a];
      await behaves({});
      const { swap } = await tightSwap(stage, kind, [[hooked]], ONE);
      // Before and after the swap it takes the same.
      await behaves({ acts: [], unspecified: extra });
      await setScript(
        ...([stage.arena, HOOK, AFTER_SWAP] as const),
        [takes(currency!, extra)],
        encodeAbiParameters(parseAbiParameters("bytes4, int128"), [AFTER_SWAP, extra]),
      );
      expect(await refused(swap)).toBe(kind === "exactIn" ? "TooLittleOut" : "TooMuchIn");
      const wide = { ...swap, amountIn: swap.amountIn + extra, amountOutMin: 1n };
      if (kind === "exactOut") expect(await refused(wide)).toBe("none");
    }
  });

  it("believes no hook that takes more than came out", async () => {
    await behaves({});
    const { swap, amountOut } = await tightSwap(stage, "exactIn", [[hooked]], ONE);
    const taken = amountOut + 1n;
    await setScript(
      ...([stage.arena, HOOK, AFTER_SWAP] as const),
      [takes(stage.b, taken)],
      encodeAbiParameters(parseAbiParameters("bytes4, int128"), [AFTER_SWAP, taken]),
    );
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
        await behaves({ acts: [must(families.manager, syncData(currency))] });
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
