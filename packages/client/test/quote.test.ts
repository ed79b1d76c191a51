import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../src/index.ts";
import { answersAll, collect, connectClient, fakeTime, settled } from "./fakeServer.ts";

const REQUEST = {
  tokenA: `0x${"1".repeat(40)}`,
  tokenB: `0x${"2".repeat(40)}`,
  amountIn: "1000",
};
const PROBLEM = {
  ...{ type: "/docs#NO_ROUTE", title: "No route", status: 404, detail: "none" },
  code: "NO_ROUTE",
};

const quote = (amountOut: string) => ({
  ...REQUEST,
  ...{ amountOut, tokenPrice: "1", routePlan: [], dexId: "ALL", dexFactory: "" },
  ...{ isNativeIn: false, isNativeOut: false, blockNumber: "7", blockHash: "0x", timestamp: 1 },
  ...{ priceImpact: 0, gasEstimate: "1" },
});

/** What is answered over HTTP, and what was asked. */
const asked: Request[] = [];
let answer: () => Response;

beforeEach(() => {
  fakeTime();
  asked.length = 0;
  answer = () => Response.json(quote("http"));
  vi.stubGlobal("fetch", async (url: string | URL, init: RequestInit) => {
    asked.push(new Request(url, init));
    return answer();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A client that streams the request's quote, which is "stream" now. */
async function streaming() {
  const connected = connectClient();
  const reading = connected.client.quotes("ETH", REQUEST)[Symbol.asyncIterator]();
  void reading.next();
  answersAll(connected.socket());
  connected.socket().hello();
  connected.socket().snapshot("s1", quote("stream"));
  await settled();
  return { ...connected, reading };
}

describe("quote()", () => {
  it("asks over HTTP where nothing is streamed", async () => {
    const { client } = connectClient({ apiKey: "secret" });
    expect(await client.quote("ETH", REQUEST)).toEqual(quote("http"));
    const [request] = asked;
    expect(request).toMatchObject({ method: "POST", url: "http://service.test/ETH/quote" });
    expect(request!.redirect).toBe("error");
    expect(request!.headers.get("authorization")).toBe("Bearer secret");
    expect(await request!.json()).toEqual({
      ...REQUEST,
      ...{ dexId: "ALL", maxHops: 3, maxSplits: 1 },
    });
  });

  it("gives what is streamed of the same request, read or not, defaults written out or not", async () => {
    const { client, socket } = await streaming();
    expect((await client.quote("ETH", REQUEST)).amountOut).toBe("stream");
    socket().update("s1", 1, quote("newer"));
    expect((await client.quote("ETH", { maxHops: 3, ...REQUEST })).amountOut).toBe("newer");
    expect((await client.quote("ETH", { ...REQUEST, dexId: "ALL" })).amountOut).toBe("newer");
    expect(asked).toHaveLength(0);
    client.close();
  });

  it("asks where the request is another, or of another network", async () => {
    const { client } = await streaming();
    await client.quote("ETH", { ...REQUEST, amountIn: "1001" });
    await client.quote("ETH", { ...REQUEST, maxHops: 2 });
    await client.quote("BASE", REQUEST);
    expect(asked).toHaveLength(3);
    client.close();
  });

  it("asks where what is streamed is not every change", async () => {
    const { client, socket } = connectClient();
    collect(client.quotes("ETH", REQUEST, 5));
    answersAll(socket());
    socket().hello();
    socket().snapshot("s1", quote("stream"));
    expect((await client.quote("ETH", REQUEST)).amountOut).toBe("http");
    client.close();
  });

  it("asks when the connection is lost, the reading over, or the client closed", async () => {
    const lost = await streaming();
    lost.socket().drop();
    expect((await lost.client.quote("ETH", REQUEST)).amountOut).toBe("http");
    await vi.advanceTimersByTimeAsync(300);
    // Connected again, but not told yet.
    lost.socket().hello();
    expect(lost.client.state).toBe("open");
    expect((await lost.client.quote("ETH", REQUEST)).amountOut).toBe("http");
    lost.client.close();
    const left = await streaming();
    await left.reading.return!();
    expect((await left.client.quote("ETH", REQUEST)).amountOut).toBe("http");
    left.client.close();
    expect((await left.client.quote("ETH", REQUEST)).amountOut).toBe("http");
  });

  it("asks where the server has not shown lately that it is there", async () => {
    const { client, socket } = await streaming();
    await vi.advanceTimersByTimeAsync(22_000);
    expect((await client.quote("ETH", REQUEST)).amountOut).toBe("stream");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(client.state).toBe("open");
    expect((await client.quote("ETH", REQUEST)).amountOut).toBe("http");
    socket().heartbeat();
    expect((await client.quote("ETH", REQUEST)).amountOut).toBe("stream");
    client.close();
  });

  it("goes on with another reading of the request where one ends", async () => {
    const { client, socket, reading } = await streaming();
    collect(client.quotes("ETH", REQUEST));
    socket().snapshot("s2", quote("other"));
    await reading.return!();
    expect((await client.quote("ETH", REQUEST)).amountOut).toBe("other");
    client.close();
  });

  it("asks where a problem is streamed, and rejects with what it is told", async () => {
    const { client, socket } = await streaming();
    socket().update("s1", 1, PROBLEM);
    const headers = { "content-type": "application/problem+json" };
    answer = () => Response.json(PROBLEM, { status: 404, headers });
    await expect(client.quote("ETH", REQUEST)).rejects.toMatchObject({ code: "NO_ROUTE" });
    expect(asked).toHaveLength(1);
    client.close();
  });
});

describe("a client", () => {
  it("keeps the path of its base URL, and takes no other schemes", async () => {
    const { openSocket, sockets } = connectClient();
    const client = new Client("https://host.test/millrace/", { openSocket, apiKey: "secret" });
    collect(client.blocks("ETH"));
    expect(sockets[0]!.url).toBe("wss://host.test/millrace/ws");
    expect(sockets[0]!.headers).toEqual({ authorization: "Bearer secret" });
    await client.quote("ETH", REQUEST);
    expect(asked[0]!.url).toBe("https://host.test/millrace/ETH/quote");
    client.close();
    for (const url of ["ftp://host.test", "ws://host.test", "file:///etc", "nonsense"]) {
      expect(() => new Client(url)).toThrow(TypeError);
    }
  });

  it("gives its key to a browser's WebSocket neither in the URL nor as a protocol", () => {
    const made: unknown[][] = [];
    class BrowserSocket {
      constructor(...arguments_: unknown[]) {
        // As browsers do: a text or a list is expected, and made of whatever comes.
        if (arguments_.length > 1) throw new SyntaxError(`no protocol: ${arguments_[1]}`);
        made.push(arguments_);
      }
      close() {}
    }
    vi.stubGlobal("WebSocket", BrowserSocket);
    const client = new Client("http://service.test", { apiKey: "secret" });
    collect(client.blocks("ETH"));
    expect(made).toEqual([["ws://service.test/ws"]]);
    expect(client.state).toBe("connecting");
    client.close();
  });
});
