import type { Address } from "@millrace/core";
import {
  approvalsFor,
  type BuiltSwap,
  type ChainAccess,
  ChainAccessError,
  type SwapIntent,
  type SwapOrder,
  simulateSwap,
} from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChainFixtures } from "../live/ChainFixtures.ts";

const SEED = 20_261_125;
const PATIENCE_MS = 300_000;
const RECIPIENT = "0x00000000000000000000000000000000cafe0001";
const FEE = { recipient: "0x00000000000000000000000000000000cafe0002", bps: 25 } as const;

describe("the simulation of a swap", { timeout: PATIENCE_MS }, () => {
  let fixtures: ChainFixtures;
  beforeAll(async () => {
    fixtures = await ChainFixtures.open(SEED);
  }, PATIENCE_MS);
  afterAll(() => fixtures?.close());

  const approvalsOf = ({ intent, router }: BuiltSwap, hasPermit = false) =>
    Effect.runPromise(
      approvalsFor(intent, router, hasPermit, {
        ...{ table: fixtures.desk.table, resetTokens: new Set<Address>() },
        chain: fixtures.access().chain,
      }),
    );
  const simulate = async (built: BuiltSwap, chain = fixtures.access().chain) =>
    Effect.runPromise(simulateSwap(built.intent, await approvalsOf(built), built.swap, chain));
  const sell = (via: "universal-router" | "executor", sender: Address, more = {}) =>
    fixtures.build(
      fixtures.order(
        {
          ...{ sender, via, amount: 10n ** 18n },
          ...{ tokenIn: fixtures.desk.wrappedNative, tokenOut: fixtures.token("USDC") },
        },
        more,
      ),
    );

  const shapes: ReadonlyArray<Partial<SwapOrder>> = [
    {},
    { isNativeIn: true },
    { isNativeIn: true, recipient: RECIPIENT, fee: FEE },
    { kind: "exactOut" },
    { kind: "exactOut", isNativeIn: true },
    { kind: "exactOut", isNativeIn: true, recipient: RECIPIENT, fee: FEE },
  ];
  const unwrapping: ReadonlyArray<Partial<SwapOrder>> = [
    { isNativeOut: true },
    { isNativeOut: true, fee: FEE },
    { isNativeOut: true, recipient: RECIPIENT },
    { kind: "exactOut", isNativeOut: true },
  ];

  it("tells what the mined transactions then do, to the wei", async () => {
    const { wrappedNative } = fixtures.desk;
    const usdc = fixtures.token("USDC");
    const cases = (["universal-router", "executor"] as const).flatMap((via) => [
      ...shapes.map((shape) => ({ via, tokenIn: wrappedNative, tokenOut: usdc, shape })),
      ...unwrapping.map((shape) => ({ via, tokenIn: usdc, tokenOut: wrappedNative, shape })),
    ]);
    for (const { via, tokenIn, tokenOut, shape } of cases) {
      const told = JSON.stringify({ via, shape });
      const { address: sender } = await fixtures.account();
      await fixtures.mint(tokenIn, sender, 10n ** 20n);
      await fixtures.desk.live.caughtUp();
      const isExactIn = shape.kind !== "exactOut";
      const isSale = tokenIn === wrappedNative;
      const amount = isSale === isExactIn ? 10n ** 18n : 3_000n * 10n ** 6n;
      const built = fixtures.build(
        fixtures.order({ sender, via, tokenIn, tokenOut, amount }, shape),
      );
      expect(built.router.kind).toBe(via);
      const { chain, asked } = fixtures.access();
      const simulation = await simulate(built, chain);
      expect(asked, told).toEqual(["eth_call"]);
      for (const approval of await approvalsOf(built)) await fixtures.mustSend(sender, approval);
      const before = await holdings(built.intent);
      const receipt = await fixtures.mustSend(sender, built.swap);
      const after = await holdings(built.intent);
      const gasCost = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
      const { isNativeIn, isNativeOut, recipient } = built.intent;
      const amountIn = before.input - after.input - (isNativeIn ? gasCost : 0n);
      const isOwn = recipient === sender;
      const amountOut = after.output - before.output + (isNativeOut && isOwn ? gasCost : 0n);
      expect(simulation, told).toMatchObject({ kind: "done", amountIn, amountOut });
      const { gas } = simulation as { gas: bigint };
      expect(gas, told).toBeGreaterThan(40_000n);
      expect(gas, told).toBeLessThan(BigInt(receipt.gasUsed) * 2n);
    }
  });

  async function holdings(intent: SwapIntent) {
    const [[sender], [recipient]] = await Promise.all([
      fixtures.desk.balances([intent.sender], [intent.tokenIn]),
      fixtures.desk.balances([intent.recipient], [intent.tokenOut]),
    ]);
    const NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
    return {
      input: sender!.get(intent.isNativeIn ? NATIVE : intent.tokenIn)!,
      output: recipient!.get(intent.isNativeOut ? NATIVE : intent.tokenOut)!,
    };
  }

  it("of the wrapper gives one for one, both ways", async () => {
    const { wrappedNative } = fixtures.desk;
    for (const [isNativeIn, isNativeOut] of [
      [true, false],
      [false, true],
    ] as const) {
      const { address: sender } = await fixtures.account();
      const built = fixtures.build({
        ...{ sender, tokenIn: wrappedNative, tokenOut: wrappedNative, isNativeIn, isNativeOut },
        ...{ kind: "exactIn", amountIn: 12_345n, amountOut: 12_345n, steps: [], slippagePpm: 0 },
      });
      expect(built.router.kind).toBe("wrapper");
      expect(await simulate(built)).toMatchObject({
        ...{ kind: "done", amountIn: 12_345n, amountOut: 12_345n },
      });
    }
  });

  it("of a sender who has nothing tells what a sender would get who has the input", async () => {
    const { desk } = fixtures;
    const { tokens, wrappedNative } = desk.live.devnet;
    const { chain, asked } = fixtures.access();
    const { address: sender } = await fixtures.account();
    for (const { address: tokenIn, symbol, decimals } of tokens) {
      const tokenOut = tokenIn === wrappedNative ? fixtures.token("USDC") : wrappedNative;
      const amount = 10n ** BigInt(decimals);
      const wish = { sender, tokenIn, tokenOut, amount, via: "universal-router" } as const;
      const built = fixtures.build(fixtures.order(wish));
      const { amountIn, amountOut } = built.intent;
      const simulation = await simulate(built, chain);
      expect(simulation, symbol).toMatchObject({ kind: "done", amountIn, amountOut });
      // The results are not sought again, not even for other senders.
      asked.length = 0;
      const { address: another } = await fixtures.account();
      const again = fixtures.build(fixtures.order({ ...wish, sender: another }));
      expect(await simulate(again, chain), symbol).toMatchObject({ kind: "done", amountOut });
      expect(asked, symbol).toEqual(["eth_call", "eth_call"]);
    }
    expect(tokens.length).toBeGreaterThan(10);
  });

  it("fails sales that a token taxes or forbids, and no others", async () => {
    const { address: sender } = await fixtures.account();
    const simulateSale = (symbol: string) => {
      const tokenIn = fixtures.token(symbol);
      const wish = { sender, tokenIn, tokenOut: fixtures.desk.wrappedNative, amount: 10n ** 18n };
      return simulate(fixtures.build(fixtures.order({ ...wish, via: "universal-router" })));
    };
    for (const symbol of ["TAX", "SALETAX", "HONEY"])
      expect((await simulateSale(symbol)).kind, symbol).toBe("failed");
    for (const symbol of ["NORETURN", "FALSE", "RESET", "REENTER"])
      expect((await simulateSale(symbol)).kind, symbol).toBe("done");
  });

  it("knows the errors of both routers, and of what they call", async () => {
    const { address: sender } = await fixtures.account();
    const reasonOf = async (built: BuiltSwap, approvals = approvalsOf(built)) => {
      const simulation = await Effect.runPromise(
        simulateSwap(built.intent, await approvals, built.swap, fixtures.access().chain),
      );
      return (simulation as { detail?: string }).detail;
    };
    const late = (built: BuiltSwap): BuiltSwap => ({
      ...built,
      swap: built.router.encode({ ...built.intent, deadline: 1 }),
    });
    const greedy = (built: BuiltSwap): BuiltSwap => ({
      ...built,
      swap: built.router.encode({ ...built.intent, amountOutMin: built.intent.amountOut + 1n }),
    });
    const [universal, executor] = [sell("universal-router", sender), sell("executor", sender)];
    expect(await reasonOf(late(universal))).toBe("the swap reverts: TransactionDeadlinePassed()");
    expect(await reasonOf(late(executor))).toBe("the swap reverts: DeadlinePassed()");
    expect(await reasonOf(greedy(universal))).toBe("the swap reverts: InsufficientToken()");
    expect(await reasonOf(greedy(executor))).toBe(
      `the swap reverts: TooLittleOut(${executor.intent.amountOut})`,
    );
    const permit = {
      ...{ signature: `0x${"11".repeat(64)}1b` as Hex, amount: universal.intent.amountInMax },
      ...{ deadline: 2n ** 40n, expiration: 2n ** 40n, nonce: 0n },
    } as const;
    const forged = { ...universal, swap: universal.router.encode(universal.intent, permit) };
    // Whoever has used the permit first, the payment's error names the missing allowance.
    expect(await reasonOf(forged, approvalsOf(universal, true))).toBe(
      "the swap reverts: AllowanceExpired(0)",
    );
    const approvals = await approvalsOf(executor);
    const broken = [{ ...approvals[0]!, data: "0x12345678" as const }];
    const { tokenIn } = fixtures.order({
      ...{ sender, via: "universal-router", amount: 10n ** 9n },
      ...{ tokenIn: fixtures.token("USDC"), tokenOut: fixtures.desk.wrappedNative },
    });
    expect(await reasonOf(executor, Promise.resolve([{ ...broken[0]!, to: tokenIn }]))).toBe(
      "approval 1 of 1 reverts: no reason given",
    );
  });

  it("takes a contract for a sender too", async () => {
    const { address: sender } = await fixtures.account();
    await fixtures.chain.request("anvil_setCode", [sender, fixtures.code("Vendor")]);
    const built = sell("universal-router", sender);
    const { amountOut } = built.intent;
    expect(await simulate(built)).toMatchObject({ kind: "done", amountOut });
  });

  it("tries nothing in which the sender is called", async () => {
    const built = sell("executor", fixtures.desk.sender);
    const itself = { ...built, intent: { ...built.intent, sender: built.intent.tokenOut } };
    expect(await simulate(itself)).toEqual({
      kind: "untested",
      detail: "the sender is a contract of the swap itself",
    });
  });

  it("is nothing when the node does not do what it should", async () => {
    const { chain } = fixtures.access();
    const built = sell("executor", fixtures.desk.sender);
    const nodes: Readonly<Record<string, ChainAccess>> = {
      "no overrides": (method, params) => chain(method, params.slice(0, 2)),
      refusing: () => refuse("too many arguments, want at most 2"),
      "a megabyte": () => Effect.succeed(`0x${"00".repeat(1_000_000)}`),
      "no bytes": () => Effect.succeed({ result: "0x" }),
      "other bytes": () => Effect.succeed(`0x${"ff".repeat(320)}`),
      "huge offsets": () => Effect.succeed(`0x${"00".repeat(31)}20${"ff".repeat(256)}`),
    };
    for (const [name, node] of Object.entries(nodes)) {
      const simulation = await Effect.runPromise(simulateSwap(built.intent, [], built.swap, node));
      expect(simulation, name).toMatchObject({ kind: "untested" });
    }
  });

  it("does not wait for ever", async () => {
    const built = sell("executor", fixtures.desk.sender);
    const waiting = Effect.gen(function* () {
      const simulation = simulateSwap(built.intent, [], built.swap, () => Effect.never);
      const fiber = yield* Effect.forkChild(simulation);
      yield* TestClock.adjust("1 minute");
      return yield* Fiber.join(fiber);
    });
    const simulation = await Effect.runPromise(
      waiting.pipe(Effect.provide(TestClock.layer()), Effect.scoped),
    );
    expect(simulation).toEqual({ kind: "untested", detail: "no answer in 10000 ms" });
  });
});

const refuse = (detail: string) => Effect.fail(new ChainAccessError({ reason: "Refused", detail }));
