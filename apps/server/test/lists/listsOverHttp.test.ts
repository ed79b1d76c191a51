import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { eventually } from "@millrace/testing";
import { Effect, Exit, Logger, References, Scope } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLists } from "../../src/lists/openLists.ts";
import { readLocation } from "../../src/lists/readLocation.ts";
import { WETH } from "../kit/service.ts";

// A server on this machine plays the host of lists; only its https is not real.

const HOST = "https://lists.example";
const MIB = 1_048_576;
const LIST = {
  tokens: [{ chainId: 1, address: WETH, symbol: "WETH", name: "Wrapped Ether", decimals: 18 }],
};

let server: Server;
let folder: string;
/** The server's answers, by path. */
const pages = new Map<string, (response: ServerResponse) => void>();
/** Bytes that a connection took before it was closed. */
let sentBytes = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-lists-"));
  server = createServer((request, response) => pages.get(request.url!)!(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const localFetch = ((url: URL, init: RequestInit) => {
  const { port } = server.address() as AddressInfo;
  return fetch(String(url).replace(HOST, `http://127.0.0.1:${port}`), init);
}) as typeof globalThis.fetch;

const LIMITS = { bytesMax: 8 * MIB, timeoutMs: 60_000, fetch: localFetch };
const read = (path: string) => Effect.runPromise(readLocation(`${HOST}${path}`, LIMITS));
const failureOf = (path: string, limits = LIMITS): Promise<string> =>
  Effect.runPromise(Effect.flip(readLocation(`${HOST}${path}`, limits))).then(
    ({ detail }) => detail,
  );

const answering =
  (status: number, headers: Record<string, string>, body: string | Uint8Array = "") =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

/** Writes `byteCount` bytes as fast as they are read, or until the reader leaves. */
const pouring = (byteCount: number) => (response: ServerResponse) => {
  sentBytes = 0;
  response.writeHead(200, { "content-type": "application/json" });
  const chunk = Buffer.alloc(65_536, " ");
  const pour = () => {
    while (sentBytes < byteCount && !response.destroyed) {
      sentBytes += chunk.length;
      if (!response.write(chunk)) return;
    }
    response.end();
  };
  response.on("drain", pour);
  pour();
};

describe("token lists over HTTP", () => {
  it("a list is taken whatever its host calls its content, compressed or not", async () => {
    const text = JSON.stringify(LIST);
    pages.set("/json", answering(200, { "content-type": "application/json" }, text));
    pages.set("/html", answering(200, { "content-type": "text/html" }, text));
    pages.set("/none", answering(200, {}, text));
    pages.set("/packed", answering(200, { "content-encoding": "gzip" }, gzipSync(text)));
    for (const path of ["/json", "/html", "/none", "/packed"])
      expect(await read(path)).toEqual(LIST);
  });

  it("each reading has a connection of its own: its host may have closed an older one", async () => {
    pages.set("/again", answering(200, {}, JSON.stringify(LIST)));
    let connections = 0;
    const count = () => connections++;
    server.on("connection", count);
    for (let times = 0; times < 3; times++) expect(await read("/again")).toEqual(LIST);
    server.off("connection", count);
    expect(connections).toBe(3);
  });

  it("a list is looked for where its host sends the reader, three times and within https", async () => {
    const to = (location: string) => answering(302, { location });
    pages.set("/list", answering(200, {}, JSON.stringify(LIST)));
    pages.set("/1", to("/list"));
    pages.set("/2", to("1"));
    pages.set("/3", answering(301, { location: `${HOST}/2` }));
    pages.set("/4", to("/3"));
    pages.set("/self", to("/self"));
    pages.set("/plain", to("http://169.254.169.254/latest/meta-data"));
    pages.set("/file", to("file:///etc/passwd"));
    pages.set("/broken", to("https://"));
    pages.set("/nowhere", answering(302, {}));
    for (const path of ["/1", "/2", "/3"]) expect(await read(path)).toEqual(LIST);
    expect(await failureOf("/4")).toBe("redirected more than 3 times");
    expect(await failureOf("/self")).toBe("redirected more than 3 times");
    for (const path of ["/plain", "/file"]) {
      expect(await failureOf(path)).toBe("redirected away from https");
    }
    expect(await failureOf("/broken")).toBe("ERR_INVALID_URL");
    expect(await failureOf("/nowhere")).toBe("the server answers 302");
  });

  it("what is no list is refused without a word of it", async () => {
    pages.set("/page", answering(200, { "content-type": "text/html" }, "<h1>KEY</h1>"));
    pages.set("/empty", answering(200, {}));
    pages.set("/gone", answering(404, {}, "KEY"));
    pages.set("/down", answering(503, { "retry-after": "1" }, "KEY"));
    pages.set("/bytes", answering(200, {}, new Uint8Array(999).fill(255)));
    pages.set("/unpacked", answering(200, { "content-encoding": "gzip" }, "KEY is not packed"));
    pages.set("/cut", (response) => {
      response.writeHead(200, { "content-length": "1000" }).write('{"tokens":');
      setTimeout(() => response.destroy(), 20);
    });
    for (const path of ["/page", "/empty", "/bytes"])
      expect(await failureOf(path)).toBe("not JSON");
    expect(await failureOf("/gone")).toBe("the server answers 404");
    expect(await failureOf("/down")).toBe("the server answers 503");
    for (const path of ["/unpacked", "/cut"]) expect(await failureOf(path)).not.toContain("KEY");
  });

  it("a list that is too large is given up at once, packed or not", async () => {
    pages.set("/large", pouring(100 * MIB));
    expect(await failureOf("/large")).toBe(`more than ${8 * MIB} bytes`);
    // Bytes on their way fill buffers; the rest is never sent.
    await eventually(() => sentBytes > 0);
    expect(sentBytes).toBeLessThan(40 * MIB);
    const packed = gzipSync(Buffer.alloc(100 * MIB, " "));
    pages.set("/bomb", answering(200, { "content-encoding": "gzip" }, packed));
    expect(await failureOf("/bomb")).toBe(`more than ${8 * MIB} bytes`);
  });

  it("a host that takes for ever, to answer or to finish, is given up, and its connection closed", async () => {
    let closed = 0;
    const slowly = (begin: (response: ServerResponse) => void) => (response: ServerResponse) => {
      response.on("close", () => closed++);
      begin(response);
    };
    pages.set(
      "/silent",
      slowly(() => {}),
    );
    pages.set(
      "/dripping",
      slowly((response) => {
        response.writeHead(200);
        const dripping = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(dripping));
      }),
    );
    for (const path of ["/silent", "/dripping"]) {
      const hasty = { ...LIMITS, timeoutMs: 1_000 };
      expect(await failureOf(path, hasty)).toBe("not read in 1000 ms");
    }
    await eventually(() => closed === 2);
  });

  it("deep nesting and many keys cost no more than an error", async () => {
    const depth = MIB / 2;
    pages.set("/deep", answering(200, {}, `{"tokens":${"[".repeat(depth)}${"]".repeat(depth)}}`));
    pages.set("/open", answering(200, {}, "[".repeat(MIB)));
    pages.set("/proto", answering(200, {}, '{"__proto__":{"tokens":[]},"tokens":{"length":9}}'));
    const told = await listsFrom([`${HOST}/deep`, `${HOST}/open`, `${HOST}/proto`]);
    expect(told.size).toBe(0);
    expect(told.lines.length).toBe(3);
  });

  it("files that vanish, or stop to be what they were, change nothing of what was read", async () => {
    const file = join(folder, "list.json");
    const supplies = join(folder, "supplies.json");
    writeFileSync(file, JSON.stringify(LIST));
    writeFileSync(supplies, JSON.stringify({ tokens: { [WETH]: { circulatingSupply: 7 } } }));
    const scope = Scope.makeUnsafe();
    const lines: string[] = [];
    const config = { chainId: 1, tokenLists: [file], supplyFile: supplies };
    const lists = await Effect.runPromise(
      openLists(config, readLocation, { refreshMs: 5, retryMs: 5 }).pipe(
        Scope.provide(scope),
        Effect.provide(Logger.layer([logTo(lines)])),
      ),
    );
    try {
      await Effect.runPromise(lists.firstReading);
      expect(lists.listedTokens.get(WETH)?.symbol).toBe("WETH");
      expect(lists.circulatingSupply(WETH)).toBe(7);
      for (const text of [undefined, "{", "[]"]) {
        lines.length = 0;
        for (const each of [file, supplies]) {
          rmSync(each, { force: true });
          if (text !== undefined) writeFileSync(each, text);
        }
        await eventually(() => new Set(lines.map((line) => line.split(":")[0])).size === 2);
        expect(lists.listedTokens.get(WETH)?.symbol).toBe("WETH");
        expect(lists.circulatingSupply(WETH)).toBe(7);
      }
      const amounts = { [WETH]: { circulatingSupply: -1 }, "0x12": { circulatingSupply: 1 } };
      writeFileSync(supplies, JSON.stringify({ tokens: { ...amounts } }));
      await eventually(() => lines.some((line) => line.includes("number ≥ 0")));
      expect(lists.circulatingSupply(WETH)).toBe(7);
      writeFileSync(supplies, JSON.stringify({ tokens: { [WETH]: { circulatingSupply: 8 } } }));
      await eventually(() => lists.circulatingSupply(WETH) === 8);
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void));
    }
  });
});

/** Logs lines of a list and its detail. */
const logTo = (lines: string[]) =>
  Logger.make(({ message, fiber }) => {
    const { list, detail } = fiber.getRef(References.CurrentLogAnnotations);
    lines.push(`${list}: ${message} ${detail}`);
  });

/** The first read of lists: the number of tokens in them, and the lines of the log. */
async function listsFrom(tokenLists: ReadonlyArray<string>) {
  const lines: string[] = [];
  const scope = Scope.makeUnsafe();
  const read: typeof readLocation = (place, options) =>
    readLocation(place, { ...options, fetch: localFetch });
  const lists = await Effect.runPromise(
    openLists({ chainId: 1, tokenLists }, read).pipe(
      Scope.provide(scope),
      Effect.tap((each) => each.firstReading),
      Effect.provide(Logger.layer([logTo(lines)])),
    ),
  );
  await Effect.runPromise(Scope.close(scope, Exit.void));
  return { size: lists.listedTokens.size, lines };
}
