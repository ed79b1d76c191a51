import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { AnswerQueue, type DirectRoute } from "../../src/index.ts";
import { connect, until } from "../rawClient.ts";
import { startEcho } from "./echoServer.ts";
import { frame, OPCODES, openFrames } from "./frameClient.ts";

const WORK_MS = 20;
/** A few answers of the length above are more than may be waited for. */
const WAIT_MS = 50;
const BUFFERED_BYTES_MAX = 4_096;

const busy: DirectRoute = {
  method: "POST",
  path: "/busy",
  handle: () => {
    const end = performance.now() + WORK_MS;
    while (performance.now() < end);
    return { status: 200, contentType: "text/plain", body: "worked" };
  },
};

const BUSY_REQUEST = "POST /busy HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n";

/** A server whose queue of answers is late, and stays so for a while. */
const startLate = Effect.gen(function* () {
  const answers = new AnswerQueue(WAIT_MS);
  const route = { bufferedBytesMax: BUFFERED_BYTES_MAX };
  const server = yield* startEcho(route, { answers, directRoutes: [busy] });
  const client = yield* Effect.promise(() => openFrames(server.port));
  const crowd = Array.from({ length: 40 }, () => connect(server.port));
  // Once to learn how long an answer takes, and again to be late.
  for (let time = 0; time < 2; time++) {
    for (const { socket } of crowd) socket.write(BUSY_REQUEST);
    if (time === 0)
      yield* until(() => crowd.every(({ received }) => received().includes("HTTP/1.1")));
  }
  yield* until(() => answers.isLate);
  const leave = () => {
    for (const { socket } of crowd) socket.destroy();
  };
  return { ...server, answers, client, leave };
});

describe("messages to a server that is late", () => {
  it.live("are all answered, in the order of their arrival", () =>
    Effect.gen(function* () {
      const { answers, client, leave } = yield* startLate;
      const texts = Array.from({ length: 50 }, (_, index) => `message ${index}`);
      client.send(...texts.map((text) => frame(OPCODES.text, text)));
      yield* until(() => answers.length > texts.length || !answers.isLate);
      yield* until(() => client.texts().length > texts.length);
      assert.deepStrictEqual(client.texts(), ["hello", ...texts]);
      client.socket.destroy();
      leave();
    }),
  );

  it.live("close their connection with 1008 once too many bytes of them wait", () =>
    Effect.gen(function* () {
      const { client, events, leave } = yield* startLate;
      const text = "x".repeat(1_000);
      client.send(...Array.from({ length: 20 }, () => frame(OPCODES.text, text)));
      yield* Effect.promise(() => client.closed);
      assert.strictEqual(client.closing()?.code, 1008);
      // What waits until then is a little more than the bound, and no message is half a one.
      const answered = client.texts().slice(1);
      assert.isAtMost(answered.length, Math.ceil(BUFFERED_BYTES_MAX / text.length) + 1);
      assert.isTrue(answered.every((each) => each === text));
      yield* until(() => events.at(-1) === "closed");
      leave();
    }),
  );

  it.live("close it too where the messages are empty", () =>
    Effect.gen(function* () {
      const { client, leave } = yield* startLate;
      client.send(...Array.from({ length: 200 }, () => frame(OPCODES.text, "")));
      yield* Effect.promise(() => client.closed);
      assert.strictEqual(client.closing()?.code, 1008);
      leave();
    }),
  );
});
