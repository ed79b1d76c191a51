import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./runHere.ts";

// What a service may answer that a terminal must not see.

const HOSTILE = "\u001b[2JUS\u202eDC\u200b\u0007\n";
const token = (address: string, symbol: string) => ({
  ...{ address, symbol, name: `${HOSTILE}${"x".repeat(5_000)}`, decimals: 18, chainId: "1" },
  ...{ dexes: [], lastUpdated: 0, price: 1, liquidity: 5, volume24h: 0, volume6h: 0, volume1h: 0 },
  ...{ volume5m: 0, txns24h: 0, buys24h: 0, sells24h: 0 },
});
const ONE = `0x${"1".repeat(40)}`;
const OTHER = `0x${"2".repeat(40)}`;
const data = [token(ONE, HOSTILE), token(OTHER, "USDC")];
const network = {
  id: "ETH",
  chainId: 1,
  name: "x",
  primary: true,
  ready: true,
  wrappedNative: null,
};
const pagination = { page: 1, limit: 20, total: 2, totalPages: 1, hasNext: false, hasPrev: false };
const problem = {
  ...{ type: "/docs#UNKNOWN_TOKEN", title: "Unknown token", status: 404, code: "UNKNOWN_TOKEN" },
  detail: `none ${HOSTILE}`,
};

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(({ url: path = "" }, response) => {
    const isList = path.startsWith("/tokens?");
    const body = path === "/networks" ? { result: [network] } : isList ? LIST : problem;
    const type = body === problem ? "application/problem+json" : "application/json";
    response.writeHead(body === problem ? 404 : 200, { "content-type": type });
    response.end(path.includes("broken") ? "{" : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const LIST = { success: true, data, pagination, filters: {} };
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe("hostile names", () => {
  it("are shown without what a terminal obeys, and clipped", async () => {
    const { code, out } = await runHere(["tokens", "--url", url], { columns: 100 });
    expect(code).toBe(0);
    expect(out).toContain("[2JUSDC");
    expect(out).not.toMatch(UNSEEN);
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it("are the same texts in JSON, escaped", async () => {
    const { out } = await runHere(["tokens", "--json", "--url", url]);
    expect(out).not.toMatch(UNSEEN);
    expect(JSON.parse(out)).toEqual(LIST);
  });

  it("are shown so in refusals, too", async () => {
    const { code, err } = await runHere(["quote", "1", ONE, OTHER, "--url", url]);
    expect(code).toBe(1);
    expect(err).toContain("UNKNOWN_TOKEN: none [2JUSDC");
    expect(err).not.toMatch(UNSEEN);
  });
});

describe("a symbol of several tokens", () => {
  it("is refused, with their addresses", async () => {
    const { code, out, err } = await runHere(["quote", "1", "USDC", ONE, "--url", url]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    for (const address of [ONE, OTHER]) expect(err).toContain(address);
  });
});

describe("a server that is none of ours", () => {
  it("is told as such, with exit code 3", async () => {
    const { code, err } = await runHere(["tokens", "--url", `${url}/broken`]);
    expect(code).toBe(3);
    expect(err).toContain("does not answer as a millrace service does");
  });
});
