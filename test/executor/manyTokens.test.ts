import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FamilyPools, wrapping } from "../contracts/FamilyPools.ts";
import { ManyTokenPools } from "../contracts/ManyTokenPools.ts";
import { NATIVE, type OrderLeg } from "../contracts/orders.ts";
import { back, ONE, PoolFixture } from "../contracts/PoolFixture.ts";
import { checkTight, tightSwap } from "../contracts/tightSwaps.ts";

const AMOUNTS = [ONE, 1_234_567_890_123n, 37n * ONE + 1n];
const DEPTH = 100_000n * ONE;
const NATIVE_DEPTH = 4_000n * ONE;

describe("the executor, through pools of many tokens,", () => {
  let stage: PoolFixture;
  let pools: ManyTokenPools;
  let curve: Record<"ab" | "bc" | "na" | "wc", OrderLeg>;
  let v2: Record<"ab" | "bc" | "wa", OrderLeg>;
  let v3: Record<"ab" | "bc" | "wa", OrderLeg>;
  let shares: OrderLeg;
  let wrapper: OrderLeg;
  let managed: Record<"ab" | "na", OrderLeg>;
  let wrap: OrderLeg;
  let unwrap: OrderLeg;
  beforeAll(async () => {
    stage = await PoolFixture.open(8);
    const { arena, a, b, c, sender } = stage;
    const w = arena.wrappedNative;
    pools = await ManyTokenPools.open(arena);
    const families = await FamilyPools.open(arena);
    const terms = { feePips: 3_000, tickSpacing: 60 };
    [wrap, unwrap] = wrapping(arena);
    curve = {
      ab: { ...(await pools.curve("CurvePool", [c, a, b], DEPTH)), tokenIn: a, tokenOut: b },
      bc: await pools.curve("CurveSilentPool", [b, c], DEPTH),
      na: await pools.curve("CurvePool", [NATIVE, a], NATIVE_DEPTH),
      wc: await pools.curve("CurveIndexedPool", [w, b, c], NATIVE_DEPTH),
    };
    curve.wc = { ...curve.wc, tokenOut: c };
    v2 = {
      ab: await pools.weighted([a, b, c], DEPTH),
      bc: await pools.composable([b, c], DEPTH),
      wa: await pools.weighted([w, a], NATIVE_DEPTH),
    };
    v3 = {
      ab: await pools.weightedV3([a, b, c], DEPTH),
      bc: await pools.weightedV3([b, c], DEPTH),
      wa: await pools.weightedV3([w, a], NATIVE_DEPTH),
    };
    shares = await pools.shares(c, DEPTH);
    wrapper = await pools.wrapper(DEPTH);
    managed = {
      ab: await families.managed([a, b], terms, DEPTH),
      na: await families.managed([NATIVE, a], terms, NATIVE_DEPTH),
    };
    await arena.fund(wrapper.tokenIn, sender, DEPTH);
    for (const { pool } of [shares, wrapper]) await pools.handOut(pool, sender, 1_000n * ONE);
  });
  afterAll(() => stage?.close());

  type Shape = readonly [string, ReadonlyArray<OrderLeg>];
  const shapes = (): ReadonlyArray<Shape> => {
    const { abPair, abV3, bcPair, bcV3, bcVolatile } = stage.legs;
    const { waPair, waV3 } = stage.wrapped;
    return [
      ["Curve", [curve.ab]],
      ["Curve, backwards", [back(curve.ab)]],
      ["Curve that is silent", [curve.bc]],
      ["Curve, Curve", [curve.ab, curve.bc]],
      ["Curve, pair", [curve.ab, bcPair]],
      ["pair, Curve", [abPair, curve.bc]],
      ["V3, Curve", [abV3, curve.bc]],
      ["Curve, V3", [curve.ab, bcV3]],
      ["Curve, V4", [back(curve.bc), back(managed.ab)]],
      ["V4, Curve, volatile pair", [managed.ab, curve.bc]],
      ["Curve, volatile pair", [curve.ab, bcVolatile]],
      ["native in, Curve", [curve.na]],
      ["native in, Curve, Curve, Curve", [curve.na, curve.ab, curve.bc]],
      ["native in, Curve, pair", [curve.na, abPair]],
      ["native out of Curve", [back(curve.na)]],
      ["pair, native out of Curve", [back(abPair), back(curve.na)]],
      ["unwrapping, native Curve", [unwrap, curve.na]],
      ["native Curve, wrapping", [back(curve.na), wrap]],
      ["wrapping, Curve of uint256", [wrap, curve.wc]],
      ["Curve of uint256, unwrapping", [back(curve.wc), unwrap]],
      ["Curve of uint256, backwards", [back(curve.wc)]],
      ["native from Curve to V4", [back(curve.wc), unwrap, managed.na]],
      ["Balancer V2", [v2.ab]],
      ["Balancer V2, backwards", [back(v2.ab)]],
      ["Balancer V2 composable", [v2.bc]],
      ["Balancer V2 twice", [v2.ab, v2.bc]],
      ["Balancer V2 three times", [v2.wa, v2.ab, v2.bc]],
      ["Balancer V2 three times, backwards", [back(v2.bc), back(v2.ab), back(v2.wa)]],
      ["wrapping, Balancer V2 twice", [wrap, v2.wa, v2.ab]],
      ["Balancer V2 twice, unwrapping", [back(v2.ab), back(v2.wa), unwrap]],
      ["Balancer V2, pair", [v2.ab, bcPair]],
      ["pair, Balancer V2", [abPair, v2.bc]],
      ["V3, Balancer V2 twice", [waV3, v2.ab, v2.bc]],
      ["Balancer V2, Curve, Balancer V2", [v2.wa, curve.ab, v2.bc]],
      ["Balancer V3", [v3.ab]],
      ["Balancer V3, backwards", [back(v3.bc)]],
      ["Balancer V3 twice", [v3.ab, v3.bc]],
      ["Balancer V3 three times", [v3.wa, v3.ab, v3.bc]],
      ["wrapping, Balancer V3 twice", [wrap, v3.wa, v3.ab]],
      ["Balancer V3, unwrapping", [back(v3.wa), unwrap]],
      ["Balancer V3, pair", [v3.ab, bcPair]],
      ["pair, Balancer V3", [abPair, v3.bc]],
      ["V3, Balancer V3, Balancer V2", [waV3, v3.ab, v2.bc]],
      ["Balancer V2, Balancer V3", [v2.ab, v3.bc]],
      ["V4, Balancer V3", [managed.ab, v3.bc]],
      ["Balancer V3, V4, native out", [back(v3.ab), back(managed.na)]],
      ["Curve, Balancer V3", [curve.ab, v3.bc]],
      ["Balancer V3, Curve", [v3.ab, curve.bc]],
      ["pair, Balancer V3, pair", [waPair, v3.ab, bcPair]],
      ["shares", [shares]],
      ["shares, back", [back(shares)]],
      ["Curve, shares", [curve.bc, shares]],
      ["shares, back, Curve", [back(shares), back(curve.bc)]],
      ["pair, shares", [bcPair, shares]],
      ["shares, back, pair", [back(shares), back(bcPair)]],
      ["shares, back, Balancer V3", [back(shares), back(v3.bc)]],
      ["stake wrapped", [wrapper]],
      ["native staked", [staking()]],
      ["pair, unwrapping, staked", [back(waPair), unwrap, staking()]],
    ];
  };

  /** The wrapper takes native tokens as well. */
  const staking = (): OrderLeg => ({ ...wrapper, tokenIn: NATIVE });

  it("gives a stake that grows but for what a transfer of it rounds off", async () => {
    const path = [back(wrapper)];
    const { swap, amountOut } = await tightSwap(stage, "exactIn", [path], AMOUNTS[2]!);
    const least = { ...swap, amountOutMin: amountOut - 2n, recipient: stage.recipient };
    const { outcome, change } = await stage.play(least, [wrapper.tokenIn, wrapper.pool]);
    expect(outcome).toMatchObject({ succeeded: true });
    const gained = change(wrapper.tokenIn, stage.recipient);
    expect(gained).toBeGreaterThanOrEqual(amountOut - 2n);
    expect(gained).toBeLessThanOrEqual(amountOut);
    expect(change(wrapper.pool, stage.sender)).toBe(-AMOUNTS[2]!);
    expect(change(wrapper.tokenIn, stage.arena.executor)).toBeLessThanOrEqual(1n);
  });

  it("gives to the wei what they give, over all shapes of a path", async () => {
    for (const [index, [told, path]] of shapes().entries()) {
      const amount = AMOUNTS[index % AMOUNTS.length]!;
      const tight = await tightSwap(stage, "exactIn", [path], amount);
      const more = { ...tight.swap, amountOutMin: tight.amountOut + 1n };
      expect(await stage.refusal(more), told).toBe("TooLittleOut");
      const tokens = [shares.pool, wrapper.pool, wrapper.tokenIn];
      const played = await stage.play({ ...tight.swap, recipient: stage.recipient }, tokens);
      await checkTight(stage, played, tight, `${amount} over ${told}`);
      await checkNothingAllowed(path);
    }
  });

  async function checkNothingAllowed(path: ReadonlyArray<OrderLeg>): Promise<void> {
    for (const { tokenIn, pool } of path) {
      if (tokenIn === NATIVE) continue;
      const allowed = await stage.arena.allowance(tokenIn, stage.arena.executor, pool);
      expect(allowed, `${tokenIn} for ${pool}`).toBe(0n);
    }
  }

  it("refuses exact outputs of them, wherever they stand", async () => {
    const { abPair, bcPair } = stage.legs;
    for (const path of [
      [curve.ab],
      [abPair, curve.bc],
      [back(curve.wc)],
      [v2.ab, bcPair],
      [v3.ab],
      [abPair, v3.bc],
      [shares],
      [back(shares)],
      [wrapper],
    ]) {
      const { swap } = await tightSwap(stage, "exactIn", [path], ONE);
      const amountIn = 2n * ONE;
      const refused = { ...swap, kind: "exactOut", amountIn, amountOutMin: 1n } as const;
      expect(await stage.refusal(refused)).toBe("InvalidOrder");
    }
  });
});
