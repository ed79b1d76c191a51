import type { Address } from "@millrace/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FamilyPools, wrapping } from "../contracts/FamilyPools.ts";
import { NATIVE, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { back, ONE, PoolFixture } from "../contracts/PoolFixture.ts";
import { checkNothingStays, checkTight, KINDS, tightSwap } from "../contracts/tightSwaps.ts";

const AMOUNTS = [ONE, 123_456_789n, 37n * ONE + 1n];
const DEPTH = 100_000n * ONE;
const NATIVE_DEPTH = 4_000n * ONE;

describe("the executor, through pools of further families,", () => {
  let stage: PoolFixture;
  let families: FamilyPools;
  let legs: Record<
    | "pancake"
    | "algebra"
    | "stable"
    | "ab"
    | "bc"
    | "na"
    | "wa"
    | "nElsewhere"
    | "nElsewhereB"
    | "wrap"
    | "unwrap",
    OrderLeg
  >;
  beforeAll(async () => {
    stage = await PoolFixture.open(8);
    const { arena, a, b, c } = stage;
    families = await FamilyPools.open(arena);
    const elsewhere = await FamilyPools.open(arena);
    const [wrap, unwrap] = wrapping(arena);
    const cheap = { feePips: 500, tickSpacing: 10 };
    const usual = { feePips: 3_000, tickSpacing: 60 };
    legs = {
      ...{ wrap, unwrap },
      pancake: await families.pancake([a, b], DEPTH),
      algebra: await families.algebra([b, c], DEPTH),
      stable: await families.stable([b, c], DEPTH, 500),
      ab: await families.managed([a, b], usual, DEPTH),
      bc: await families.managed([b, c], cheap, DEPTH),
      na: await families.managed([NATIVE, a], usual, NATIVE_DEPTH),
      wa: await families.managed([arena.wrappedNative, a], cheap, NATIVE_DEPTH),
      nElsewhere: await elsewhere.managed([NATIVE, a], usual, NATIVE_DEPTH),
      nElsewhereB: await elsewhere.managed([NATIVE, b], usual, NATIVE_DEPTH),
    };
  });
  afterAll(() => stage?.close());

  type Shape = readonly [string, ReadonlyArray<OrderLeg>];
  const shapes = (): ReadonlyArray<Shape> => {
    const { pancake, algebra, ab, bc, na, wa, nElsewhere, nElsewhereB, wrap, unwrap } = legs;
    const { abPair, abV3, bcPair, bcV3, bcVolatile } = stage.legs;
    const { waPair, waV3 } = stage.wrapped;
    return [
      ["PancakeSwap V3", [pancake]],
      ["PancakeSwap V3, backwards", [back(pancake)]],
      ["Algebra", [algebra]],
      ["PancakeSwap V3, Algebra", [pancake, algebra]],
      ["Algebra, pair, backwards", [back(algebra), back(abPair)]],
      ["V4", [ab]],
      ["V4, backwards", [back(bc)]],
      ["V4, V4", [ab, bc]],
      ["V4, V4, backwards", [back(bc), back(ab)]],
      ["V4, pair", [ab, bcPair]],
      ["pair, V4", [abPair, bc]],
      ["V4, Algebra", [ab, algebra]],
      ["PancakeSwap V3, V4", [pancake, bc]],
      ["V4, volatile pair", [ab, bcVolatile]],
      ["native in, V4", [na]],
      ["native in, V4 three times", [na, ab, bc]],
      ["native in, V4, V3, V4", [na, abV3, bc]],
      ["native in, V4, pair, V4", [na, abPair, bc]],
      ["native in, V4, V3, pair", [na, abV3, bcPair]],
      ["native in, V4 of two managers", [nElsewhere, ab]],
      ["V4 of two managers, native out", [back(ab), back(nElsewhere)]],
      ["V4, V4 of another manager, native between", [back(na), nElsewhereB]],
      ["wrapping, V3", [wrap, waV3]],
      ["wrapping, pair", [wrap, waPair]],
      ["wrapping, V4", [wrap, wa]],
      ["wrapping, V4, V4, V3", [wrap, wa, ab, bcV3]],
      ["native out of V4", [back(na)]],
      ["native out of V4 three times", [back(bc), back(ab), back(na)]],
      ["pair, native out of V4", [back(abPair), back(na)]],
      ["V3, unwrapping", [back(waV3), unwrap]],
      ["V4, unwrapping", [back(wa), unwrap]],
      ["unwrapping, V4", [unwrap, na]],
      ["unwrapping, V4, pair", [unwrap, na, abPair]],
      ["V4, wrapping", [back(na), wrap]],
      ["V4, V4, native wrapped", [back(ab), back(na), wrap]],
    ];
  };

  it("gives to the wei what they give, and takes what they take, over all shapes of a path", async () => {
    for (const [index, [told, path]] of shapes().entries()) {
      for (const [shift, kind] of KINDS.entries()) {
        const amount = AMOUNTS[(index + shift) % AMOUNTS.length]!;
        const tight = await tightSwap(stage, kind, [path], amount);
        const played = await stage.play({ ...tight.swap, recipient: stage.recipient });
        await checkTight(stage, played, tight, `${kind} ${amount} over ${told}`);
      }
    }
  });

  it("asks stable pairs what they give, of exact inputs", async () => {
    const { stable, ab, na } = legs;
    const { abPair, abV3 } = stage.legs;
    for (const path of [
      [stable],
      [back(stable)],
      [abPair, stable],
      [abV3, stable],
      [ab, stable],
      [back(stable), back(abV3)],
      [back(stable), back(ab), back(na)],
      [back(stable), back(abPair)],
    ]) {
      for (const amount of AMOUNTS) {
        const tight = await tightSwap(stage, "exactIn", [path], amount);
        const played = await stage.play({ ...tight.swap, recipient: stage.recipient });
        await checkTight(stage, played, tight, `${amount}`);
      }
    }
  });

  it("refuses exact outputs of stable pairs, wherever they stand", async () => {
    const { stable, bc, ab } = legs;
    for (const path of [[stable], [ab, stable], [back(stable), back(ab)]]) {
      const amountIn = 2n * ONE;
      const { swap } = await tightSwap(stage, "exactIn", [path], ONE);
      expect(await stage.refusal({ ...swap, kind: "exactOut", amountIn })).toBe("InvalidOrder");
    }
    const { swap } = await tightSwap(stage, "exactOut", [[bc]], ONE);
    expect(await stage.refusal(swap)).toBe("none");
  });

  it("asks volatile pairs too, whose fee may have changed since the order was made", async () => {
    const { arena, legs: own } = stage;
    const { swap, amountOut } = await tightSwap(stage, "exactIn", [[own.bcVolatile]], ONE);
    const setFee = (pips: bigint) => arena.setFee(own.bcVolatile.pool, pips);
    await setFee(900n);
    expect(await stage.refusal(swap)).toBe("TooLittleOut");
    const least = { ...swap, amountOutMin: (amountOut * 99n) / 100n };
    expect(await stage.refusal(least)).toBe("none");
    await setFee(100n);
    const { change } = await stage.play(swap);
    expect(change(stage.c, stage.sender)).toBeGreaterThan(amountOut);
    await setFee(500n);
  });

  it("refuses when a wei less comes out than asked, or a wei more would go in", async () => {
    for (const [told, path] of shapes()) {
      const given = await tightSwap(stage, "exactIn", [path], ONE);
      const swap = { ...given.swap, amountOutMin: given.amountOut + 1n };
      expect(await stage.refusal(swap), told).toBe("TooLittleOut");
      const taken = await tightSwap(stage, "exactOut", [path], ONE);
      const amountIn = taken.amountIn - 1n;
      const value = taken.swap.value === undefined ? 0n : amountIn;
      expect(await stage.refusal({ ...taken.swap, amountIn, value }), told).toBe("TooMuchIn");
    }
  });

  it("splits native tokens over pools that take them as they are, and wrapped", async () => {
    const { na, ab, bc, wrap, unwrap, wa } = legs;
    const { abV3, abPair, bcPair } = stage.legs;
    const { waV3, waPair } = stage.wrapped;
    const splits = [
      [
        [na, abPair],
        [wrap, waV3, abV3],
        [wrap, waPair, ab],
      ],
      [
        [na, ab, bc],
        [wrap, wa, abPair, bcPair],
      ],
      [[back(na)], [back(waV3), unwrap], [back(wa), unwrap]],
      [[unwrap, na], [waV3], [waPair]],
      [[back(na), wrap], [back(waPair)]],
    ];
    for (const split of splits) {
      for (const kind of KINDS) {
        const tight = await tightSwap(stage, kind, split, ONE);
        const played = await stage.play({ ...tight.swap, recipient: stage.recipient });
        await checkTight(stage, played, tight, kind);
      }
    }
  });

  it("gives back native tokens that an exact output leaves", async () => {
    const { na, ab, wrap } = legs;
    for (const path of [[na], [na, ab], [wrap, stage.wrapped.waV3], [wrap, stage.wrapped.waPair]]) {
      const { swap, amountIn, amountOut } = await tightSwap(stage, "exactOut", [path], ONE);
      const most = amountIn + ONE;
      const played = await stage.play({
        ...{ ...swap, amountIn: most, value: most },
        recipient: stage.recipient,
      });
      await checkTight(stage, played, { swap, amountIn, amountOut }, `${path.length}`);
    }
  });

  it("gives back what a pool of V4 did not take", async () => {
    const { arena, a, b, c, sender } = stage;
    const token = await arena.token();
    const terms = { feePips: 3_000, tickSpacing: 60 };
    const shallow = (tokenIn: Address) => families.managed([tokenIn, token], terms, ONE, 600);
    const amountIn = 50n * ONE;
    const played = async (path: ReadonlyArray<OrderLeg>) => {
      const [{ tokenIn }, { tokenOut }] = [path[0]!, path.at(-1)!];
      const value = tokenIn === NATIVE ? amountIn : 0n;
      const swap = { kind: "exactIn", tokenIn, tokenOut, amountIn, value } as const;
      const { outcome, change } = await stage.play(
        { ...swap, paths: [pathOf(amountIn, ...path)] },
        [token],
      );
      expect(outcome).toMatchObject({ succeeded: true });
      await checkNothingStays(stage, change);
      return change;
    };
    // The payer's own unused input is never taken.
    const first = await played([await shallow(a)]);
    expect(first(a, sender)).toBeGreaterThan(-2n * ONE);
    expect(first(token, sender)).toBeGreaterThan(0n);
    // Leftovers in between come back as that token, also from a manager that was unlocked for all
    // legs.
    const between = await played([stage.legs.abV3, await shallow(b)]);
    expect(between(a, sender)).toBe(-amountIn);
    expect(between(b, sender)).toBeGreaterThan(40n * ONE);
    const within = await played([legs.bc, await shallow(c)]);
    expect(within(c, sender)).toBeGreaterThan(40n * ONE);
    // Native leftovers come back as native tokens.
    const toNative = await shallow(NATIVE);
    expect((await played([toNative]))(undefined, sender)).toBeGreaterThan(-2n * ONE);
    const native = { ...terms, feePips: 500 };
    const small = await families.managed([NATIVE, token], native, ONE, 600);
    const after = await played([back(stage.wrapped.waPair), legs.unwrap, small]);
    expect(after(undefined, sender)).toBeGreaterThan(2n * ONE);
    expect(after(a, sender)).toBe(-amountIn);
  });

  it("pays the fee on a native output in wrapped tokens", async () => {
    const { arena, partner, recipient } = stage;
    const { na, unwrap } = legs;
    for (const path of [[back(na)], [back(stage.wrapped.waV3), unwrap]]) {
      for (const kind of KINDS) {
        const { swap, amountOut } = await tightSwap(stage, kind, [path], ONE);
        const feeAmount = (amountOut * 37n) / 10_000n;
        const fee = { recipient: partner, bps: 37 };
        const charged = { ...swap, fee, recipient, amountOutMin: amountOut - feeAmount };
        const tooMuch = { ...charged, amountOutMin: amountOut - feeAmount + 1n };
        expect(await stage.refusal(tooMuch)).toBe("TooLittleOut");
        const { outcome, change } = await stage.play(charged);
        expect(outcome).toMatchObject({ succeeded: true });
        expect(change(undefined, recipient)).toBe(amountOut - feeAmount);
        expect(change(arena.wrappedNative, partner)).toBe(feeAmount);
        expect(change(undefined, partner)).toBe(0n);
        expect(await arena.balance(undefined, arena.executor)).toBe(0n);
        expect(await arena.balance(arena.wrappedNative, arena.executor)).toBe(0n);
      }
    }
  });
});
