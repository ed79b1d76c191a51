import { assert, describe, it } from "@effect/vitest";
import { Effect, Exit, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { aside, type Endpoint } from "../../src/rpc/Endpoints.ts";
import { ask, FIRST, network } from "./network.ts";
import { good, goodBut, replying } from "./scriptedTransport.ts";

describe("rates", () => {
  it.effect(
    "are kept in every second, in the order of asking",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: good }, { callsPerSecond: 5 });
      const order: Array<number> = [];
      yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 23 }, (_, index) => index),
          (index) =>
            Effect.andThen(
              endpoints.withEndpoint(ask),
              Effect.sync(() => order.push(index)),
            ),
          { concurrency: "unbounded" },
        ),
      );
      yield* TestClock.adjust(3_999);
      assert.strictEqual(transport.calls.length, 20);
      yield* TestClock.adjust(10_000);
      // The first call asks for the chain id.
      assert.deepStrictEqual(
        transport.calls.map(({ atMs }) => atMs),
        Array.from({ length: 24 }, (_, index) => 1_000 * Math.floor(index / 5)),
      );
      assert.deepStrictEqual(
        order,
        order.map((_, index) => index),
      );
    }),
  );

  it.effect(
    "are taken up by half at most by those aside, whom nobody else waits for",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: good }, { callsPerSecond: 8 });
      const call = (endpoint: Endpoint) => aside(endpoint).request("eth_call", []);
      yield* endpoints.withEndpoint(ask);
      yield* Effect.forkChild(
        Effect.forEach(Array(200).fill(call), endpoints.withEndpoint, {
          concurrency: "unbounded",
        }),
      );
      yield* TestClock.adjust(1_000);
      const others = yield* Effect.forkChild(
        Effect.forEach(Array(3).fill(ask), endpoints.withEndpoint, { concurrency: "unbounded" }),
      );
      // Four `aside` calls may pass in this second too; the others do not wait for the next one.
      yield* TestClock.adjust(0);
      assert.isTrue(Exit.isSuccess(others.pollUnsafe()!));
      yield* TestClock.adjust(8_999);
      const calls = transport.calls.filter(({ method }) => method === "eth_call");
      assert.deepStrictEqual(
        calls.map(({ atMs }) => atMs),
        Array.from({ length: 40 }, (_, index) => 1_000 * Math.floor(index / 4)),
      );
    }),
  );

  it.effect(
    "are taken up by half at most by those aside that ask one endpoint of several",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: good }, { callsPerSecond: 8 });
      const only = aside(endpoints.all[0]!);
      yield* endpoints.withEndpoint(ask);
      yield* Effect.forkChild(
        Effect.forEach(Array(12), () => only.request("eth_call", []), {
          concurrency: "unbounded",
        }),
      );
      yield* TestClock.adjust(10_000);
      const calls = transport.calls.filter(({ method }) => method === "eth_call");
      assert.deepStrictEqual(
        calls.map(({ atMs }) => atMs),
        [0, 0, 0, 0, 1_000, 1_000, 1_000, 1_000, 2_000, 2_000, 2_000, 2_000],
      );
    }),
  );

  it.effect(
    "are not used up by who gave up waiting",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: good }, { callsPerSecond: 1 });
      const many = yield* Effect.forkChild(
        Effect.forEach(Array(100).fill(ask), endpoints.withEndpoint, { concurrency: "unbounded" }),
      );
      yield* TestClock.adjust(1_500);
      yield* Fiber.interrupt(many);
      const last = yield* Effect.forkChild(endpoints.withEndpoint(ask));
      yield* TestClock.adjust(500);
      assert.isTrue(Exit.isSuccess(last.pollUnsafe()!));
      assert.deepStrictEqual(
        transport.calls.map(({ atMs }) => atMs),
        [0, 1_000, 2_000],
      );
    }),
  );

  it.effect.each([
    ["seconds", "7"],
    ["an HTTP date", "Thu, 01 Jan 1970 00:00:07 GMT"],
  ] as const)(
    "of a node that says when to come back, in %s, pause it until then",
    Effect.fnUntraced(function* ([, retryAfter]) {
      const limited = replying({ status: 429, retryAfter, body: "slow down" });
      const { transport, endpoints } = yield* network({ [FIRST]: good });
      yield* endpoints.withEndpoint(ask);
      transport.nodes[FIRST] = limited;
      assert.strictEqual((yield* Effect.flip(endpoints.withEndpoint(ask))).reason, "RateLimited");
      transport.nodes[FIRST] = good;
      const calls = transport.calls.length;
      const asking = yield* Effect.forkChild(endpoints.withEndpoint(ask));
      yield* TestClock.adjust(6_999);
      assert.strictEqual(transport.calls.length, calls);
      yield* TestClock.adjust(1);
      assert.strictEqual(yield* Fiber.join(asking), FIRST);
    }),
  );

  it.effect(
    "that mean a longer pause than a request may take fail at once, without a call",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({
        [FIRST]: goodBut("eth_blockNumber", replying({ status: 429, retryAfter: "60" })),
      });
      const askTwice = (endpoint: Endpoint) => Effect.catch(ask(endpoint), () => ask(endpoint));
      yield* Effect.flip(endpoints.withEndpoint(askTwice));
      const calls = transport.calls.length;
      assert.strictEqual(calls, 2);
      assert.strictEqual((yield* Effect.flip(endpoints.withEndpoint(ask))).reason, "RateLimited");
      yield* TestClock.adjust(49_000);
      assert.strictEqual(transport.calls.length, calls);
    }),
  );
});
