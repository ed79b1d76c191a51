import { assert, describe, it } from "@effect/vitest";
import { Effect, Exit, Fiber, Logger } from "effect";
import { TestClock } from "effect/testing";
import type { Endpoint, EndpointConfig } from "../../src/rpc/Endpoints.ts";
import { makeEndpoints } from "../../src/rpc/makeEndpoints.ts";
import { RpcError } from "../../src/rpc/RpcError.ts";
import {
  CHAIN_ID,
  down,
  good,
  goodBut,
  hanging,
  type Node,
  ofChain,
  refusing,
  replying,
  ScriptedTransport,
} from "./scriptedTransport.ts";

const FIRST = "https://first.example/v3/0123456789abcdef";
const SECOND = "https://second.example/";

const ask = (endpoint: Endpoint) => endpoint.request("eth_blockNumber", []);

const network = Effect.fnUntraced(function* (
  nodes: Record<string, Node>,
  config: Partial<EndpointConfig> = {},
) {
  const transport = new ScriptedTransport(nodes);
  const endpoints = yield* makeEndpoints({
    chainId: CHAIN_ID,
    endpoints: Object.keys(nodes).map((url) => ({ ...config, url })),
    transport,
    blockTimeMs: 2_000,
  });
  return { transport, endpoints };
});

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
    "rests for twice as long each time, up to a second, jittered",
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
        const full = Math.min(1_000, 100 * 2 ** index);
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
      const before = transport.calls.length;
      const many = yield* Effect.forEach(Array(50).fill(ask), endpoints.withEndpoint, {
        concurrency: "unbounded",
      }).pipe(Effect.flip, Effect.forkChild);
      yield* TestClock.adjust(110);
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
    "is told in the log once, and once that it is healthy again, and never by its URL",
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
        assert.include(endpoints.status()[0]!.problem!, "forged line");
        transport.nodes[FIRST] = good;
        yield* TestClock.adjust(1_000);
        yield* Fiber.join(follower);
        assert.notInclude(JSON.stringify(endpoints.status()), "0123456789abcdef");
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
      yield* Effect.flip(endpoints.withEndpoint(ask));
      const calls = transport.calls.length;
      assert.strictEqual((yield* Effect.flip(endpoints.withEndpoint(ask))).reason, "RateLimited");
      yield* TestClock.adjust(49_000);
      assert.strictEqual(transport.calls.length, calls);
    }),
  );
});
