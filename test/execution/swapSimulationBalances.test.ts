import {
  type BuiltSwap,
  type ChainAccess,
  ChainAccessError,
  simulateSwap,
} from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import { encodeFunctionData, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChainFixtures } from "../live/ChainFixtures.ts";

// Swaps by a vendor that is no router, of tokens with many layouts of their balances.

const SEED = 20_261_129;
const PATIENCE_MS = 300_000;

describe("the simulation of a sale to a vendor", { timeout: PATIENCE_MS }, () => {
  let fixtures: ChainFixtures;
  beforeAll(async () => {
    fixtures = await ChainFixtures.open(SEED);
  }, PATIENCE_MS);
  afterAll(() => fixtures?.close());

  const simulate = ({ intent, swap }: BuiltSwap, chain = fixtures.access().chain) =>
    Effect.runPromise(simulateSwap(intent, [], swap, chain));

  const SLOTS = { ordinary: [0, 5], vyper: [1, 3], solady: [2, 0], far: [0, 201], other: [3, 0] };

  /** A sale of a token with this layout of balances, to a vendor that is no router. */
  async function vendorSale(
    [kind, slot]: readonly number[],
    takes = 1_000n,
    gives = 2_000n,
  ): Promise<BuiltSwap> {
    const [tokenIn, tokenOut, vendor] = await Promise.all([
      fixtures.deploy("LayoutToken", [kind, slot]),
      fixtures.deploy("LayoutToken", [0, 0]),
      fixtures.deploy("Vendor"),
    ]);
    const { address: sender } = await fixtures.account();
    const { wrappedNative } = fixtures.desk;
    const template = fixtures.build(
      fixtures.order({
        ...{ sender, via: "executor", amount: 10n ** 18n },
        ...{ tokenIn: wrappedNative, tokenOut: fixtures.token("USDC") },
      }),
    );
    const args = [tokenIn, takes, tokenOut, gives, sender];
    return {
      router: template.router,
      intent: {
        ...template.intent,
        ...{ tokenIn, tokenOut, amountIn: 1_000n, amountInMax: 1_000n },
        ...{ amountOut: 2_000n, amountOutMin: 2_000n },
      },
      swap: { to: vendor, data: fixtures.encode("Vendor", "sell", args), value: 0n },
    };
  }

  it("gives of a token whose balances are shares that lose value", async () => {
    await fixtures.chain.request("anvil_mine", ["0x40"]);
    const sale = await vendorSale(SLOTS.ordinary);
    const [tokenIn, amount] = [fixtures.token("SHRINK"), 10n ** 18n];
    const intent = { ...sale.intent, tokenIn, amountIn: amount, amountInMax: amount + 5n };
    const { to: vendor } = sale.swap;
    const args = [tokenIn, amount, intent.tokenOut, 2_000n, intent.sender];
    const swap = { ...sale.swap, data: fixtures.encode("Vendor", "sell", args) };
    const approve = encodeFunctionData({
      abi: parseAbi(["function approve(address spender, uint256 amount)"]),
      args: [vendor, amount],
    });
    const approvals = [{ to: tokenIn, data: approve, value: 0n }];
    const simulation = await Effect.runPromise(
      simulateSwap(intent, approvals, swap, fixtures.access().chain),
    );
    expect(simulation).toMatchObject({ kind: "done", amountOut: 2_000n });
    const { amountIn } = simulation as { amountIn: bigint };
    expect(amountIn - amount).toBeGreaterThanOrEqual(0n);
  });

  it("seeks a balance anew when it is no longer where it was", async () => {
    const { chain, asked } = fixtures.access();
    const sale = await vendorSale(SLOTS.ordinary);
    const { tokenIn } = sale.intent;
    expect(await simulate(sale, chain)).toMatchObject({ kind: "done" });
    // As an upgrade would do: another slot at the same address.
    const other = (await vendorSale(SLOTS.vyper)).intent.tokenIn;
    const code = await fixtures.chain.request<Hex>("eth_getCode", [other, "latest"]);
    await fixtures.chain.request("anvil_setCode", [tokenIn, code]);
    expect(await simulate(sale, chain)).toMatchObject({ kind: "untested" });
    asked.length = 0;
    expect(await simulate(sale, chain)).toMatchObject({ kind: "done" });
    expect(asked.length).toBeGreaterThan(2);
  });

  it("finds the balances of tokens wherever they are kept", async () => {
    for (const [name, layout] of Object.entries(SLOTS))
      expect(await simulate(await vendorSale(layout)), name).toMatchObject({
        ...{ kind: "done", amountIn: 1_000n, amountOut: 2_000n },
      });
  });

  it("is not to be had of a far balance from a node that makes no access lists", async () => {
    const { chain } = fixtures.access();
    const poorer: ChainAccess = (method, params) =>
      method === "eth_createAccessList"
        ? Effect.fail(new ChainAccessError({ reason: "Refused", detail: "method not found" }))
        : chain(method, params);
    expect(await simulate(await vendorSale(SLOTS.ordinary), poorer)).toMatchObject({
      kind: "done",
    });
    expect(await simulate(await vendorSale(SLOTS.far), poorer)).toEqual({
      kind: "untested",
      detail: "the sender has 0 of the input, and more cannot be given to try",
    });
  });

  it("fails a swap that takes more than the most, or gives less than the least", async () => {
    const more = await vendorSale(SLOTS.ordinary, 1_001n);
    expect(await simulate(more)).toEqual({
      kind: "failed",
      detail: "it takes 1001, more than 1000",
      isSilent: false,
    });
    const less = await vendorSale(SLOTS.ordinary, 1_000n, 1_999n);
    expect(await simulate(less)).toEqual({
      kind: "failed",
      detail: "it gives 1999, less than 2000",
      isSilent: false,
    });
  });

  it("calls silent what gives nothing or reverts without a reason", async () => {
    const sale = await vendorSale(SLOTS.ordinary);
    const { address: nobody } = await fixtures.account();
    expect(await simulate({ ...sale, swap: { ...sale.swap, to: nobody } })).toEqual({
      ...{ kind: "failed", detail: "it gives 0, less than 2000", isSilent: true },
    });
    for (const [size, isSilent] of [
      [0n, true],
      [4n, false],
    ] as const) {
      const swap = { ...sale.swap, data: fixtures.encode("Vendor", "bomb", [size]) };
      expect(await simulate({ ...sale, swap })).toMatchObject({ kind: "failed", isSilent });
    }
  });

  it("says in words why a swap reverts, whatever it reverts with", async () => {
    const sale = await vendorSale(SLOTS.ordinary);
    const reasonFor = async (functionName: string, args: ReadonlyArray<unknown>) => {
      const data = fixtures.encode("Vendor", functionName, args);
      const simulation = await simulate({ ...sale, swap: { ...sale.swap, data } });
      return (simulation as { detail?: string }).detail;
    };
    expect(await reasonFor("complain", ["too\u0000 la\u202ete"])).toBe(
      'the swap reverts: Error("too? la?te")',
    );
    expect(await reasonFor("complain", ["x".repeat(500)])).toBe(
      `the swap reverts: Error("${"x".repeat(100)}")`,
    );
    expect(await reasonFor("divide", [0n])).toBe("the swap reverts: Panic(18)");
    expect(await reasonFor("bomb", [0n])).toBe("the swap reverts: no reason given");
    expect(await reasonFor("bomb", [1_000_000n])).toBe(
      "the swap reverts: unknown error 0x00000000",
    );
    expect(await reasonFor("complain", ["y".repeat(5_000)])).toMatch(
      /^the swap reverts: unknown error 0x08c379a0$/,
    );
    const isOrigin = await reasonFor("origin", [sale.intent.sender]);
    expect(isOrigin).toBe("it gives 0, less than 2000");
  });
});
