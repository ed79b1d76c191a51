import type { Address } from "@millrace/core";
import {
  checkCalldata,
  type IntentPath,
  openRouters,
  type RouterTable,
  type SwapIntent,
  type SwapLeg,
} from "@millrace/execution";
import { encodeFunctionData, maxUint256, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approval, tokenAbi } from "../contracts/ExecutorFixture.ts";
import type { OrderLeg } from "../contracts/orders.ts";
import { back, ONE, PoolFixture } from "../contracts/PoolFixture.ts";

// Attacks between the building of a swap through Uniswap's router and its block.

const PATIENCE_MS = 300_000;
const DEADLINE = 2 ** 40;
const OUT = 8n * ONE;
const LITTLE = ONE / 1_000_000n;
const TAXES = [1n, 100n, 9_000n];

const permit2Abi = parseAbi([
  "struct Details { address token; uint160 amount; uint48 expiration; uint48 nonce; }",
  "struct Single { Details details; address spender; uint256 sigDeadline; }",
  "function permit(address owner, Single single, bytes signature)",
]);

const types = {
  PermitDetails: [
    { name: "token", type: "address" },
    { name: "amount", type: "uint160" },
    { name: "expiration", type: "uint48" },
    { name: "nonce", type: "uint48" },
  ],
  PermitSingle: [
    { name: "details", type: "PermitDetails" },
    { name: "spender", type: "address" },
    { name: "sigDeadline", type: "uint256" },
  ],
} as const;

