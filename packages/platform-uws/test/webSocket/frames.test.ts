import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { connect, until } from "../rawClient.ts";
import { badFrames } from "./badFrames.ts";
import { startEcho } from "./echoServer.ts";
import { closePayload, frame, OPCODES, openFrames, upgradeText } from "./frameClient.ts";

const { close, continuation, ping, pong, text } = OPCODES;

describe("frames that break the protocol", () => {
  for (const { what, bytes } of badFrames) {
    it.live(`${what}: closes, hands on nothing of it, and reads nothing behind it`, () =>
      Effect.gen(function* () {
        const { port, events } = yield* startEcho();
        const client = yield* Effect.promise(() => openFrames(port));
        client.send(bytes, frame(text, "behind"));
        yield* Effect.promise(() => client.closed);
        yield* until(() => events.includes("closed"));
        assert.deepStrictEqual(events, ["open", "closed"]);
        assert.deepStrictEqual(client.texts(), ["hello"]);
        // What breaks the protocol itself the native library cuts, without a word (1006).
        if (what.includes("binary message")) assert.strictEqual(client.closing()?.code, 1003);
      }),
    );
  }
});

describe("frames that keep to the protocol", () => {
  const exchanges: ReadonlyArray<
    readonly [what: string, bytes: ReadonlyArray<Buffer>, texts: ReadonlyArray<string>]
  > = [
    ["a text", [frame(text, "a")], ["a"]],
    ["an empty text", [frame(text, "")], [""]],
    ["a text of the longest size", [frame(text, "x".repeat(16_384))], ["x".repeat(16_384)]],
    ["a text of all kinds of characters", [frame(text, "\0é€😀\uffff")], ["\0é€😀\uffff"]],
    [
      "a text in fragments",
      [frame(text, "a", { fin: false }), frame(continuation, "b", { fin: false })].concat(
        frame(continuation, ""),
      ),
      ["ab"],
    ],
    [
      "a character cut by fragments",
      [
        frame(text, Uint8Array.of(0xe2, 0x82), { fin: false }),
        frame(continuation, Uint8Array.of(0xac)),
      ],
      ["€"],
    ],
    [
      "a ping within fragments",
      [frame(text, "a", { fin: false }), frame(ping, "p"), frame(continuation, "b")],
      ["ab"],
    ],
    ["a pong that nobody asked for", [frame(pong, "?"), frame(text, "a")], ["a"]],
    ["many texts in one packet", Array.from({ length: 100 }, () => frame(text, "x")), xs(100)],
    // The native library takes these, though RFC 6455 asks for the shortest.
    ["a length longer than it need be", [frame(text, "a", { lengthBits: 16 })], ["a"]],
    ["a length of eight bytes for one", [frame(text, "a", { lengthBits: 64 })], ["a"]],
  ];

  for (const [what, parts, texts] of exchanges) {
    it.live(`${what} is handed on, in one packet or byte by byte`, () =>
      Effect.gen(function* () {
        const { port } = yield* startEcho();
        const whole = Buffer.concat([...parts, frame(close, closePayload(1000, "bye"))]);
        const atOnce = yield* Effect.promise(() => openFrames(port));
        atOnce.send(whole);
        yield* Effect.promise(() => atOnce.closed);
        assert.deepStrictEqual(atOnce.texts(), ["hello", ...texts]);
        assert.deepStrictEqual(atOnce.closing(), { code: 1000, reason: "bye" });
        const pings = parts.filter((part) => part[0] === (0x80 | ping));
        const pongs = atOnce.frames().filter(({ opcode }) => opcode === pong);
        assert.strictEqual(pongs.length, pings.length);
        if (whole.length > 1_000) return;
        const slowly = yield* Effect.promise(() => openFrames(port));
        slowly.socket.setNoDelay(true);
        for (const byte of whole) {
          slowly.send(Buffer.of(byte));
          yield* Effect.yieldNow;
        }
        yield* Effect.promise(() => slowly.closed);
        assert.deepStrictEqual(slowly.texts(), ["hello", ...texts]);
      }),
    );
  }

  // The native library cannot tell them from masked ones, and takes their first bytes for a mask.
  it.live("frames that are not masked are misread, and harm nobody", () =>
    Effect.gen(function* () {
      const { port, events } = yield* startEcho();
      const client = yield* Effect.promise(() => openFrames(port));
      client.send(frame(text, "0000hello", { masked: false }));
      yield* Effect.sleep(20);
      client.socket.destroy();
      yield* until(() => events.includes("closed"));
      assert.notInclude(events, "message 0000hello");
      const other = yield* Effect.promise(() => openFrames(port));
      yield* until(() => other.texts().length === 1);
      other.socket.destroy();
    }),
  );

  for (const [what, parts] of [
    ["a message", [frame(text, "x".repeat(16_385))]],
    ["a message twice as long as it may be", [frame(text, "x".repeat(32_768))]],
    [
      "a message in fragments",
      [frame(text, "x".repeat(16_384), { fin: false }), frame(continuation, "x")],
    ],
  ] as const) {
    it.live(`${what} that is too long closes with 1009`, () =>
      Effect.gen(function* () {
        const { port, events } = yield* startEcho();
        const client = yield* Effect.promise(() => openFrames(port));
        client.send(...parts);
        yield* Effect.promise(() => client.closed);
        assert.deepStrictEqual(client.closing(), { code: 1009, reason: "the message is too long" });
        assert.deepStrictEqual(events, ["open", "closed"]);
      }),
    );
  }

  // Clients must wait for the answer (RFC 6455, section 4.1); what they do not wait with is lost.
  it.live("frames that come with the request to upgrade are lost, and nothing else is", () =>
    Effect.gen(function* () {
      const { port, events } = yield* startEcho();
      const client = connect(port);
      client.socket.write(Buffer.concat([Buffer.from(upgradeText()), frame(text, "early")]));
      yield* until(() => client.received().endsWith("hello"));
      client.socket.write(Buffer.concat([frame(text, "later"), frame(close, "")]));
      yield* Effect.promise(() => client.closed);
      assert.deepStrictEqual(events, ["open", "message later", "closed"]);
    }),
  );

  // The native library knows no code of a registered protocol, and closes without one.
  for (const code of [3000, 3999]) {
    it.live(`close code ${code} comes back without a code`, () =>
      Effect.gen(function* () {
        const { port, events } = yield* startEcho();
        const client = yield* Effect.promise(() => openFrames(port));
        client.send(frame(close, closePayload(code)));
        yield* Effect.promise(() => client.closed);
        assert.deepStrictEqual(client.closing(), { code: undefined, reason: "" });
        assert.deepStrictEqual(events, ["open", "closed"]);
      }),
    );
  }

  for (const code of [1000, 1001, 1002, 1003, 1007, 1008, 1011, 4000, 4999]) {
    it.live(`close code ${code} comes back`, () =>
      Effect.gen(function* () {
        const { port } = yield* startEcho();
        const client = yield* Effect.promise(() => openFrames(port));
        client.send(frame(close, closePayload(code)));
        yield* Effect.promise(() => client.closed);
        assert.strictEqual(client.closing()?.code, code);
      }),
    );
  }
});

function xs(count: number): string[] {
  return Array.from({ length: count }, () => "x");
}
