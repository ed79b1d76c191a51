import { NetworkList } from "@millrace/api";
import { eventually } from "@millrace/testing";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { NATIVE } from "../kit/service.ts";
import { DEVNET_CHAIN, OWN_PAGE, rpc, WalletService } from "../kit/walletService.ts";

const devnet = new WalletService();

describe("the list of networks", () => {
  it("tells the RPC URL of a devnet, on the port that is configured, and of no other", async () => {
    const { json } = await devnet.service.get("/networks");
    const { result } = Schema.decodeUnknownSync(NetworkList)(json);
    expect(result).toMatchObject([
      { id: "ETH", devnet: true, rpcUrl: `http://127.0.0.1:${devnet.port}` },
      { id: "OTHER" },
    ]);
    expect(result[1]).not.toHaveProperty("rpcUrl");
  });
});

describe("the wallet of a devnet", () => {
  it("tells its chain, and five accounts with native tokens and a token that a quote can sell", async () => {
    expect(Number(await devnet.resultOf("eth_chainId"))).toBe(DEVNET_CHAIN);
    const accounts = await devnet.resultOf("eth_requestAccounts");
    expect(accounts).toHaveLength(5);
    expect(await devnet.resultOf("eth_accounts")).toEqual(accounts);
    const { json } = await devnet.service.get("/ETH/tokenListWithDetails");
    for (const { address } of json.result) {
      if (address === NATIVE) continue;
      const data = `0x70a08231${accounts[4].slice(2).padStart(64, "0")}`;
      const balance = BigInt(await devnet.resultOf("eth_call", { to: address, data }, "latest"));
      // The account has no hostile tokens.
      if (balance === 0n) continue;
      expect(balance).toBeGreaterThan(10n ** 6n);
    }
    expect(BigInt(await devnet.resultOf("eth_getBalance", accounts[0], "latest"))).toBeGreaterThan(
      10n ** 21n,
    );
    expect(await devnet.resultOf("eth_gasPrice")).toMatch(/^0x/);
  });

  it("executes a swap that the service built, and the quoted token arrives", async () => {
    const [, from] = await devnet.resultOf("eth_accounts");
    const { json: tokens } = await devnet.service.get("/ETH/tokenListWithDetails");
    const usdc = tokens.result.find(({ symbol }: { symbol: string }) => symbol === "USDC").address;
    const body = { tokenA: NATIVE, tokenB: usdc, amountIn: String(10n ** 18n) };
    const { json: quote } = await devnet.service.post("/ETH/quote", body);
    const built = await devnet.service.post("/ETH/swap", { publicKey: from, quote });
    expect(built.status).toBe(200);
    const data = `0x70a08231${from.slice(2).padStart(64, "0")}`;
    const balance = async () =>
      BigInt(await devnet.resultOf("eth_call", { to: usdc, data }, "latest"));
    const before = await balance();
    for (const { to, data, value } of built.json.transactions) {
      const transaction = { from, to, data, value: `0x${BigInt(value).toString(16)}` };
      const estimate = await devnet.resultOf("eth_estimateGas", transaction);
      expect(estimate).toMatch(/^0x/);
      // Other trades in the same pools may make it cost more in the next block.
      const gas = `0x${((BigInt(estimate) * 3n) / 2n).toString(16)}`;
      const hash = await devnet.resultOf("eth_sendTransaction", { ...transaction, gas });
      let receipt: { readonly status: string } | null = null;
      await eventually(async () => {
        receipt = await devnet.resultOf("eth_getTransactionReceipt", hash);
        return receipt !== null;
      });
      expect(receipt).toMatchObject({ status: "0x1" });
    }
    expect((await balance()) - before).toBeGreaterThanOrEqual(
      (BigInt(quote.amountOut) * 99n) / 100n,
    );
    expect(Number(await devnet.resultOf("eth_getTransactionCount", from, "latest"))).toBe(
      built.json.transactions.length,
    );
  });

  it("signs typed data for its accounts, given as a text or as it is", async () => {
    const [, , address] = await devnet.resultOf("eth_accounts");
    const typed = {
      domain: { name: "Test", chainId: DEVNET_CHAIN },
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
      const signature = await devnet.resultOf("eth_signTypedData_v4", address, data);
      expect(signature).toMatch(/^0x[0-9a-f]{130}$/);
      expect(signature).toBe(await devnet.askNode("eth_signTypedData_v4", address, typed));
    }
  });

  it("hands on what the node says is wrong, with its data", async () => {
    const { json } = await devnet.service.get("/ETH/tokenListWithDetails");
    const token = json.result.find(({ symbol }: { symbol: string }) => symbol === "USDC").address;
    const data = `0xa9059cbb${"1".repeat(40).padStart(64, "0")}${"f".repeat(64)}`;
    const { error } = await devnet.ask("eth_call", { to: token, data }, "latest");
    expect(error?.code).toBeLessThanOrEqual(3);
    expect(error?.message).toMatch(/revert/i);
    expect(error).toHaveProperty("data");
  });
});

