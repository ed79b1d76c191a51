import { request } from "node:http";
import { createServer } from "node:net";
import { NetworkList, WalletAnswer } from "@millrace/api";
import { eventually } from "@millrace/testing";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyForeign } from "../../src/wallet/whyForeign.ts";
import { NATIVE, type Service, startConfigured } from "../kit/service.ts";

const CHAIN_ID = 0x6d696c01;

let service: Service;
let port: number;
beforeAll(async () => {
  port = await freePort();
  const source = { kind: "devnet", market: "ETH", trafficEveryMs: 60_000, port };
  const generated = { kind: "generated", seed: 1, poolCount: 30 };
  service = await startConfigured({
    networks: [
      { id: "ETH", name: "Devnet", chainId: CHAIN_ID, source, headAgeLimitMs: null },
      { id: "OTHER", name: "Other", chainId: 8453, source: generated },
    ],
  });
}, 60_000);
afterAll(() => service?.stop());

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? address!.port : 0));
    });
  });

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly path?: string;
  readonly method?: string;
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies that the test then looks into.
  readonly json: any;
}

/** Sends headers as they are given, those too that no page can choose. */
function send({ headers = {}, body = ask("eth_chainId"), path = "/ETH/wallet", method }: Sent) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Promise<Got>((resolve, reject) => {
    const options = { method: method ?? "POST", headers };
    const sent = request(`${service.url}${path}`, options, (response) => {
      let said = "";
      response.setEncoding("utf8").on("data", (part) => {
        said += part;
      });
      response.on("end", () => {
        const json = said === "" ? undefined : JSON.parse(said);
        resolve({ status: response.statusCode!, headers: response.headers, json });
      });
    });
    sent.on("error", reject).end(text);
  });
}

const ask = (method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id: 7, method, params });
const host = () => new URL(service.url).host;
const OWN = { "sec-fetch-site": "same-origin" };

/** As a page of the service's own asks. */
async function wallet(method: string, ...params: unknown[]) {
  const { status, json } = await send({ headers: OWN, body: ask(method, ...params) });
  const answer = Schema.decodeUnknownSync(WalletAnswer)(json, { onExcessProperty: "error" });
  expect([status, answer.id]).toEqual([200, 7]);
  return answer;
}

// biome-ignore lint/suspicious/noExplicitAny: results that the test then looks into.
const resultOf = async (method: string, ...params: unknown[]): Promise<any> => {
  const { result, error } = await wallet(method, ...params);
  expect([method, error]).toEqual([method, undefined]);
  return result;
};

const codeOf = async (body: unknown) =>
  (await send({ headers: OWN, body })).json.error?.code as number | undefined;

describe("the list of networks", () => {
  it("tells the RPC URL of a devnet, on the port that is configured, and of no other", async () => {
    const { json } = await service.get("/networks");
    const { result } = Schema.decodeUnknownSync(NetworkList)(json);
    expect(result).toMatchObject([
      { id: "ETH", devnet: true, rpcUrl: `http://127.0.0.1:${port}` },
      { id: "OTHER" },
    ]);
    expect(result[1]).not.toHaveProperty("rpcUrl");
  });
});

