import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { encodeFunctionData, hexToNumber, slice } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approval, tokenAbi } from "../contracts/ExecutorFixture.ts";
import { encodeSwap, FAR, type OrderLeg, type Permit, pathOf } from "../contracts/orders.ts";
import { back, type FixtureSwap, ONE, PoolFixture } from "../contracts/PoolFixture.ts";
import { amountOutOf } from "../contracts/poolAnswers.ts";
import { must, performData } from "../contracts/scriptedContracts.ts";

const TRUE = 0n;
const NOTHING = 1n;
const FALSE_AND_MOVED = 2n;
const FALSE = 3n;
const TAX_BPS = 700n;

describe("the executor, with tokens that bite,", () => {
  let stage: PoolFixture;
  /** Trades against `stage.b`. */
  let token: Address;
  let pair: OrderLeg;
  let pool: OrderLeg;
  beforeAll(async () => {
    stage = await PoolFixture.open(2);
    const { arena, b, sender } = stage;
    token = await arena.token();
    const depth = 1_000n * ONE;
    pair = {
      ...{ kind: "pair", pool: await arena.pair([token, depth], [b, depth]) },
      ...{ tokenIn: token, tokenOut: b },
    };
    pool = {
      ...{ kind: "concentrated", pool: await arena.concentratedPool([token, b], 3_000, depth) },
      ...{ tokenIn: token, tokenOut: b },
    };
    await arena.fund(token, sender, depth);
  });
  afterAll(() => stage?.close());

  const set = async (functionName: "setTax" | "setAnswer", value: bigint) => {
    const data = encodeFunctionData({ abi: tokenAbi, functionName, args: [value] });
    await stage.arena.mustSend({ from: stage.partner, to: token, data });
  };

  const over = (...legs: ReadonlyArray<OrderLeg>): FixtureSwap => ({
    ...{ kind: "exactIn", tokenIn: legs[0]!.tokenIn, tokenOut: legs.at(-1)!.tokenOut },
    ...{ amountIn: ONE, paths: [pathOf(ONE, ...legs)] },
  });

  const taxed = (amount: bigint) => amount - (amount * TAX_BPS) / 10_000n;

  it("sells one that takes a tax, to a pair, for what arrives there", async () => {
    await set("setTax", TAX_BPS);
    const amountOutMin = await amountOutOf(stage.arena, pair, taxed(ONE));
    const swap = { ...over(pair), amountOutMin };
    expect(await stage.refusal({ ...swap, amountOutMin: amountOutMin + 1n })).toBe("TooLittleOut");
    const { outcome, change } = await stage.play(swap, [token]);
    expect(outcome).toMatchObject({ succeeded: true });
    expect(change(token, stage.sender)).toBe(-ONE);
    expect(change(stage.b, stage.sender)).toBe(amountOutMin);
    await set("setTax", 0n);
  });

  it("counts of a taxed output what the recipient gets, with a fee and without", async () => {
    await set("setTax", TAX_BPS);
    for (const fee of [undefined, { recipient: stage.partner, bps: 100 }]) {
      const out = await amountOutOf(stage.arena, back(pair), ONE);
      const gross = taxed(out);
      const amountOutMin = fee === undefined ? gross : taxed(gross - gross / 100n);
      const swap = { ...over(back(pair)), recipient: stage.recipient, amountOutMin };
      const charged = fee === undefined ? swap : { ...swap, fee };
      expect(await stage.refusal({ ...charged, amountOutMin: amountOutMin + 1n })).toBe(
        "TooLittleOut",
      );
      const { outcome, change } = await stage.play(charged, [token]);
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(token, stage.recipient)).toBe(amountOutMin);
      expect(change(token, stage.arena.executor)).toBe(0n);
    }
    await set("setTax", 0n);
  });

  it("passes a taxed one on from pair to pair", async () => {
    const other = {
      ...pair,
      pool: await stage.arena.pair([token, ONE * 50n], [stage.c, ONE * 50n]),
    };
    const onward = { ...other, tokenOut: stage.c };
    await set("setTax", TAX_BPS);
    const between = taxed(await amountOutOf(stage.arena, back(pair), ONE));
    const amountOutMin = await amountOutOf(stage.arena, onward, between);
    const { outcome, change } = await stage.play({ ...over(back(pair), onward), amountOutMin });
    expect(outcome).toMatchObject({ succeeded: true });
    expect(change(stage.c, stage.sender)).toBe(amountOutMin);
    await set("setTax", 0n);
  });

  it("refuses to sell a taxed one to a concentrated pool, and to buy any with a taxed one exactly", async () => {
    await set("setTax", TAX_BPS);
    const native = await stage.arena.balance(token, stage.sender);
    expect(await stage.refusal(over(pool))).toBe("Error IIA");
    expect(await stage.refusal(over(back(pair), pool))).not.toBe("none");
    const exact = { kind: "exactOut", amountIn: 10n * ONE } as const;
    expect(await stage.refusal({ ...over(pool), ...exact })).toBe("Error IIA");
    expect(await stage.refusal({ ...over(pair), ...exact })).toBe("Error UniswapV2: K");
    expect(await stage.arena.balance(token, stage.sender)).toBe(native);
    await set("setTax", 0n);
  });

  it("takes one that returns nothing", async () => {
    await set("setAnswer", NOTHING);
    for (const swap of [over(pair), over(back(pair))]) {
      const { outcome, change } = await stage.play(swap, [token]);
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(swap.tokenIn, stage.sender)).toBe(-ONE);
      expect(change(swap.tokenOut, stage.sender)).toBeGreaterThan(ONE / 2n);
    }
    const fee = { recipient: stage.partner, bps: 100 };
    const { change } = await stage.play({ ...over(back(pair)), fee }, [token]);
    expect(change(token, stage.partner)).toBeGreaterThan(0n);
    await set("setAnswer", TRUE);
  });

  it("refuses one that returns false, whether it moved or not", async () => {
    for (const answer of [FALSE, FALSE_AND_MOVED]) {
      await set("setAnswer", answer);
      expect(await stage.refusal(over(pair))).toBe("TransferFailed");
      expect(await stage.refusal(over(pool))).toBe("TransferFailed");
      expect(await stage.refusal({ ...over(pair), kind: "exactOut", amountIn: 9n * ONE })).toBe(
        "TransferFailed",
      );
    }
    await set("setAnswer", TRUE);
  });

  it("refuses one that is no contract", async () => {
    const nobody = await stage.arena.account();
    const swap = { ...over({ ...pair, tokenIn: nobody }), tokenIn: nobody };
    expect(await stage.refusal(swap)).toBe("TransferFailed");
  });

  it("takes no more than was approved", async () => {
    const { arena, sender } = stage;
    const data = approval(arena.executor, ONE - 1n);
    await arena.mustSend({ from: sender, to: token, data });
    expect(await stage.refusal(over(pair))).toBe("TransferFailed");
    expect(await stage.refusal(over(pool))).toBe("TransferFailed");
  });

  describe("takes a permit", () => {
    const EXECUTOR_MAY_TAKE = 3n * ONE;

    async function sign(nonce: bigint, amount: bigint): Promise<Permit> {
      const signature = await stage.account.signTypedData({
        domain: {
          ...{ name: "Fixture", version: "1", chainId: stage.arena.devnet.chainId },
          verifyingContract: token,
        },
        types: {
          Permit: [
            { name: "owner", type: "address" },
            { name: "spender", type: "address" },
            { name: "value", type: "uint256" },
            { name: "nonce", type: "uint256" },
            { name: "deadline", type: "uint256" },
          ],
        },
        primaryType: "Permit",
        message: {
          ...{ owner: stage.sender, spender: stage.arena.executor, value: amount, nonce },
          deadline: FAR,
        },
      });
      const [r, s] = [slice(signature, 0, 32), slice(signature, 32, 64)];
      return { amount, deadline: FAR, v: hexToNumber(slice(signature, 64)), r, s };
    }

    const allowance = async (): Promise<bigint> => {
      const { chain, executor } = stage.arena;
      const question = { functionName: "allowance", args: [stage.sender, executor] } as const;
      const data = encodeFunctionData({ abi: tokenAbi, ...question });
      return BigInt(await chain.request<Hex>("eth_call", [{ to: token, data }, "latest"]));
    };

    const disallow = async () => {
      const data = approval(stage.arena.executor, 0n);
      await stage.arena.mustSend({ from: stage.sender, to: token, data });
    };

    it("in place of an approval, for inputs and outputs", async () => {
      await disallow();
      expect(await stage.refusal(over(pair))).toBe("TransferFailed");
      const first = await sign(0n, ONE);
      expect(await stage.play({ ...over(pair), permit: first })).toMatchObject({
        outcome: { succeeded: true },
      });
      expect(await allowance()).toBe(0n);
      const permit = await sign(1n, EXECUTOR_MAY_TAKE);
      const exact = { ...over(pool), kind: "exactOut", amountIn: EXECUTOR_MAY_TAKE } as const;
      const { outcome, change } = await stage.play({ ...exact, permit });
      expect(outcome).toMatchObject({ succeeded: true });
      expect(change(stage.b, stage.sender)).toBe(ONE);
    });

    it("that somebody else has sent before, as the allowance is there", async () => {
      await disallow();
      const permit = await sign(2n, ONE);
      const { amount, deadline, v, r, s } = permit;
      const args = [stage.sender, stage.arena.executor, amount, deadline, v, r, s] as const;
      const data = encodeFunctionData({ abi: tokenAbi, functionName: "permit", args });
      await stage.arena.mustSend({ from: stage.partner, to: token, data });
      expect(await stage.play({ ...over(pair), permit })).toMatchObject({
        outcome: { succeeded: true },
      });
      // The permit is used up: the same signature allows nothing a second time.
      expect(await stage.refusal({ ...over(pair), permit })).toBe("TransferFailed");
    });

    it("of who sends the order, never of who sends the transaction", async () => {
      const { arena, sender } = stage;
      await disallow();
      const permit = await sign(3n, ONE);
      const wallet = await arena.deploy("ScriptedContract");
      await arena.give(token, wallet, ONE);
      const order = stage.order(over(pair));
      const acts = [
        must(token, approval(arena.executor, ONE)),
        must(arena.executor, encodeSwap("exactIn", order, over(pair).paths, permit)),
      ];
      await arena.mustSend({ from: sender, to: wallet, data: performData(acts) });
      expect(await arena.balance(token, wallet)).toBe(0n);
      expect(await allowance()).toBe(0n);
    });

    it("of somebody else's for nothing", async () => {
      await disallow();
      const permit = await sign(3n, ONE);
      const data = encodeSwap("exactIn", stage.order(over(pair)), over(pair).paths, permit);
      const { arena, partner: from } = stage;
      expect(await arena.send({ from, to: arena.executor, data })).toMatchObject({
        error: "TransferFailed",
      });
    });
  });
});