describe("a network that is no devnet", () => {
  it("has no wallet, whoever asks", async () => {
    for (const id of ["OTHER", "NOWHERE", "eth", "__proto__"]) {
      for (const headers of [{}, OWN_PAGE]) {
        const { status, json } = await devnet.send({ path: `/${id}/wallet`, headers });
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
      expect([method, await devnet.codeOf(rpc(method))]).toEqual([method, -32_601]);
    }
  });

  it("is acting for accounts that are not its own", async () => {
    const accounts = await devnet.resultOf("eth_accounts");
    const node = ((await devnet.askNode("eth_accounts")) as string[])
      .map((account) => account.toLowerCase())
      .filter((account) => !accounts.includes(account));
    // The first of the node's own, and those that it impersonates.
    expect(node.length).toBeGreaterThan(1);
    const to = accounts[0];
    for (const from of [...node, `0x${"1".repeat(40)}`, ` ${to}`]) {
      expect(await devnet.codeOf(rpc("eth_sendTransaction", { from, to }))).toBe(4_100);
      expect(await devnet.codeOf(rpc("eth_signTypedData_v4", from, "{}"))).toBe(4_100);
    }
    const wrong = [
      ...[[], [null], ["0x"], [[]], [{}], [{ from: 1 }], [{ from: [to] }], [{ from: to }, 1]],
      ...[[{ from: to, authorizationList: [] }], [{ from: to, FROM: to }]],
    ];
    for (const params of wrong) {
      expect(await devnet.codeOf(rpc("eth_sendTransaction", ...params))).toBe(-32_602);
    }
    for (const params of [[], [to], [to, 1], [to, null], ["{}", to, 1]]) {
      expect(await devnet.codeOf(rpc("eth_signTypedData_v4", ...params))).toBe(-32_602);
    }
    expect(await devnet.codeOf(rpc("eth_call", {}, "latest", { [to]: { balance: "0x1" } }))).toBe(
      -32_602,
    );
  });

  it("is reading what is no single request", async () => {
    const one = rpc("eth_chainId");
    for (const body of ["", "{", "nonsense", `[${"[".repeat(5_000)}`]) {
      expect(await devnet.codeOf(body)).toBe(-32_700);
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
      expect([body, await devnet.codeOf(body)]).toEqual([body, -32_600]);
    }
    const huge = await devnet.send({ headers: OWN_PAGE, body: "x".repeat(65_537) });
    expect([huge.status, huge.json.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const asked = await devnet.send({ headers: OWN_PAGE, path: "/ETH/wallet?a=1" });
    expect([asked.status, asked.json.code]).toEqual([400, "INVALID_REQUEST"]);
    const read = await devnet.send({ headers: OWN_PAGE, method: "GET", body: "" });
    expect([read.status, read.headers["allow"]]).toEqual([405, "POST"]);
  });
});
