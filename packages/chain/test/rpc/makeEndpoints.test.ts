import { assert, describe, it } from "@effect/vitest";
import { Effect, Exit, Fiber, Logger } from "effect";
import { TestClock } from "effect/testing";
import { RpcError } from "../../src/rpc/RpcError.ts";
import { ask, FIRST, network, SECOND } from "./network.ts";
import { down, good, goodBut, hanging, ofChain, refusing, replying } from "./scriptedTransport.ts";

describe("several endpoints", () => {
  it.effect(
    "are asked in their configured order, each for its chain before its first use",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: good, [SECOND]: good });
      assert.strictEqual(yield* endpoints.withEndpoint(ask), FIRST);
      assert.strictEqual(yield* endpoints.withEndpoint(ask), FIRST);
      assert.deepStrictEqual(
        transport.calls.filter(({ url }) => url === FIRST).map(({ method }) => method),
        ["eth_chainId", "eth_blockNumber", "eth_blockNumber"],
      );
    }),
  );

  it.effect(
    "fail over when one fails, stay where it went well, and return a minute after the failure",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: down, [SECOND]: good });
      assert.strictEqual(yield* endpoints.withEndpoint(ask), SECOND);
      transport.nodes[FIRST] = good;
      yield* TestClock.adjust(50_000);
      assert.deepStrictEqual(
        endpoints.status().map(({ healthy }) => healthy),
        [true, true],
      );
      assert.strictEqual(yield* endpoints.withEndpoint(ask), SECOND);
      yield* TestClock.adjust(10_000);
      assert.strictEqual(yield* endpoints.withEndpoint(ask), FIRST);
    }),
  );

  it.effect(
    "keep all of one use on one node, and give the last error when all have failed",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({
        [FIRST]: goodBut("eth_getLogs", down),
        [SECOND]: goodBut("eth_getLogs", refusing(-32000, "unknown block")),
      });
      const error = yield* endpoints
        .withEndpoint((endpoint) =>
          Effect.andThen(ask(endpoint), endpoint.request("eth_getLogs", [])),
        )
        .pipe(Effect.flip);
      assert.strictEqual(error.endpoint, "endpoint 2");
      assert.strictEqual(error.reason, "Refused");
      assert.deepStrictEqual(
        transport.calls.filter(({ method }) => method !== "eth_chainId").map(({ url }) => url),
        [FIRST, FIRST, SECOND, SECOND],
      );
    }),
  );

  it.effect(
    "suffer in health from bad data, not from a refusal",
    Effect.fnUntraced(function* () {
      const { endpoints } = yield* network({
        [FIRST]: goodBut("eth_call", refusing(3, "execution reverted: rate limit")),
      });
      const refusal = yield* Effect.flip(
        endpoints.withEndpoint((endpoint) => endpoint.request("eth_call", [])),
      );
      assert.strictEqual(refusal.reason, "Refused");
      assert.strictEqual(refusal.code, 3);
      assert.isTrue(endpoints.status()[0]!.healthy);
      yield* endpoints
        .withEndpoint(({ name }) =>
          Effect.fail(
            new RpcError({
              endpoint: name,
              method: "eth_getLogs",
              reason: "BadData",
              detail: "bloom",
            }),
          ),
        )
        .pipe(Effect.flip);
      const status = endpoints.status()[0]!;
      assert.isFalse(status.healthy);
      assert.include(status.problem!, "BadData");
      assert.strictEqual(status.failures, 1);
    }),
  );

  it.effect(
    "by themselves fail at once while they rest",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: good, [SECOND]: down });
      assert.strictEqual(yield* ask(endpoints.all[0]!), FIRST);
      yield* Effect.flip(ask(endpoints.all[1]!));
      const calls = transport.calls.length;
      assert.strictEqual((yield* Effect.flip(ask(endpoints.all[1]!))).reason, "Unreachable");
      assert.strictEqual(transport.calls.length, calls);
    }),
  );
});

