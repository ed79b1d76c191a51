import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { requestText, sendRaw } from "./rawClient.ts";
import { startNoting } from "./testServer.ts";

for (const target of ["/direct/x", "/effect"]) {
  const kind = target === "/effect" ? "effect" : "direct";

  describe(`bodies of requests to ${target}`, () => {
    it.live("a body in one packet arrives whole", () =>
      Effect.gen(function* () {
        const { port } = yield* startNoting();
        const answer = yield* sendRaw(
          port,
          requestText("POST", target, ["Content-Length: 3"], "abc"),
        );
        assert.strictEqual(answer.body, `${kind} abc`);
      }),
    );

    it.live("a body in many packets arrives whole", () =>
      Effect.gen(function* () {
        const { port } = yield* startNoting();
        const head = requestText("POST", target, ["Content-Length: 9"]);
        const answer = yield* sendRaw(port, head, "abc", "def", "ghi");
        assert.strictEqual(answer.body, `${kind} abcdefghi`);
      }),
    );

    it.live("characters split between packets are put together", () =>
      Effect.gen(function* () {
        const { port, ran } = yield* startNoting();
        const bytes = Buffer.from("é€", "utf8");
        const head = requestText("POST", target, [`Content-Length: ${bytes.length}`]);
        yield* sendRaw(port, head, bytes.subarray(0, 1), bytes.subarray(1, 3), bytes.subarray(3));
        assert.isTrue(ran[0]?.endsWith("é€"));
      }),
    );

    it.live("bytes that are not UTF-8 do no harm", () =>
      Effect.gen(function* () {
        const { port, ran } = yield* startNoting();
        const head = requestText("POST", target, ["Content-Length: 2"]);
        const answer = yield* sendRaw(port, head, Buffer.from([0xff, 0xfe]));
        assert.deepStrictEqual(answer.statuses, [200]);
        assert.isTrue(ran[0]?.endsWith("\ufffd\ufffd"));
      }),
    );

    it.live("a body of exactly the limit is taken", () =>
      Effect.gen(function* () {
        const { port } = yield* startNoting({ bodyBytesMax: 8 });
        const text = requestText("POST", target, ["Content-Length: 8"], "12345678");
        const answer = yield* sendRaw(port, text);
        assert.strictEqual(answer.body, `${kind} 12345678`);
      }),
    );

    it.live("a declared length above the limit gets 413 before the body is sent", () =>
      Effect.gen(function* () {
        const { port, ran } = yield* startNoting();
        const answer = yield* sendRaw(port, requestText("POST", target, ["Content-Length: 65537"]));
        assert.deepStrictEqual(answer.statuses, [413]);
        assert.include(answer.text, "content-type: application/problem+json");
        assert.deepStrictEqual(JSON.parse(answer.body), {
          type: "about:blank",
          title: "Payload Too Large",
          status: 413,
          detail: "The request body is too large",
          code: "PAYLOAD_TOO_LARGE",
        });
        assert.deepStrictEqual(ran, []);
      }),
    );

    it.live("what is pipelined behind a body that is too large never runs", () =>
      Effect.gen(function* () {
        const { port, ran } = yield* startNoting({ bodyBytesMax: 8 });
        const text = requestText("POST", target, ["Content-Length: 9"], "123456789");
        yield* sendRaw(port, text + requestText("GET", "/behind"));
        assert.deepStrictEqual(ran, []);
      }),
    );

    it.live("a client that expects 100-continue is told to go on, then answered", () =>
      Effect.gen(function* () {
        const { port } = yield* startNoting();
        const headers = ["Content-Length: 3", "Expect: 100-continue"];
        const answer = yield* sendRaw(port, requestText("POST", target, headers), "abc");
        assert.deepStrictEqual(answer.statuses, [100, 200]);
        assert.isTrue(answer.text.endsWith(`${kind} abc`));
      }),
    );

    it.live("a client that leaves in the middle of its body does no harm", () =>
      Effect.gen(function* () {
        const { port, ran } = yield* startNoting();
        const head = requestText("POST", target, ["Content-Length: 9"], "abc");
        yield* Effect.raceFirst(sendRaw(port, head), Effect.sleep(50));
        const after = yield* sendRaw(port, requestText("POST", target, ["Content-Length: 1"], "z"));
        assert.strictEqual(after.body, `${kind} z`);
        assert.lengthOf(ran, 1);
      }),
    );
  });
}
