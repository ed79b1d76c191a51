import { assert, describe, it } from "@effect/vitest";
import { Clock, Effect, Fiber, Stream } from "effect";
import { TestClock } from "effect/testing";
import { makeEndpoints } from "../../src/rpc/makeEndpoints.ts";
import { TransportError } from "../../src/rpc/Transport.ts";
import { CHAIN_ID, good, ScriptedTransport } from "./scriptedTransport.ts";

const URLS = ["wss://first.example/", "wss://second.example/"];
const closed = Stream.fail(new TransportError({ reason: "Closed", detail: "closed" }));

/** The heads that two endpoints announce, and when each connection was made. */
const listening = Effect.fnUntraced(function* (
  connection: (url: string, count: number) => Stream.Stream<unknown, TransportError>,
  blockTimeMs: number,
) {
  const transport = new ScriptedTransport({ "https://node.example/": good });
  const connectedMs: Array<number> = [];
  for (const url of URLS) {
    let count = 0;
    transport.connections[url] = () =>
      Stream.unwrap(
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          if (url === URLS[0]) connectedMs.push(nowMs);
          count += 1;
          return connection(url, count);
        }),
      );
  }
  const endpoints = yield* makeEndpoints({
    chainId: CHAIN_ID,
    endpoints: URLS.map((webSocketUrl) => ({ url: "https://node.example/", webSocketUrl })),
    transport,
    blockTimeMs,
  });
  const heard: Array<unknown> = [];
  const listener = yield* endpoints.heads.pipe(
    Stream.runForEach((head) => Effect.sync(() => heard.push(head))),
    Effect.forkChild,
  );
  // The test clock waits for fibers that it wakes, not for those that started before.
  yield* Effect.repeat(Effect.yieldNow, { times: 50 });
  return { connectedMs, heard, listener };
});

describe("announced heads", () => {
  it.effect(
    "of all endpoints are merged, and go on after a connection has closed",
    Effect.fnUntraced(function* () {
      const { heard } = yield* listening(
        (url, count) =>
          count === 1
            ? Stream.concat(Stream.make(`${url} 1`), closed)
            : Stream.concat(Stream.make(`${url} ${count}`), Stream.never),
        2_000,
      );
      yield* TestClock.adjust(1_000);
      assert.sameMembers(
        heard,
        URLS.flatMap((url) => [`${url} 1`, `${url} 2`]),
      );
    }),
  );

  it.effect(
    "are sought again for ever, at growing and jittered distances of at most five seconds",
    Effect.fnUntraced(function* () {
      const { connectedMs, listener } = yield* listening(
        (_, count) => (count % 2 ? closed : Stream.empty),
        2_000,
      );
      yield* TestClock.adjust(600_000);
      const waits = connectedMs.slice(1).map((time, index) => time - connectedMs[index]!);
      for (const [index, wait] of waits.entries()) {
        const full = Math.min(5_000, 100 * 2 ** index);
        assert.isAtLeast(wait, Math.floor(full / 2));
        assert.isAtMost(wait, full + 1);
      }
      assert.isAbove(waits.length, 120);
      assert.isUndefined(listener.pollUnsafe());
    }),
  );

  it.effect.each([
    [2_000, 5_000],
    [12_000, 24_000],
  ] as const)(
    "of a connection silent for too long (block time and limit %j) are sought by a new one",
    Effect.fnUntraced(function* ([blockTimeMs, silentMs]) {
      let ended = 0;
      const { connectedMs, heard } = yield* listening(
        () =>
          Stream.make("head").pipe(
            Stream.concat(Stream.never),
            Stream.ensuring(Effect.sync(() => (ended += 1))),
          ),
        blockTimeMs,
      );
      yield* TestClock.adjust(silentMs - 1);
      assert.strictEqual(connectedMs.length, 1);
      assert.strictEqual(ended, 0);
      yield* TestClock.adjust(102);
      assert.strictEqual(connectedMs.length, 2);
      assert.strictEqual(ended, 2);
      assert.strictEqual(heard.length, 4);
    }),
  );

  it.effect(
    "end their connections with the listener",
    Effect.fnUntraced(function* () {
      let ended = 0;
      const { listener } = yield* listening(
        () => Stream.never.pipe(Stream.ensuring(Effect.sync(() => (ended += 1)))),
        2_000,
      );
      yield* TestClock.adjust(1_000);
      yield* Fiber.interrupt(listener);
      assert.strictEqual(ended, 2);
    }),
  );
});