describe("an endpoint that fails", () => {
  it.effect(
    "rests for twice as long each time, up to 0.6 s, jittered",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: down });
      const follower = yield* endpoints
        .withEndpoint(ask)
        .pipe(Effect.ignore, Effect.andThen(Effect.yieldNow), Effect.forever, Effect.forkChild);
      yield* TestClock.adjust(14_900);
      yield* Fiber.interrupt(follower);
      const times = transport.times(FIRST, "eth_chainId");
      const rests = times.slice(1).map((time, index) => time - times[index]!);
      // Whole milliseconds: a rest is slept until it is over.
      for (const [index, rest] of rests.entries()) {
        const full = Math.min(600, 100 * 2 ** index);
        assert.isAtLeast(rest, full / 2);
        assert.isAtMost(rest, full + 1);
      }
      assert.isAbove(rests.length, 14);
      assert.isAbove(new Set(rests).size, 10);
    }),
  );

  it.effect(
    "is back at most a second after the end of an outage, also of one that swallows packets",
    Effect.fnUntraced(function* () {
      for (const outage of [down, hanging]) {
        const { transport, endpoints } = yield* network({ [FIRST]: good, [SECOND]: good });
        yield* endpoints.withEndpoint(ask);
        for (const url of [FIRST, SECOND]) transport.nodes[url] = outage;
        const follower = yield* endpoints
          .withEndpoint(ask)
          .pipe(Effect.eventually, Effect.forkChild);
        yield* TestClock.adjust(60_000);
        assert.isUndefined(follower.pollUnsafe());
        for (const url of [FIRST, SECOND]) transport.nodes[url] = good;
        yield* TestClock.adjust(1_500);
        assert.isTrue(Exit.isSuccess(follower.pollUnsafe()!));
      }
    }),
  );

  it.effect(
    "is asked by one when many wait for it",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: down });
      yield* Effect.flip(endpoints.withEndpoint(ask));
      transport.nodes[FIRST] = (call) => Effect.delay(down(call), 20);
      const before = transport.calls.length;
      const many = yield* Effect.forEach(Array(50).fill(ask), endpoints.withEndpoint, {
        concurrency: "unbounded",
      }).pipe(Effect.flip, Effect.forkChild);
      yield* TestClock.adjust(130);
      assert.strictEqual((yield* Fiber.join(many)).reason, "Unreachable");
      assert.strictEqual(transport.calls.length, before + 1);
    }),
  );

  it.effect(
    "counts once what failed at the same time",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: good });
      yield* endpoints.withEndpoint(ask);
      transport.nodes[FIRST] = hanging;
      yield* Effect.forkChild(
        Effect.forEach(Array(20).fill(ask), (use) => Effect.exit(endpoints.withEndpoint(use)), {
          concurrency: "unbounded",
        }),
      );
      yield* TestClock.adjust(10_000);
      transport.nodes[FIRST] = good;
      // Twenty failures in a row would mean a rest of half a second at least.
      yield* TestClock.adjust(101);
      const again = yield* Effect.forkChild(endpoints.withEndpoint(ask));
      yield* TestClock.adjust(0);
      assert.isTrue(Exit.isSuccess(again.pollUnsafe()!));
    }),
  );

  it.effect(
    "is published in the log once, and once that it is healthy again, and never by its URL",
    Effect.fnUntraced(function* () {
      const lines: Array<string> = [];
      const logger = Logger.make(({ message }) => {
        lines.push(String(message));
      });
      yield* Effect.gen(function* () {
        const leak = `project 0123456789abcdef at ${FIRST}\u001b[31m\u202e\nforged line`;
        const { transport, endpoints } = yield* network({
          [FIRST]: goodBut("eth_blockNumber", replying({ status: 503, body: "" })),
        });
        yield* Effect.flip(endpoints.withEndpoint(ask));
        transport.nodes[FIRST] = ({ id }) =>
          Effect.succeed({
            status: 503,
            retryAfter: undefined,
            body: JSON.stringify({ id, error: { code: -32000, message: leak } }),
          });
        const follower = yield* Effect.forkChild(Effect.eventually(endpoints.withEndpoint(ask)));
        yield* TestClock.adjust(20_000);
        const { problem } = endpoints.status()[0]!;
        assert.include(problem!, "HTTP 503 project … at … [31m forged line");
        transport.nodes[FIRST] = good;
        yield* TestClock.adjust(1_000);
        yield* Fiber.join(follower);
      }).pipe(Effect.provide(Logger.layer([logger])));
      assert.strictEqual(lines.length, 2, lines.join("\n"));
      assert.include(lines[0]!, "endpoint 1 is unhealthy: Unreachable (eth_blockNumber) HTTP 503");
      assert.include(lines[1]!, "endpoint 1 is healthy again");
      assert.notMatch(lines.join(" "), /0123456789abcdef|first\.example|[\p{C}]/u);
    }),
  );
});

