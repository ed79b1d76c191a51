import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { anyEndpoint } from "../../src/rpc/anyEndpoint.ts";
import type { Endpoint, Endpoints } from "../../src/rpc/Endpoints.ts";
import { RpcError } from "../../src/rpc/RpcError.ts";

describe("any endpoint", () => {
  const outcomes = [
    { reason: "TimedOut", tries: 4 },
    { reason: "BadData", tries: 4 },
    { reason: "Refused", tries: 1 },
    { reason: "TooLarge", tries: 1 },
  ] as const;
  for (const { reason, tries } of outcomes) {
    it.effect(`is asked ${tries} times when the answer is ${reason}`, () =>
      Effect.gen(function* () {
        const { endpoint, asked } = failing(reason, 9);
        const fiber = yield* Effect.forkChild(Effect.flip(endpoint.request("eth_call", [])));
        yield* TestClock.adjust(5_000);
        assert.strictEqual((yield* Fiber.join(fiber)).reason, reason);
        assert.strictEqual(asked(), tries);
      }),
    );
  }

  it.effect("gives what comes in the end", () =>
    Effect.gen(function* () {
      const { endpoint } = failing("Unreachable", 2);
      const fiber = yield* Effect.forkChild(endpoint.request("eth_call", []));
      yield* TestClock.adjust(5_000);
      assert.strictEqual(yield* Fiber.join(fiber), "0x");
    }),
  );
});

/** An endpoint that fails `failures` times and then answers. */
function failing(reason: RpcError["reason"], failures: number) {
  let asked = 0;
  const one: Endpoint = {
    name: "one",
    request: (method) =>
      Effect.suspend(() =>
        ++asked <= failures
          ? Effect.fail(new RpcError({ endpoint: "one", method, reason, detail: "" }))
          : Effect.succeed("0x"),
      ),
  };
  const endpoints = { withEndpoint: (use: (endpoint: Endpoint) => unknown) => use(one) };
  return { endpoint: anyEndpoint(endpoints as unknown as Endpoints), asked: () => asked };
}