describe("the wallet of a devnet", () => {
  it("tells its chain, and five accounts with native tokens and a token that a quote can sell", async () => {
    expect(Number(await resultOf("eth_chainId"))).toBe(CHAIN_ID);
    const accounts = await resultOf("eth_requestAccounts");
    expect(accounts).toHaveLength(5);
    expect(await resultOf("eth_accounts")).toEqual(accounts);
    const { json } = await service.get("/ETH/tokenListWithDetails");
    for (const { address } of json.result) {
      if (address === NATIVE) continue;
      const data = `0x70a08231${accounts[4].slice(2).padStart(64, "0")}`;
      const balance = BigInt(await resultOf("eth_call", { to: address, data }, "latest"));
      // Hostile tokens are not among those that it has.
      if (balance === 0n) continue;
      expect(balance).toBeGreaterThan(10n ** 6n);
    }
    expect(BigInt(await resultOf("eth_getBalance", accounts[0], "latest"))).toBeGreaterThan(
      10n ** 21n,
    );
    expect(await resultOf("eth_gasPrice")).toMatch(/^0x/);
  });

  it("executes a swap that the service built, and the quoted token arrives", async () => {
    const [, from] = await resultOf("eth_accounts");
    const { json: tokens } = await service.get("/ETH/tokenListWithDetails");
    const usdc = tokens.result.find(({ symbol }: { symbol: string }) => symbol === "USDC").address;
    const body = { tokenA: NATIVE, tokenB: usdc, amountIn: String(10n ** 18n) };
    const { json: quote } = await service.post("/ETH/quote", body);
    const built = await service.post("/ETH/swap", { publicKey: from, quote });
    expect(built.status).toBe(200);
    const data = `0x70a08231${from.slice(2).padStart(64, "0")}`;
    const balance = async () => BigInt(await resultOf("eth_call", { to: usdc, data }, "latest"));
    const before = await balance();
    for (const { to, data, value } of built.json.transactions) {
      const transaction = { from, to, data, value: `0x${BigInt(value).toString(16)}` };
      expect(await resultOf("eth_estimateGas", transaction)).toMatch(/^0x/);
      const hash = await resultOf("eth_sendTransaction", transaction);
      let receipt: { readonly status: string } | null = null;
      await eventually(async () => {
        receipt = await resultOf("eth_getTransactionReceipt", hash);
        return receipt !== null;
      });
      expect(receipt).toMatchObject({ status: "0x1" });
    }
    expect((await balance()) - before).toBeGreaterThanOrEqual(
      (BigInt(quote.amountOut) * 99n) / 100n,
    );
    expect(Number(await resultOf("eth_getTransactionCount", from, "latest"))).toBe(
      built.json.transactions.length,
    );
  });

  it("signs typed data for its accounts, given as a text or as it is", async () => {
    const [, , address] = await resultOf("eth_accounts");
    const typed = {
      domain: { name: "Test", chainId: CHAIN_ID },
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "chainId", type: "uint256" },
        ],
        Mail: [{ name: "text", type: "string" }],
      },
      primaryType: "Mail",
      message: { text: "hello" },
    } as const;
    for (const data of [typed, JSON.stringify(typed)]) {
      const signature = await resultOf("eth_signTypedData_v4", address, data);
      expect(signature).toMatch(/^0x[0-9a-f]{130}$/);
      expect(signature).toBe(await askNode("eth_signTypedData_v4", address, typed));
    }
  });

  it("hands on what the node says is wrong, with its data", async () => {
    const { json } = await service.get("/ETH/tokenListWithDetails");
    const token = json.result.find(({ symbol }: { symbol: string }) => symbol === "USDC").address;
    const data = `0xa9059cbb${"1".repeat(40).padStart(64, "0")}${"f".repeat(64)}`;
    const { error } = await wallet("eth_call", { to: token, data }, "latest");
    expect(error?.code).toBeLessThanOrEqual(3);
    expect(error?.message).toMatch(/revert/i);
    expect(error).toHaveProperty("data");
  });
});

describe("a request that no page of the service's own sends", () => {
  const refused = async (headers: Record<string, string>) => {
    const { status, json, headers: given } = await send({ headers });
    expect([headers, status, json.code]).toEqual([headers, 403, "FORBIDDEN"]);
    expect(given["access-control-allow-origin"]).toBeUndefined();
  };

  it("is refused without headers of a browser, as curl sends it", () => refused({}));

  it("is refused from another origin, `null` included, whatever it says beside", async () => {
    const own = `http://${host()}`;
    for (const origin of [
      ...["null", "https://evil.example", "http://localhost:3000", `${own}.evil.example`],
      ...[`${own}/`, `http://user@${host()}`, `ftp://${host()}`, `${own}, ${own}`, "http://"],
      // The service itself has no https: only with the browser's word is this its own page.
      `https://${host()}`,
    ]) {
      await refused({ origin });
      if (!origin.startsWith("https://127")) await refused({ origin, ...OWN });
    }
    for (const site of ["cross-site", "same-site", "none", "same-origin, same-origin", "x"]) {
      await refused({ "sec-fetch-site": site });
      await refused({ "sec-fetch-site": site, origin: own });
    }
  });

  it("is refused at a name that a stranger may have lead here (DNS rebinding)", async () => {
    for (const name of [
      ...["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost"],
      ...["localhost.", "localhost@evil.example", "2130706433", "127.1", "[::1", "[evil]", "::1"],
    ]) {
      const named = `${name}:8080`;
      await refused({ host: named, origin: `http://${named}`, ...OWN });
      await refused({ host: named, origin: `http://${named}` });
    }
  });

  it("is never allowed by a preflight, of any method", async () => {
    for (const asked of ["POST", "GET", "HEAD", "PUT"]) {
      for (const path of ["/ETH/wallet", "/ETH/wallet/", "/ETH/%77allet", "/ETH/WALLET"]) {
        const headers = { origin: "https://evil.example", "access-control-request-method": asked };
        const preflight = await send({ method: "OPTIONS", headers, path, body: "" });
        const names = Object.keys(preflight.headers).filter((name) => name.startsWith("access-"));
        expect([asked, path, names]).toEqual([asked, path, []]);
      }
    }
  });

  it("is refused in every other form of the path as well", async () => {
    for (const path of ["/ETH/wallet/", "/%45TH/wallet", "/ETH/%77allet", "/ETH/WALLET"]) {
      expect((await send({ path })).status).toBe(403);
      expect((await send({ path, headers: OWN })).status).toBe(200);
    }
  });
});

