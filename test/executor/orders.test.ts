import type { Address } from "@millrace/core";
import { concatHex, type Hex, numberToHex, pad, size, slice } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeSwap, legBytes, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { back, type FixtureSwap, ONE, PoolFixture } from "../contracts/PoolFixture.ts";

describe("the executor refuses an order", () => {
  let stage: PoolFixture;
  let plain: FixtureSwap;
  let native: Address;
  beforeAll(async () => {
    stage = await PoolFixture.open(4);
    native = stage.arena.wrappedNative;
    plain = swapOver(stage.legs.abPair);
  });
  afterAll(() => stage?.close());

  const swapOver = (...legs: ReadonlyArray<OrderLeg>): FixtureSwap => ({
    ...{ kind: "exactIn", tokenIn: legs[0]!.tokenIn, tokenOut: legs.at(-1)!.tokenOut },
    ...{ amountIn: 3n * ONE, paths: [pathOf(3n * ONE, ...legs)] },
  });

  /** Both kinds refuse it. */
  async function refuses(change: Partial<FixtureSwap>, from = plain, error = "InvalidOrder") {
    expect(await stage.refusal({ ...from, ...change }), "exactIn").toBe(error);
    const paths = (change.paths ?? from.paths).map((path) => ({
      ...path,
      amount: path.amount / 2n,
    }));
    const exactOut = { ...from, ...change, kind: "exactOut", paths } as const;
    expect(await stage.refusal(exactOut), "exactOut").toBe(error);
  }

  it("never when it is plain", () => refuses({}, plain, "none"));

  it("that is late", async () => {
    const { timestampMs } = await stage.arena.chain.head();
    const now = BigInt(timestampMs / 1_000);
    await refuses({ deadline: now - 1n }, plain, "DeadlinePassed");
    await refuses({ deadline: now + 1_000n }, plain, "none");
  });

  it("that is a second late, and not one that is in time to the second", async () => {
    const { arena, sender: from } = stage;
    for (const [late, isRefused] of [
      [0n, false],
      [1n, true],
    ] as const) {
      const { timestampMs } = await arena.chain.head();
      const next = BigInt(timestampMs / 1_000) + 100n;
      const order = { ...stage.order(plain), deadline: next - late };
      await arena.chain.request("evm_setNextBlockTimestamp", [numberToHex(next)]);
      const data = encodeSwap("exactIn", order, plain.paths);
      const { succeeded } = await arena.send({ from, to: arena.executor, data });
      expect(succeeded, `${late}`).toBe(!isRefused);
      expect((await arena.chain.head()).timestampMs).toBe(Number(next) * 1_000);
    }
  });

  it("with no minimum", () => refuses({ amountOutMin: 0n }));

  it("with a fee above a tenth, or for nobody, or for the executor", async () => {
    const { partner: recipient, arena } = stage;
    await refuses({ fee: { recipient, bps: 1_001 } });
    await refuses({ fee: { recipient, bps: 10_000 } });
    await refuses({ fee: { recipient: NOBODY, bps: 1 } });
    await refuses({ fee: { recipient: arena.executor, bps: 1 } });
    await refuses({ fee: { recipient, bps: 1_000 } }, plain, "none");
  });

  it("for nobody, or for the executor", async () => {
    await refuses({ recipient: NOBODY });
    await refuses({ recipient: stage.arena.executor });
  });

  it("of a token for itself", async () => {
    const { abPair, abV3 } = stage.legs;
    await refuses({ recipient: stage.recipient }, swapOver(abPair, back(abV3)));
  });

  it("without paths or legs", async () => {
    await refuses({ paths: [{ amount: 3n * ONE, legs: "0x" }] });
    expect(await stage.refusal({ ...plain, paths: [] })).toBe("InvalidOrder");
    expect(await stage.refusal({ ...plain, kind: "exactOut", paths: [] })).toBe("TooLittleOut");
  });

  it("a path of which ends elsewhere", async () => {
    await refuses({ paths: [...plain.paths, pathOf(ONE, stage.legs.abPair, stage.legs.bcPair)] });
    await refuses({ tokenOut: stage.c });
  });

  it("a path of which comes by the order's own tokens on its way", async () => {
    const { abPair, abV3, bcPair } = stage.legs;
    await refuses({ paths: [pathOf(3n * ONE, abPair, back(abV3), abPair)] });
    await refuses(swapOver(abPair, back(abV3), abPair, bcPair));
  });

  it("of exact input whose paths take more or less than it does", async () => {
    const legs = [stage.legs.abPair];
    for (const amounts of [
      [1n],
      [2n * ONE],
      [ONE, ONE],
      [2n * ONE, ONE + 1n],
      [2n ** 256n - ONE, 4n * ONE],
    ])
      expect(
        await stage.refusal({ ...plain, paths: amounts.map((amount) => pathOf(amount, ...legs)) }),
      ).toBe("InvalidOrder");
  });

  it("with a leg of no known kind", async () => {
    const leg = legBytes(stage.legs.abPair);
    for (const kind of [6, 7, 31, 32, 64, 127]) {
      const head = numberToHex(kind + 128, { size: 1 });
      const legs = concatHex([head, slice(leg, 1)]);
      await refuses({ paths: [{ amount: 3n * ONE, legs }] });
      // Long enough for any.
      await refuses({
        paths: [{ amount: 3n * ONE, legs: concatHex([legs, pad("0x", { size: 99 })]) }],
      });
    }
  });

  it("with a leg that ends too early, or something behind the last", async () => {
    const { abPair, bcV3 } = stage.legs;
    const legs = concatHex([legBytes(abPair), legBytes(bcV3)]);
    const swap = swapOver(abPair, bcV3);
    const pathOfBytes = (bytes: Hex) => ({ paths: [{ amount: 3n * ONE, legs: bytes }] });
    await refuses(pathOfBytes(legs), swap, "none");
    for (const end of [1, 20, 21, 41, 43, size(legs) - 1])
      await refuses(pathOfBytes(slice(legs, 0, end)), swap);
    for (const more of ["0x00", "0x05", "0x85", pad("0x", { size: 44 })] as const)
      await refuses(pathOfBytes(concatHex([legs, more])), swap);
  });

  it("with an amount that a concentrated pool takes for its opposite", async () => {
    const amountIn = 2n ** 255n + 1n;
    const paths = [pathOf(amountIn, stage.legs.abV3)];
    expect(await stage.refusal({ ...plain, amountIn, paths })).toBe("InvalidOrder");
    expect(await stage.refusal({ ...plain, kind: "exactOut", amountIn, paths })).toBe(
      "InvalidOrder",
    );
  });

  it("with native tokens that are not its input, to the wei", async () => {
    await refuses({ value: 3n * ONE });
    const wrapped = swapOver(stage.wrapped.waPair);
    await refuses({ value: 3n * ONE - 1n }, wrapped);
    await refuses({ value: 1n }, wrapped);
    await refuses({ value: 3n * ONE }, wrapped, "none");
  });

  it("that would unwrap another token", () => refuses({ nativeOut: true }));

  it("whose native output the recipient does not take", async () => {
    const swap = { ...swapOver(back(stage.wrapped.waPair)), nativeOut: true };
    // A contract that cannot receive native tokens.
    const recipient = stage.legs.abPair.pool;
    expect(await stage.refusal({ ...swap, recipient })).toBe("TransferFailed");
    expect(await stage.arena.balance(native, stage.arena.executor)).toBe(0n);
  });

  it("when the price has moved past its minimum", async () => {
    const { outcome, change } = await stage.play(plain);
    expect(outcome).toMatchObject({ succeeded: true });
    const got = change(stage.b, stage.sender);
    expect(await stage.refusal({ ...plain, amountOutMin: got })).toBe("TooLittleOut");
  });
});

const NOBODY: Address = `0x${"00".repeat(20)}`;
