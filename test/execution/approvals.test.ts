import type { Address } from "@millrace/core";
import {
  approvalsFor,
  type BuiltSwap,
  type ChainAccess,
  ChainAccessError,
  type SwapCall,
} from "@millrace/execution";
import { Effect, Result } from "effect";
import { decodeFunctionData, encodeFunctionData, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChainFixtures } from "../live/ChainFixtures.ts";

const SEED = 20_261_126;
const PATIENCE_MS = 300_000;

const abi = parseAbi([
  "function approve(address spender, uint256 amount)",
  "function approve(address token, address spender, uint160 amount, uint48 expiration)",
]);
const AMOUNT = 10n ** 18n;
type Via = "universal-router" | "executor";

describe("the approvals of a swap", { timeout: PATIENCE_MS }, () => {
  let fixtures: ChainFixtures;
  let permit2: Address;
  let spenders: Readonly<Record<Via, Address>>;
  beforeAll(async () => {
    fixtures = await ChainFixtures.open(SEED);
    const { table } = fixtures.desk;
    permit2 = table.universalRouter!.permit2;
    spenders = { "universal-router": table.universalRouter!.address, executor: table.executor! };
  }, PATIENCE_MS);
  afterAll(() => fixtures?.close());

  const ask = (
    { intent, router }: BuiltSwap,
    chain: ChainAccess | undefined = fixtures.access().chain,
    { hasPermit = false, resetTokens = [] as ReadonlyArray<Address> } = {},
  ) =>
    approvalsFor(intent, router, hasPermit, {
      ...{ table: fixtures.desk.table, resetTokens: new Set(resetTokens) },
      ...(chain !== undefined && { chain }),
    });
  const approvals = (...args: Parameters<typeof ask>) => Effect.runPromise(ask(...args));

  /** Without a chain: nothing is known. */
  const blind = ({ intent, router }: BuiltSwap, resetTokens: ReadonlyArray<Address> = []) =>
    Effect.runPromise(
      approvalsFor(intent, router, false, {
        ...{ table: fixtures.desk.table, resetTokens: new Set(resetTokens) },
      }),
    );

  async function sale(via: Via, tokenIn = fixtures.desk.wrappedNative, more = {}) {
    const { address: sender } = await fixtures.account();
    const { wrappedNative } = fixtures.desk;
    await fixtures.desk.live.caughtUp();
    const tokenOut = tokenIn === wrappedNative ? fixtures.token("DAI") : wrappedNative;
    return fixtures.build(fixtures.order({ sender, tokenIn, tokenOut, amount: AMOUNT, via }, more));
  }

  /** Targets and arguments. */
  const told = (calls: ReadonlyArray<SwapCall>) =>
    calls.map(({ to, data, value }) => {
      expect(value).toBe(0n);
      const { args } = decodeFunctionData({ abi, data });
      return [to, ...args.map((part) => (typeof part === "string" ? part.toLowerCase() : part))];
    });

  const approve = (token: Address, spender: Address, amount: bigint): SwapCall => ({
    ...{ to: token, value: 0n },
    data: encodeFunctionData({ abi, functionName: "approve", args: [spender, amount] }),
  });

  const approveInPermit2 = (token: Address, amount: bigint, expiration: number): SwapCall => ({
    ...{ to: permit2, value: 0n },
    data: encodeFunctionData({
      ...{ abi, functionName: "approve" },
      args: [token, spenders["universal-router"], amount, expiration],
    }),
  });

  it("are of exact amounts, and with them the swap goes through and leaves no allowance", async () => {
    for (const via of ["executor", "universal-router"] as const) {
      for (const kind of ["exactIn", "exactOut"] as const) {
        const built = await sale(via, undefined, { kind });
        const { sender, tokenIn, amountInMax, deadline } = built.intent;
        await fixtures.mint(tokenIn, sender, amountInMax);
        const calls = await approvals(built);
        const router = spenders[via];
        expect(told(calls)).toEqual(
          via === "executor"
            ? [[tokenIn, router, amountInMax]]
            : [
                [tokenIn, permit2, amountInMax],
                [permit2, tokenIn, router, amountInMax, deadline],
              ],
        );
        for (const call of calls) await fixtures.mustSend(sender, call);
        expect(await approvals(built)).toEqual([]);
        const spender = via === "executor" ? router : permit2;
        expect(await fixtures.read(tokenIn, "allowance", [sender, spender])).toBe(amountInMax);
        await fixtures.mustSend(sender, built.swap);
        if (built.intent.kind === "exactIn")
          expect(await fixtures.read(tokenIn, "allowance", [sender, spender])).toBe(0n);
      }
    }
  });

  it("are none for native input, and for the wrapper", async () => {
    const native = { isNativeIn: true };
    for (const via of ["executor", "universal-router"] as const)
      expect(await approvals(await sale(via, undefined, native))).toEqual([]);
    const { wrappedNative } = fixtures.desk;
    const unwrap = fixtures.build({
      ...{ sender: fixtures.desk.sender, tokenIn: wrappedNative, tokenOut: wrappedNative },
      ...{ isNativeIn: false, isNativeOut: true, kind: "exactIn", steps: [], slippagePpm: 0 },
      ...{ amountIn: 1n, amountOut: 1n },
    });
    expect(await approvals(unwrap)).toEqual([]);
  });

  it("are saved by a permit, but for Permit2's own", async () => {
    const [executor, universal] = [await sale("executor"), await sale("universal-router")];
    const chain = fixtures.access().chain;
    expect(await approvals(executor, chain, { hasPermit: true })).toEqual([]);
    const { tokenIn } = universal.intent;
    expect(told(await approvals(universal, chain, { hasPermit: true }))).toEqual([
      [tokenIn, permit2, AMOUNT],
    ]);
  });

  it("are given anew in Permit2 where what is there ends before the deadline, or is too little", async () => {
    const built = await sale("universal-router");
    const { sender, tokenIn, deadline } = built.intent;
    await fixtures.mustSend(sender, approve(tokenIn, permit2, AMOUNT * 5n));
    const inPermit2 = [permit2, tokenIn, spenders["universal-router"], AMOUNT, deadline];
    for (const [amount, expiration, isEnough] of [
      [AMOUNT, deadline, true],
      [AMOUNT, deadline - 1, false],
      [AMOUNT - 1n, deadline, false],
      [AMOUNT * 2n, 2 ** 48 - 1, true],
      [AMOUNT, 1, false],
    ] as const) {
      await fixtures.mustSend(sender, approveInPermit2(tokenIn, amount, expiration));
      expect(told(await approvals(built)), `${amount} ${expiration}`).toEqual(
        isEnough ? [] : [inPermit2],
      );
    }
  });

  it("set an allowance to zero first where the token wants that, found by trying", async () => {
    const wanted = [
      ["RESET", true],
      ["NORETURN", false],
      ["FALSE", false],
    ] as const;
    for (const [symbol, needsReset] of wanted) {
      const built = await sale("universal-router", fixtures.token(symbol));
      const { sender, tokenIn } = built.intent;
      const first = approve(tokenIn, permit2, AMOUNT - 1n);
      expect(told(await approvals(built))[0]).toEqual([tokenIn, permit2, AMOUNT]);
      await fixtures.mustSend(sender, first);
      const calls = await approvals(built);
      const reset = needsReset ? [[tokenIn, permit2, 0n]] : [];
      expect(told(calls).slice(0, -1), symbol).toEqual([...reset, [tokenIn, permit2, AMOUNT]]);
      for (const call of calls) await fixtures.mustSend(sender, call);
      expect(await approvals(built), symbol).toEqual([]);
    }
  });

  it("set an allowance to zero first for tokens that are listed, when there is one", async () => {
    const built = await sale("executor");
    const { sender, tokenIn } = built.intent;
    const { executor } = spenders;
    const listed = { resetTokens: [tokenIn] };
    const chain = fixtures.access().chain;
    expect(told(await approvals(built, chain, listed))).toEqual([[tokenIn, executor, AMOUNT]]);
    await fixtures.mustSend(sender, approve(tokenIn, executor, 1n));
    const both = [
      [tokenIn, executor, 0n],
      [tokenIn, executor, AMOUNT],
    ];
    expect(told(await approvals(built, chain, listed))).toEqual(both);
    expect(told(await approvals(built, chain))).toEqual(both.slice(1));
  });

  it("are all given where no chain can be asked", async () => {
    const [executor, universal] = [await sale("executor"), await sale("universal-router")];
    const { tokenIn } = executor.intent;
    for (const call of await blind(executor)) await fixtures.mustSend(executor.intent.sender, call);
    expect(told(await blind(executor))).toEqual([[tokenIn, spenders.executor, AMOUNT]]);
    expect(told(await blind(universal, [tokenIn]))).toEqual([
      [tokenIn, permit2, 0n],
      [tokenIn, permit2, AMOUNT],
      [permit2, tokenIn, spenders["universal-router"], AMOUNT, universal.intent.deadline],
    ]);
  });

  it("cost one round trip", async () => {
    const built = await sale("universal-router");
    const { chain } = fixtures.access();
    let inFlight = 0;
    let most = 0;
    let requests = 0;
    const watched: ChainAccess = (method, params) =>
      Effect.suspend(() => {
        requests += 1;
        inFlight += 1;
        most = Math.max(most, inFlight);
        const left = Effect.sync(() => {
          inFlight -= 1;
        });
        return Effect.ensuring(chain(method, params), left);
      });
    await approvals(built, watched);
    expect([requests, most]).toEqual([3, 3]);
  });

  it("of a token that answers nonsense are given as if nothing were known", async () => {
    const built = await sale("executor");
    const { tokenIn } = built.intent;
    const answers: ReadonlyArray<unknown> = ["0x", "0x01", null, {}, "nonsense", "0xzz", 5];
    const huge = `0x${"00".repeat(1_000_000)}`;
    for (const answer of [...answers, huge])
      expect(told(await approvals(built, () => Effect.succeed(answer)))).toEqual([
        [tokenIn, spenders.executor, AMOUNT],
      ]);
    const refused = new ChainAccessError({ reason: "Refused", detail: "execution reverted" });
    expect(told(await approvals(built, () => Effect.fail(refused)))).toHaveLength(1);
  });

  it("are not guessed when the node does not answer", async () => {
    const built = await sale("universal-router");
    const gone = new ChainAccessError({ reason: "Unavailable", detail: "timed out" });
    const result = await Effect.runPromise(Effect.result(ask(built, () => Effect.fail(gone))));
    expect(Result.isFailure(result) && result.failure).toBe(gone);
  });

  it("of amounts that Permit2 cannot hold are a clear fault", async () => {
    const built = await sale("universal-router");
    const intent = { ...built.intent, amountInMax: 2n ** 160n };
    await expect(approvals({ ...built, intent })).rejects.toThrow("below 2^160");
  });
});