describe("a page of the service's own", () => {
  it("may ask by either header, at an address, at localhost and at the configured host", async () => {
    const own = `http://${host()}`;
    for (const headers of [
      ...[OWN, { origin: own }, { origin: own, ...OWN }],
      { host: "localhost:8080", origin: "http://localhost:8080", ...OWN },
      { host: "LOCALHOST", origin: "http://localhost" },
      { host: "[::1]:8080", origin: "http://[::1]:8080" },
      // Through a proxy that speaks https with the browser.
      { host: "192.0.2.1", origin: "https://192.0.2.1", ...OWN },
    ]) {
      expect((await send({ headers })).status).toBe(200);
    }
    const page = { host: "box.lan:8080", origin: "http://box.lan:8080", site: "same-origin" };
    expect(whyForeign(page, "Box.lan")).toBeUndefined();
    expect(whyForeign(page, "127.0.0.1")).toBeDefined();
    expect(whyForeign({ ...page, host: "" }, "")).toBeDefined();
  });
});

describe("a network that is no devnet", () => {
  it("has no wallet, whoever asks", async () => {
    for (const id of ["OTHER", "NOWHERE", "eth", "__proto__"]) {
      for (const headers of [{}, OWN]) {
        const { status, json } = await send({ path: `/${id}/wallet`, headers });
        expect([id, status, json.code]).toEqual([id, 404, "UNKNOWN_NETWORK"]);
      }
    }
  });
});

describe("what a wallet does not do", () => {
  it("is every other method of the node, and of JSON-RPC's names for objects", async () => {
    for (const method of [
      ...[
        "personal_sign",
        "eth_sign",
        "eth_sendRawTransaction",
        "eth_getLogs",
        "eth_signTransaction",
      ],
      ...["anvil_setBalance", "anvil_impersonateAccount", "anvil_reset", "evm_mine", "evm_revert"],
      ...["debug_traceTransaction", "eth_sendTransactionSync", "wallet_switchEthereumChain"],
      ...["eth_ACCOUNTS", " eth_accounts", "", "__proto__", "constructor", "toString"],
    ]) {
      expect([method, await codeOf(ask(method))]).toEqual([method, -32_601]);
    }
  });

  it("is acting for accounts that are not its own", async () => {
    const accounts = await resultOf("eth_accounts");
    const node = ((await askNode("eth_accounts")) as string[])
      .map((account) => account.toLowerCase())
      .filter((account) => !accounts.includes(account));
    // The first of the node's own, and those that it impersonates.
    expect(node.length).toBeGreaterThan(1);
    const to = accounts[0];
    for (const from of [...node, `0x${"1".repeat(40)}`, ` ${to}`]) {
      expect(await codeOf(ask("eth_sendTransaction", { from, to }))).toBe(4_100);
      expect(await codeOf(ask("eth_signTypedData_v4", from, "{}"))).toBe(4_100);
    }
    const wrong = [
      ...[[], [null], ["0x"], [[]], [{}], [{ from: 1 }], [{ from: [to] }], [{ from: to }, 1]],
      ...[[{ from: to, authorizationList: [] }], [{ from: to, FROM: to }]],
    ];
    for (const params of wrong) {
      expect(await codeOf(ask("eth_sendTransaction", ...params))).toBe(-32_602);
    }
    for (const params of [[], [to], [to, 1], [to, null], ["{}", to, 1]]) {
      expect(await codeOf(ask("eth_signTypedData_v4", ...params))).toBe(-32_602);
    }
    expect(await codeOf(ask("eth_call", {}, "latest", { [to]: { balance: "0x1" } }))).toBe(-32_602);
  });

  it("is reading what is no single request", async () => {
    const one = ask("eth_chainId");
    for (const body of ["", "{", "nonsense", `[${"[".repeat(5_000)}`]) {
      expect(await codeOf(body)).toBe(-32_700);
    }
    for (const body of [
      ...[[one], [one, one], [], {}, null, 1, "1"].map((json) => JSON.stringify(json)),
      ...[
        { ...one, jsonrpc: "1.0" },
        { ...one, id: null },
        { ...one, id: {} },
      ],
      ...[
        { ...one, id: "x".repeat(65) },
        { ...one, method: 1 },
        { ...one, params: {} },
      ],
      ...[
        { ...one, more: 1 },
        { jsonrpc: "2.0", method: "eth_chainId" },
      ],
    ]) {
      expect([body, await codeOf(body)]).toEqual([body, -32_600]);
    }
    const huge = await send({ headers: OWN, body: "x".repeat(65_537) });
    expect([huge.status, huge.json.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const asked = await send({ headers: OWN, path: "/ETH/wallet?a=1" });
    expect([asked.status, asked.json.code]).toEqual([400, "INVALID_REQUEST"]);
    const read = await send({ headers: OWN, method: "GET", body: "" });
    expect([read.status, read.headers["allow"]]).toEqual([405, "POST"]);
  });
});

/** What the node answers to whoever knows its port. */
async function askNode(method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ask(method, ...params)),
  });
  return ((await response.json()) as { readonly result: unknown }).result;
}
