import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { requestText, sendRaw } from "./rawClient.ts";
import { startNoting } from "./testServer.ts";

const smuggled = requestText("GET", "/smuggled");

const attack = (target: string, headers: ReadonlyArray<string>, body: string): string =>
  [`POST ${target} HTTP/1.1`, ...headers, "", body].join("\r\n") + smuggled;

const ambiguousBodies: ReadonlyArray<[string, ReadonlyArray<string>, string]> = [
  ["two different Content-Length headers", ["Content-Length: 5", "Content-Length: 2"], "abcde"],
  ["two equal Content-Length headers", ["Content-Length: 5", "Content-Length: 5"], "abcde"],
  ["an empty Content-Length", ["Content-Length: "], ""],
  ["a negative Content-Length", ["Content-Length: -1"], ""],
  ["a Content-Length with a plus sign", ["Content-Length: +5"], "abcde"],
  ["a Content-Length with a comma", ["Content-Length: 5, 5"], "abcde"],
  ["a Content-Length beyond 2^64", ["Content-Length: 18446744073709551621"], "abcde"],
  [
    "Content-Length and Transfer-Encoding",
    ["Content-Length: 5", "Transfer-Encoding: chunked"],
    "0\r\n\r\n",
  ],
];

/** What the native parser would read otherwise than RFC 9112, or as it is meant. */
const encodedBodies: ReadonlyArray<[string, ReadonlyArray<string>, string]> = [
  ["a chunked body", ["Transfer-Encoding: chunked"], "3\r\nabc\r\n0\r\n\r\n"],
  [
    "a Transfer-Encoding that merely contains chunked",
    ["Transfer-Encoding: xchunked"],
    "0\r\n\r\n",
  ],
  ["a Transfer-Encoding in other case", ["Transfer-Encoding: Chunked"], "0\r\n\r\n"],
  ["a Transfer-Encoding list", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
  ["an empty Transfer-Encoding", ["Transfer-Encoding: "], "0\r\n\r\n"],
  ["an identity Transfer-Encoding", ["Transfer-Encoding: identity"], "0\r\n\r\n"],
  [
    "two Transfer-Encoding headers",
    ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
    "0\r\n\r\n",
  ],
  ["a malformed chunk size", ["Transfer-Encoding: chunked"], "zz\r\nabc\r\n0\r\n\r\n"],
  [
    "a chunk size of signs",
    ["Transfer-Encoding: chunked"],
    `9;\r\n${"x".repeat(0x9b)}\r\n0\r\n\r\n`,
  ],
  ["bare line feeds", ["Transfer-Encoding: chunked"], "3\nabc\n0\n\n"],
  ["no line end after a chunk", ["Transfer-Encoding: chunked"], "3\r\nabcXX0\r\n\r\n"],
  ["a trailer section", ["Transfer-Encoding: chunked"], "0\r\nX-Trailer: a\r\n\r\n"],
];

const OURS = `"code":"INVALID_REQUEST"`;
const OF_THE_LIBRARY = "<h1>Bad Request</h1>";
const malformedHeads: ReadonlyArray<[string, ReadonlyArray<string>, string]> = [
  ["an empty Host", ["Host: "], OURS],
  ["no Host", [], OF_THE_LIBRARY],
  ["two Host headers", ["Host: a", "Host: b"], OF_THE_LIBRARY],
  ["two equal Host headers", ["Host: a", "Host: a"], OF_THE_LIBRARY],
  ["a header whose name ends in a space", ["Host: a", "X : b"], OF_THE_LIBRARY],
  ["a header of two lines", ["Host: a", "X: b", " c"], OF_THE_LIBRARY],
  ["a header with NUL", ["Host: a", "X: \0b"], OF_THE_LIBRARY],
];

for (const target of ["/direct/x", "/effect"]) {
  describe(`framing of requests to ${target}`, () => {
    for (const [name, headers, body] of ambiguousBodies) {
      it.live(`${name} closes the connection, and nothing behind it runs`, () =>
        Effect.gen(function* () {
          const { port, ran } = yield* startNoting();
          const answer = yield* sendRaw(port, attack(target, ["Host: test", ...headers], body));
          assert.deepStrictEqual(ran, []);
          assert.notInclude(answer.text, "200 OK");
        }),
      );

      it.live(`${name} runs nothing that arrives in later packets`, () =>
        Effect.gen(function* () {
          const { port, ran } = yield* startNoting();
          const text = attack(target, ["Host: test", ...headers], "");
          const head = text.slice(0, text.indexOf("\r\n\r\n") + 4);
          yield* sendRaw(port, head, body, smuggled);
          assert.deepStrictEqual(ran, []);
        }),
      );
    }

    for (const [name, headers, body] of encodedBodies) {
      it.live(`${name} gets 411 and the connection closes, whatever the body is`, () =>
        Effect.gen(function* () {
          const { port, ran } = yield* startNoting();
          const head = [`POST ${target} HTTP/1.1`, "Host: test", ...headers, "", ""].join("\r\n");
          const answer = yield* sendRaw(port, head, body, smuggled);
          assert.deepStrictEqual(answer.statuses, [411]);
          assert.include(answer.text, "Connection: close");
          assert.deepStrictEqual(ran, []);
        }),
      );

      it.live(`${name} hides no request in one packet`, () =>
        Effect.gen(function* () {
          const { port, ran } = yield* startNoting();
          const answer = yield* sendRaw(port, attack(target, ["Host: test", ...headers], body));
          assert.deepStrictEqual(ran, []);
          assert.notInclude(answer.text, "200 OK");
        }),
      );
    }

    for (const [name, headers, body] of malformedHeads) {
      it.live(`${name} gets 400 and the connection closes`, () =>
        Effect.gen(function* () {
          const { port, ran } = yield* startNoting();
          const head = [`POST ${target} HTTP/1.1`, ...headers, "Content-Length: 2", "", "ab"];
          const answer = yield* sendRaw(port, head.join("\r\n"), smuggled);
          assert.deepStrictEqual(answer.statuses, [400]);
          assert.include(answer.text, "Connection: close");
          assert.include(answer.body, body);
          assert.deepStrictEqual(ran, []);
        }),
      );

      it.live(`${name} closes the connection when another request is pipelined behind`, () =>
        Effect.gen(function* () {
          const { port, ran } = yield* startNoting();
          yield* sendRaw(port, attack(target, [...headers, "Content-Length: 2"], "ab"));
          assert.deepStrictEqual(ran, []);
        }),
      );
    }

    it.live("two well-formed requests in one packet both run, or close the connection", () =>
      Effect.gen(function* () {
        const { port, ran } = yield* startNoting();
        const first = [`POST ${target} HTTP/1.1`, "Host: test", "Content-Length: 2", "", "ab"];
        const second = requestText("POST", target, ["Content-Length: 2"], "cd");
        const answer = yield* sendRaw(port, first.join("\r\n") + second);
        // A direct answer waits for the end of the turn, and the library pipelines none that waits.
        const isDirect = target === "/direct/x";
        assert.deepStrictEqual(answer.statuses, isDirect ? [] : [200, 200]);
        assert.lengthOf(ran, isDirect ? 0 : 2);
      }),
    );
  });
}