describe("a request", () => {
  it.effect(
    "that hangs is timed out and given up on in the transport",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({
        [FIRST]: goodBut("eth_blockNumber", hanging),
      });
      const asking = yield* endpoints.withEndpoint(ask).pipe(Effect.flip, Effect.forkChild);
      yield* TestClock.adjust(9_999);
      assert.isUndefined(asking.pollUnsafe());
      assert.deepStrictEqual(transport.interrupted, []);
      yield* TestClock.adjust(1);
      assert.strictEqual((yield* Fiber.join(asking)).reason, "TimedOut");
      assert.deepStrictEqual(transport.interrupted, ["eth_blockNumber"]);
    }),
  );

  it.effect(
    "that its caller gives up on is given up on in the transport, and nobody's fault",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({
        [FIRST]: goodBut("eth_blockNumber", hanging),
      });
      const asking = yield* Effect.forkChild(endpoints.withEndpoint(ask));
      yield* TestClock.adjust(5_000);
      yield* Fiber.interrupt(asking);
      assert.deepStrictEqual(transport.interrupted, ["eth_blockNumber"]);
      assert.isTrue(endpoints.status()[0]!.healthy);
    }),
  );
});

describe("an endpoint of another chain", () => {
  it.effect(
    "is never used, and named when its chain changes",
    Effect.fnUntraced(function* () {
      const lines: Array<string> = [];
      const logger = Logger.make(({ message }) => {
        lines.push(String(message));
      });
      yield* Effect.gen(function* () {
        const { transport, endpoints } = yield* network({ [FIRST]: ofChain(5), [SECOND]: good });
        assert.strictEqual(yield* endpoints.withEndpoint(ask), SECOND);
        assert.include(endpoints.status()[0]!.problem!, "chain id 5 instead of 8453");
        yield* TestClock.adjust(100_000);
        transport.nodes[FIRST] = ofChain(7);
        yield* TestClock.adjust(100_000);
        assert.strictEqual(yield* endpoints.withEndpoint(ask), SECOND);
        assert.deepStrictEqual(transport.times(FIRST, "eth_blockNumber"), []);
        assert.isAbove(transport.times(FIRST, "eth_chainId").length, 10);
        transport.nodes[FIRST] = good;
        yield* TestClock.adjust(100_000);
        assert.strictEqual(yield* endpoints.withEndpoint(ask), FIRST);
      }).pipe(Effect.provide(Logger.layer([logger])));
      assert.strictEqual(lines.length, 3, lines.join("\n"));
      assert.include(lines[1]!, "chain id 7 instead of 8453");
    }),
  );

  it.effect(
    "is noticed when its URL points elsewhere after an outage",
    Effect.fnUntraced(function* () {
      const { transport, endpoints } = yield* network({ [FIRST]: good });
      yield* endpoints.withEndpoint(ask);
      transport.nodes[FIRST] = down;
      yield* Effect.flip(endpoints.withEndpoint(ask));
      transport.nodes[FIRST] = ofChain(1);
      const asking = yield* endpoints.withEndpoint(ask).pipe(Effect.flip, Effect.forkChild);
      yield* TestClock.adjust(101);
      assert.strictEqual((yield* Fiber.join(asking)).reason, "WrongChain");
      assert.strictEqual(transport.times(FIRST, "eth_blockNumber").length, 2);
    }),
  );
});
