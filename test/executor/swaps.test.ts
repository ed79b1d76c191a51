import type { Address } from "@millrace/core";
import { keccak256, pad, stringToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OrderLeg, pathOf } from "../contracts/orders.ts";
import { back, type FixtureSwap, ONE, PoolFixture } from "../contracts/PoolFixture.ts";
import { checkNothingStays, KINDS, tightSwap } from "../contracts/tightSwaps.ts";

describe("the executor", () => {
  let stage: PoolFixture;
  let native: Address;
  beforeAll(async () => {
    stage = await PoolFixture.open(1);
    native = stage.arena.wrappedNative;
  });
  afterAll(() => stage?.close());

  const tight = (kind: FixtureSwap["kind"], legs: ReadonlyArray<OrderLeg>, amount: bigint) =>
    tightSwap(stage, kind, [legs], amount);

  const shapes = (): ReadonlyArray<readonly [string, ReadonlyArray<OrderLeg>]> => {
    const { abPair, abForkPair, abV3, bcVolatile, bcPair, bcV3 } = stage.legs;
    const { waPair, waV3 } = stage.wrapped;
    return [
      ["a pair", [abPair]],
      ["a pair of a fork with another fee", [abForkPair]],
      ["a pair that takes its fee first", [bcVolatile]],
      ["a concentrated pool", [abV3]],
      ["a concentrated pool, backwards", [back(bcV3)]],
      ["pair, pair", [abPair, bcPair]],
      ["pair, fee-first pair", [abForkPair, bcVolatile]],
      ["fee-first pair, pair, backwards", [back(bcVolatile), back(abPair)]],
      ["pair, concentrated", [abPair, bcV3]],
      ["concentrated, pair", [abV3, bcPair]],
      ["concentrated, concentrated", [abV3, bcV3]],
      ["pair, concentrated, fee-first pair", [waPair, abV3, bcVolatile]],
      ["concentrated three times", [waV3, abV3, bcV3]],
      ["concentrated, pair, concentrated, backwards", [back(bcV3), back(abPair), back(waV3)]],
    ];
  };

  it("gives to the wei what the pools give, and takes what they take, over all shapes of a path", async () => {
    for (const [told, legs] of shapes()) {
      for (const kind of KINDS) {
        for (const amount of [ONE, 123_456_789n, 37n * ONE + 1n]) {
          const { swap, amountIn, amountOut } = await tight(kind, legs, amount);
          const { outcome, change } = await stage.play({ ...swap, recipient: stage.recipient });
          const name = `${kind} ${amount} over ${told}`;
          expect(outcome, name).toMatchObject({ succeeded: true });
          expect(change(swap.tokenIn, stage.sender), name).toBe(-amountIn);
          expect(change(swap.tokenOut, stage.recipient), name).toBe(amountOut);
          await checkNothingStays(stage, change);
        }
      }
    }
  });

  it("returns what came out, or what went in", async () => {
    for (const kind of KINDS) {
      const { swap, amountIn, amountOut } = await tight(kind, [stage.legs.abPair], ONE);
      const { outcome } = await stage.play(swap);
      expect(outcome).toMatchObject({ succeeded: true });
      if (outcome.succeeded)
        expect(BigInt(outcome.answer)).toBe(kind === "exactIn" ? amountOut : amountIn);
    }
  });

  it("refuses when a wei less comes out than asked, or a wei more would go in", async () => {
    for (const [told, legs] of shapes()) {
      const given = await tight("exactIn", legs, ONE);
      const swap = { ...given.swap, amountOutMin: given.amountOut + 1n };
      expect(await stage.refusal(swap), told).toBe("TooLittleOut");
      const taken = await tight("exactOut", legs, ONE);
      expect(await stage.refusal({ ...taken.swap, amountIn: taken.amountIn - 1n }), told).toBe(
        "TooMuchIn",
      );
    }
  });

  it("splits over paths, the amounts of which are the order's", async () => {
    const { abPair, abForkPair, abV3, bcV3, bcPair, bcVolatile } = stage.legs;
    const split = [
      [abPair, bcV3],
      [abV3, bcPair],
      [abForkPair, bcVolatile],
    ] as const;
    for (const kind of KINDS) {
      const { swap, amountIn, amountOut } = await tightSwap(stage, kind, split, ONE);
      const { outcome, change } = await stage.play(swap);
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(stage.a, stage.sender)).toBe(-amountIn);
      expect(change(stage.c, stage.sender)).toBe(amountOut);
      await checkNothingStays(stage, change);
    }
  });

  it("takes the native token in, and gives back what an exact output leaves of it", async () => {
    const { waPair, waV3 } = stage.wrapped;
    for (const legs of [[waPair], [waV3], [waV3, stage.legs.abV3], [waPair, stage.legs.abPair]]) {
      for (const kind of KINDS) {
        const { swap, amountIn, amountOut } = await tight(kind, legs, ONE);
        const value = kind === "exactIn" ? amountIn : amountIn + ONE;
        const { outcome, change } = await stage.play({ ...swap, amountIn: value, value });
        expect(outcome).toMatchObject({ succeeded: true });
        expect(change(undefined, stage.sender)).toBe(-amountIn);
        expect(change(native, stage.sender)).toBe(0n);
        expect(change(swap.tokenOut, stage.sender)).toBe(amountOut);
        await checkNothingStays(stage, change);
      }
    }
  });

  it("gives the native token out", async () => {
    const { waPair, waV3 } = stage.wrapped;
    for (const legs of [[back(waPair)], [back(waV3)], [back(stage.legs.abV3), back(waV3)]]) {
      for (const kind of KINDS) {
        const { swap, amountIn, amountOut } = await tight(kind, legs, ONE);
        const recipient = stage.recipient;
        const tooMuch = { ...swap, nativeOut: true, amountOutMin: amountOut + 1n };
        expect(await stage.refusal(tooMuch)).toBe("TooLittleOut");
        const { outcome, change } = await stage.play({ ...swap, recipient, nativeOut: true });
        expect(outcome).toMatchObject({ succeeded: true });
        expect(change(swap.tokenIn, stage.sender)).toBe(-amountIn);
        expect(change(undefined, recipient)).toBe(amountOut);
        expect(change(native, recipient)).toBe(0n);
        await checkNothingStays(stage, change);
      }
    }
  });

  it("pays a partner's fee to the wei, wrapped when the output is native", async () => {
    for (const legs of [[stage.legs.abPair], [back(stage.wrapped.waV3)]]) {
      for (const kind of KINDS) {
        for (const nativeOut of legs[0] === stage.legs.abPair ? [false] : [false, true]) {
          for (const bps of [1, 37, 1_000]) {
            const { swap, amountOut } = await tight(kind, legs, ONE + 7n);
            const feeAmount = (amountOut * BigInt(bps)) / 10_000n;
            const fee = { recipient: stage.partner, bps };
            const charged = { ...swap, fee, nativeOut, recipient: stage.recipient };
            const amountOutMin = amountOut - feeAmount;
            expect(await stage.refusal({ ...charged, amountOutMin: amountOutMin + 1n })).toBe(
              "TooLittleOut",
            );
            const { outcome, change } = await stage.play({ ...charged, amountOutMin });
            expect(outcome).toMatchObject({ succeeded: true });
            const paid = nativeOut ? undefined : swap.tokenOut;
            expect(change(paid, stage.recipient)).toBe(amountOutMin);
            expect(change(swap.tokenOut, stage.partner)).toBe(feeAmount);
            await checkNothingStays(stage, change);
          }
        }
      }
    }
  });

  it("does not count the fee as the recipient's, who may be the partner too", async () => {
    const { swap, amountOut } = await tight("exactIn", [stage.legs.abPair], ONE);
    const fee = { recipient: stage.recipient, bps: 1_000 };
    const own = { ...swap, fee, recipient: stage.recipient };
    expect(await stage.refusal({ ...own, amountOutMin: amountOut - amountOut / 10n + 1n })).toBe(
      "TooLittleOut",
    );
    const { change } = await stage.play({ ...own, amountOutMin: amountOut - amountOut / 10n });
    expect(change(stage.b, stage.recipient)).toBe(amountOut);
  });

  it("gives back what a concentrated pool did not take", async () => {
    const { arena, a, b, c, sender } = stage;
    const token = await arena.token();
    const legTo = (pool: Address, tokenIn: Address): OrderLeg => ({
      ...{ kind: "concentrated", pool, tokenIn, tokenOut: token },
    });
    const shallow = async (tokenIn: Address) =>
      legTo(await arena.concentratedPool([tokenIn, token], 3_000, ONE, 600), tokenIn);
    const swap = { kind: "exactIn", tokenOut: token, amountIn: 50n * ONE } as const;
    const played = async (tokenIn: Address, legs: ReadonlyArray<OrderLeg>, value = 0n) => {
      const paths = [pathOf(50n * ONE, ...legs)];
      const { outcome, change } = await stage.play({ ...swap, tokenIn, paths, value }, [token]);
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(token, sender)).toBeGreaterThan((ONE * 9n) / 10n);
      await checkNothingStays(stage, change);
      return change;
    };
    // The payer's own unused input is never taken.
    expect((await played(a, [await shallow(a)]))(a, sender)).toBeGreaterThan(-2n * ONE);
    // Leftovers in between come back as that token.
    const between = await played(a, [stage.legs.abPair, await shallow(b)]);
    expect(between(a, sender)).toBe(-50n * ONE);
    expect(between(b, sender)).toBeGreaterThan(40n * ONE);
    const after = await played(a, [stage.legs.abV3, stage.legs.bcV3, await shallow(c)]);
    expect(after(c, sender)).toBeGreaterThan(30n * ONE);
    // Native leftovers come back as native tokens.
    const back = await played(native, [await shallow(native)], 50n * ONE);
    expect(back(undefined, sender)).toBeGreaterThan(-2n * ONE);
    expect(back(native, sender)).toBe(0n);
  });

  it("has approved nobody in all of this", async () => {
    const { chain, executor } = stage.arena;
    const logs = (event: string) =>
      chain.request<ReadonlyArray<unknown>>("eth_getLogs", [
        {
          ...{ fromBlock: "0x0", toBlock: "latest" },
          topics: [keccak256(stringToHex(event)), pad(executor)],
        },
      ]);
    expect((await logs("Transfer(address,address,uint256)")).length).toBeGreaterThan(50);
    expect(await logs("Approval(address,address,uint256)")).toEqual([]);
  });
});
