import { type ChainAccess, ChainAccessError, makeGasPrices } from "@millrace/execution";
import { Effect, Fiber, Result } from "effect";
import { TestClock } from "effect/testing";
import { numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChainFixtures } from "../live/ChainFixtures.ts";

const SEED = 20_261_127;
const PATIENCE_MS = 120_000;
const ORACLE = "0x420000000000000000000000000000000000000f";

describe("the gas price of a network", { timeout: PATIENCE_MS }, () => {
  let fixtures: ChainFixtures;
  beforeAll(async () => {
    fixtures = await ChainFixtures.open(SEED);
  }, PATIENCE_MS);
  afterAll(() => fixtures?.close());

  const read = (chain: ChainAccess, dataFee?: "op-stack") =>
    Effect.runPromise(Effect.result(makeGasPrices({ chain, ...(dataFee && { dataFee }) }).current));
  const price = async (...args: Parameters<typeof read>) => {
    const result = await read(...args);
    if (Result.isFailure(result)) throw result.failure;
    return result.success;
  };
  const withTip = async (wei: bigint) => {
    const { address: from } = await fixtures.account();
    await fixtures.chain.request("eth_sendTransactionSync", [
      {
        ...{ from, to: from, value: "0x0", gas: numberToHex(21_000) },
        ...{ maxFeePerGas: numberToHex(10n ** 12n), maxPriorityFeePerGas: numberToHex(wei) },
      },
    ]);
  };
  const baseFee = async () => {
    const block = await fixtures.chain.request<{ baseFeePerGas: string; number: string }>(
      "eth_getBlockByNumber",
      ["latest", false],
    );
    return { wei: BigInt(block.baseFeePerGas), number: Number(block.number) };
  };

  it("is the next block's base fee and the median tip of the last ten blocks", async () => {
    for (const tip of [90n, 10n, 80n, 20n, 70n, 30n, 60n, 40n, 50n, 55n])
      await withTip(tip * 10n ** 7n);
    const { number } = await baseFee();
    const { weiPerGas, dataFeeWeiPerByte, blockNumber } = await price(fixtures.access().chain);
    await fixtures.chain.request("anvil_mine", ["0x1"]);
    const next = await baseFee();
    expect(weiPerGas).toBe(next.wei + 55n * 10n ** 7n);
    expect(dataFeeWeiPerByte).toBe(0n);
    expect(blockNumber).toBe(number);
  });

  it("is the node's own where there is no fee history", async () => {
    const { chain } = fixtures.access();
    const own = BigInt(await fixtures.chain.request<string>("eth_gasPrice"));
    const refused = new ChainAccessError({ reason: "Refused", detail: "method not found" });
    const histories: ReadonlyArray<Effect.Effect<unknown, ChainAccessError>> = [
      Effect.fail(refused),
      ...[null, [], "0x5", {}, { baseFeePerGas: [] }].map(Effect.succeed),
      Effect.succeed({ oldestBlock: "0x1", baseFeePerGas: ["0xzz"] }),
      Effect.succeed({ oldestBlock: "0x1", baseFeePerGas: [`0x${"f".repeat(64)}`], reward: [] }),
      Effect.succeed({ oldestBlock: "0x1", baseFeePerGas: Array(100_000).fill("0x1") }),
      Effect.succeed({ oldestBlock: `0x${"f".repeat(64)}`, baseFeePerGas: ["0x1", "0x1"] }),
    ];
    for (const history of histories) {
      const node: ChainAccess = (method, params) =>
        method === "eth_feeHistory" ? history : chain(method, params);
      expect(await price(node)).toEqual({ weiPerGas: own, dataFeeWeiPerByte: 0n });
    }
  });

  it("has no tip where the history has none that can be", async () => {
    const baseFeePerGas = ["0x64", "0x64", "0x7b"];
    const tips: ReadonlyArray<unknown> = [undefined, null, [], [[]], [[null]], [["0x"]], ["0x1"]];
    for (const reward of tips) {
      const history = { oldestBlock: "0xa", baseFeePerGas, reward };
      expect(await price(() => Effect.succeed(history))).toEqual({
        ...{ weiPerGas: 123n, dataFeeWeiPerByte: 0n, blockNumber: 11 },
      });
    }
  });

  it("is refused when it cannot be", async () => {
    for (const nonsense of [null, "1", "-0x1", `0x${"f".repeat(64)}`, "0x38d7ea4c68001", {}, 5]) {
      const result = await read(() => Effect.succeed(nonsense));
      expect(Result.isFailure(result) && result.failure.reason, String(nonsense)).toBe("Malformed");
    }
    const gone = new ChainAccessError({ reason: "Unavailable", detail: "timed out" });
    const result = await read(() => Effect.fail(gone));
    expect(Result.isFailure(result) && result.failure).toBe(gone);
  });

  it("is asked for once in a block's time, whoever asks", async () => {
    const { chain, asked } = fixtures.access();
    await Effect.gen(function* () {
      const { current } = makeGasPrices({ chain, blockTimeMs: 5_000 });
      // A caller that leaves does not cancel the answer of the others.
      const leaving = yield* Effect.forkChild(current, { startImmediately: true });
      const staying = yield* Effect.forkChild(current, { startImmediately: true });
      yield* Fiber.interrupt(leaving);
      const first = yield* Fiber.join(staying);
      const all = yield* Effect.all(
        Array.from({ length: 20 }, () => current),
        { concurrency: "unbounded" },
      );
      expect(new Set(all)).toEqual(new Set([first]));
      expect(asked).toEqual(["eth_feeHistory"]);
      yield* TestClock.adjust(4_999);
      expect(yield* current).toBe(first);
      yield* TestClock.adjust(1);
      expect(yield* current).not.toBe(first);
      expect(asked).toEqual(["eth_feeHistory", "eth_feeHistory"]);
    }).pipe(Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise);
  });

  it("is asked for anew after a failure", async () => {
    const { chain } = fixtures.access();
    let isGone = true;
    const gone = new ChainAccessError({ reason: "Unavailable", detail: "timed out" });
    const node: ChainAccess = (method, params) =>
      isGone ? Effect.fail(gone) : chain(method, params);
    const { current } = makeGasPrices({ chain: node });
    expect(await Effect.runPromise(Effect.flip(current))).toBe(gone);
    isGone = false;
    expect((await Effect.runPromise(current)).weiPerGas).toBeGreaterThan(0n);
  });

  it("is not waited for for ever", async () => {
    const { current } = makeGasPrices({ chain: () => Effect.never });
    const failure = await Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(current), { startImmediately: true });
      yield* TestClock.adjust("1 minute");
      return yield* Fiber.join(fiber);
    }).pipe(Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise);
    expect(failure.reason).toBe("Unavailable");
  });

  describe("of the OP stack", () => {
    const set = async (weiPerByte: bigint, isOld: boolean) => {
      const { address: from } = await fixtures.account();
      const data = fixtures.encode("DataFeeOracle", "set", [weiPerByte, isOld]);
      await fixtures.mustSend(from, { to: ORACLE, data, value: 0n });
    };

    it("has no charge for data where there is no oracle", async () => {
      const { dataFeeWeiPerByte } = await price(fixtures.access().chain, "op-stack");
      expect(dataFeeWeiPerByte).toBe(0n);
    });

    it("has the oracle's charge for a byte, by its old function too", async () => {
      await fixtures.chain.request("anvil_setCode", [ORACLE, fixtures.code("DataFeeOracle")]);
      for (const isOld of [false, true]) {
        await set(123_456_789n, isOld);
        const { dataFeeWeiPerByte } = await price(fixtures.access().chain, "op-stack");
        // Some bytes of its noise are zeros, for which this old oracle charges nothing.
        const least = isOld ? 122_000_000n : 123_456_789n;
        expect(dataFeeWeiPerByte).toBeGreaterThanOrEqual(least);
        expect(dataFeeWeiPerByte).toBeLessThanOrEqual(123_456_789n);
        expect((await price(fixtures.access().chain)).dataFeeWeiPerByte).toBe(0n);
      }
    });

    it("is refused when the oracle's charge cannot be", async () => {
      await set(10n ** 17n, false);
      const result = await read(fixtures.access().chain, "op-stack");
      expect(Result.isFailure(result) && result.failure.reason).toBe("Malformed");
    });
  });
});