describe("a swap through the Universal Router", { timeout: PATIENCE_MS }, () => {
  let stage: PoolFixture;
  let table: RouterTable;
  beforeAll(async () => {
    stage = await PoolFixture.open(11);
    const { universalRouter: address, permit2 } = stage.arena.devnet.contracts;
    table = {
      ...{ chainId: stage.arena.devnet.chainId, wrappedNative: stage.arena.wrappedNative },
      universalRouter: { address, version: "2.0", permit2, v2DexId: "V2", v3DexId: "V3" },
    };
  }, PATIENCE_MS);
  afterAll(() => stage?.close());

  const legOf = ({ kind, feePips = 3_000, ...leg }: OrderLeg): SwapLeg => ({
    ...leg,
    ...(kind === "pair"
      ? { dexId: "V2", protocol: "constant-product" }
      : { dexId: "V3", protocol: "concentrated-liquidity" }),
    ...{ feePips, parameter: 0, zeroForOne: leg.tokenIn < leg.tokenOut },
    ...{ amountIn: ONE, amountOut: ONE },
  });

  /** An exact output over paths, for a tenth of a token or much more. */
  const exactOutput = (...routes: ReadonlyArray<ReadonlyArray<OrderLeg>>): SwapIntent => {
    const paths = routes.map(
      (legs): IntentPath => ({
        amountIn: ONE / 10n,
        inputBound: ONE / 5n,
        amountOut: OUT,
        legs: legs.map(legOf),
      }),
    );
    const count = BigInt(paths.length);
    const { arena, sender, recipient } = stage;
    return {
      ...{ chainId: table.chainId, kind: "exactOut", sender, recipient, paths, feeAmount: 0n },
      tokenIn: routes[0]![0]!.tokenIn,
      tokenOut: routes[0]!.at(-1)!.tokenOut,
      ...{ isNativeIn: true, isNativeOut: false, wrappedNative: arena.wrappedNative },
      ...{ amountIn: (ONE / 10n) * count, amountInMax: 100n * ONE * count },
      ...{ amountOut: OUT * count, amountOutMin: OUT * count },
      ...{ deadline: DEADLINE, blockNumber: 1 },
    };
  };

  /** The same for an exact input, too small to move a price, with a minimum output. */
  const exactInput = (
    amountOutMin: bigint,
    ...routes: ReadonlyArray<ReadonlyArray<OrderLeg>>
  ): SwapIntent => {
    const intent = exactOutput(...routes);
    const amountIn = LITTLE * BigInt(routes.length);
    return {
      ...{ ...intent, kind: "exactIn", amountIn, amountInMax: amountIn, amountOutMin },
      paths: intent.paths.map((path) => ({ ...path, amountIn: LITTLE })),
    };
  };

  /** Sets the tax of every transfer from now on. */
  async function taxA(bps: bigint): Promise<void> {
    const { arena, a } = stage;
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "setTax", args: [bps] });
    await arena.mustSend({ from: arena.operator, to: a, data });
  }

  /** Checks that a swap gives its minimum without a tax, and reverts with any tax. */
  async function mustRevertWhenTaxed(intent: SwapIntent): Promise<void> {
    expect(await gain(intent)).toBeGreaterThanOrEqual(intent.amountOutMin);
    for (const bps of TAXES) {
      await taxA(bps);
      expect(await gain(intent)).toBeUndefined();
    }
    await taxA(0n);
  }

  /** The recipient's gain from the built swap; undefined where it reverted. */
  async function gain(intent: SwapIntent): Promise<bigint | undefined> {
    const router = openRouters(table).choose(intent);
    if ("refused" in router) throw new Error(router.detail);
    const call = router.encode(intent);
    expect(checkCalldata(table, intent, undefined, call)).toBeUndefined();
    const { arena, sender, recipient } = stage;
    const held = () => arena.balance(intent.tokenOut, recipient);
    const before = await held();
    const { succeeded } = await arena.send({ ...call, from: sender });
    const after = await held();
    return succeeded ? after - before : undefined;
  }

  it("for an exact output never gives less, when a token on the way begins to keep a tax", async () => {
    const { legs, wrapped } = stage;
    await mustRevertWhenTaxed(exactOutput([wrapped.waPair, legs.abPair]));
    await mustRevertWhenTaxed(exactOutput([wrapped.waV3, legs.abV3]));
    await mustRevertWhenTaxed(
      exactOutput([wrapped.waPair, legs.abPair], [wrapped.waV3, legs.abV3]),
    );
  });

  it("for an exact output never gives less, when what comes out begins to keep a tax", async () => {
    const { wrapped } = stage;
    await mustRevertWhenTaxed(exactOutput([wrapped.waPair]));
    await mustRevertWhenTaxed(exactOutput([wrapped.waV3]));
    await mustRevertWhenTaxed(exactOutput([wrapped.waPair], [wrapped.waV3]));
  });

  it("for an exact input never gives less, when what comes out begins to keep a tax", async () => {
    const { partner, legs, wrapped } = stage;
    const shapes: ReadonlyArray<ReadonlyArray<ReadonlyArray<OrderLeg>>> = [
      [[wrapped.waPair]],
      [[wrapped.waV3]],
      [[wrapped.waV3, legs.abV3, back(legs.abPair)]],
      [[wrapped.waPair, legs.abPair, back(legs.abV3)]],
      [[wrapped.waPair], [wrapped.waV3]],
    ];
    for (const shape of shapes) {
      const given = await gain(exactInput(1n, ...shape));
      // A tenth of the least tax below its output.
      const least = (given! * 99_999n) / 100_000n;
      await mustRevertWhenTaxed(exactInput(least, ...shape));
    }
    const fee = { recipient: partner, bps: 100 };
    const given = await gain({ ...exactInput(1n, [wrapped.waV3]), fee });
    const least = (given! * 99_999n) / 100_000n;
    await mustRevertWhenTaxed({ ...exactInput(least, [wrapped.waV3]), fee });
  });

  it("goes through though somebody else has used its permit first", async () => {
    const { arena, a, legs, sender, account, partner } = stage;
    const { address: spender, permit2 } = table.universalRouter!;
    await arena.mustSend({ from: sender, to: a, data: approval(permit2, maxUint256) });
    const intent: SwapIntent = {
      ...exactOutput([legs.abPair]),
      ...{ isNativeIn: false, kind: "exactIn", amountIn: ONE, amountInMax: ONE },
      ...{ amountOut: OUT, amountOutMin: 1n },
      paths: [{ amountIn: ONE, amountOut: OUT, legs: [legOf(legs.abPair)] }],
    };
    const [router] = openRouters(table).all.slice(1);
    const permit = (signed: number) => ({
      token: a,
      amount: ONE,
      expiration: DEADLINE,
      nonce: signed,
    });
    const single = (nonce: number) => ({
      ...{ details: permit(nonce), spender, sigDeadline: BigInt(DEADLINE) },
    });
    const sign = (nonce: number) =>
      account.signTypedData({
        domain: { name: "Permit2", chainId: table.chainId, verifyingContract: permit2 },
        ...{ types, primaryType: "PermitSingle", message: single(nonce) },
      });
    const swap = async (nonce: number) => {
      const signed = { signature: await sign(nonce), amount: ONE, nonce: BigInt(nonce) };
      const times = { deadline: BigInt(DEADLINE), expiration: BigInt(DEADLINE) };
      const call = router!.encode(intent, { ...signed, ...times });
      expect(checkCalldata(table, intent, { ...signed, ...times }, call)).toBeUndefined();
      return (await arena.send({ ...call, from: sender })).succeeded;
    };
    const use = async (nonce: number, by: Address) => {
      const args = [sender, single(nonce), await sign(nonce)] as const;
      const data = encodeFunctionData({ abi: permit2Abi, functionName: "permit", args });
      await arena.mustSend({ from: by, to: permit2, data });
    };
    expect(await swap(0)).toBe(true);
    // The amount is used up, and the signature with it.
    expect(await swap(0)).toBe(false);
    await use(1, partner);
    expect(await swap(1)).toBe(true);
  });
});
