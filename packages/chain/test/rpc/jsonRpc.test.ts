import { describe, expect, it } from "vitest";
import { decodeReply } from "../../src/rpc/jsonRpc.ts";

const decode = (body: unknown, status = 200) =>
  decodeReply(7, {
    status,
    retryAfter: undefined,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("a reply", () => {
  it.each([{ logs: [] }, [], null, "0x1", 0, false])("gives its result %j as it is", (result) => {
    expect(decode({ jsonrpc: "2.0", id: 7, result })).toEqual({ ok: true, result });
    expect(decode({ id: 7, result, error: null })).toEqual({ ok: true, result });
  });

  it.each([
    ["nothing", ""],
    ["HTML", "<!DOCTYPE html><html>502</html>"],
    ["truncated JSON", '{"jsonrpc":"2.0","id":7,"result":{"number":"0x'],
    ["null", "null"],
    ["a text", '"0x1"'],
    ["an array", [{ jsonrpc: "2.0", id: 7, result: "0x1" }]],
    ["the answer to another request", { jsonrpc: "2.0", id: 8, result: "0x1" }],
    ["an id that is a text", { jsonrpc: "2.0", id: "7", result: "0x1" }],
    ["an answer without id", { jsonrpc: "2.0", result: "0x1" }],
    ["no result", { jsonrpc: "2.0", id: 7 }],
    ["a result only of the prototype", '{"id":7,"__proto__":{"result":"0x1"}}'],
    ["both a result and an error", { id: 7, result: "0x1", error: { code: 1, message: "no" } }],
    ["an error that is a text", { id: 7, error: "no" }],
    ["an error without code", { id: 7, error: { message: "no" } }],
    ["the refusal of another request", { id: 8, error: { code: -32000, message: "no" } }],
  ])("that is %s is malformed", (_, body) => {
    expect(decode(body)).toMatchObject({ ok: false, reason: "Malformed" });
  });

  it.each([200, 400, 413, 500])("of status %i may hold a refusal", (status) => {
    const error = { code: -32614, message: "eth_getLogs is limited to a 10,000 range" };
    for (const id of [7, null, undefined]) {
      expect(decode({ jsonrpc: "2.0", id, error }, status)).toEqual({
        ok: false,
        reason: "Refused",
        detail: error.message,
        code: -32614,
      });
    }
  });

  it.each([
    [-32000, "unknown block"],
    [-32000, "execution reverted: Too many requests"],
    [3, "rate limit"],
    [-32005, "query returned more than 10000 results"],
    [-32602, "query exceeds max block range 500"],
    [-32600, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K range"],
  ])("with error %i, %s, is a refusal", (code, message) => {
    expect(decode({ id: 7, error: { code, message } })).toMatchObject({ reason: "Refused" });
  });

  it.each([
    [-32005, "limit exceeded"],
    [-32005, "daily request count exceeded, request rate limited"],
    [429, "Your app has exceeded its compute units per second capacity"],
    [-32007, "50/second request limit reached - reduce calls per second"],
    [-32090, "Too many requests, reason: call rate limit exhausted, retry in 10s"],
    [-32016, "over rate limit"],
  ])("with error %i, %s, is about the rate", (code, message) => {
    expect(decode({ id: 7, error: { code, message } })).toMatchObject({ reason: "RateLimited" });
  });

  it("of status 429 is about the rate, whatever it holds", () => {
    expect(decode("<html>", 429)).toMatchObject({ reason: "RateLimited" });
    expect(decode({ id: 7, result: "0x1" }, 429)).toMatchObject({ reason: "RateLimited" });
  });

  it.each([301, 401, 403, 404, 500, 502, 503, 521])("of status %i alone is no answer", (status) => {
    for (const body of ["", "<html>", { id: 7, result: "0x1" }]) {
      const answer = decode(body, status);
      expect(answer).toMatchObject({ reason: "Unreachable" });
      expect(JSON.stringify(answer)).toContain(`HTTP ${status}`);
    }
  });

  it.each([502, 503, 504])("of status %i is no answer, and its error says why", (status) => {
    expect(decode({ id: 7, error: { code: -32011, message: "no backends" } }, status)).toEqual({
      ok: false,
      reason: "Unreachable",
      detail: `HTTP ${status} no backends`,
    });
  });
});
