import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PermitAnswer, SwapTransactions } from "@millrace/api";
import { executorCreationCode } from "@millrace/execution";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, type LocalChain, networkOn, startLocalChain } from "./localChain.ts";
import { configOf, NATIVE, type Service, startService } from "./service.ts";

// A chain that stands still but for what is sent here: a quote stays true until it is executed. The
// node signs for the traders, as a wallet would.

const STRICT = { onExcessProperty: "error" } as const;
const ETHER = 10n ** 18n;
const PARTNER = "0x00000000000000000000000000000000feed0001";

let folder: string;
let chain: LocalChain;
let service: Service;
let proxy: Proxy;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-swaps-"));
  chain = await startLocalChain(undefined, {
    deploy: ({ wrappedNative }) => [executorCreationCode(wrappedNative)],
    hostileTokens: true,
  });
  proxy = await startProxy(chain.devnet.rpcUrl);
  service = await serving({});
});
afterAll(async () => {
  await service?.stop();
  proxy?.stop();
  await chain?.stop();
  rmSync(folder, { recursive: true });
});

function routersOf({ devnet }: LocalChain) {
  const { universalRouter: address, permit2 } = devnet.contracts;
  const dexIds = { v2DexId: "UNISWAP_V2", v3DexId: "UNISWAP_V3" };
  const universalRouter = { address, version: "2.0", permit2, ...dexIds };
  return { executor: devnet.deployed[0], universalRouter };
}

/** A service on the chain, by the proxy, once its routers are checked. */
async function serving(network: Record<string, unknown>): Promise<Service> {
  const file = join(folder, "config.json");
  const local = networkOn(chain.devnet, { routers: routersOf(chain), ...network });
  const [endpoint] = local.source.endpoints;
  const endpoints = [{ ...endpoint, url: proxy.url }];
  const networks = [{ ...local, source: { ...local.source, endpoints } }];
  writeFileSync(file, JSON.stringify({ networks }));
  const started = await startService(await configOf({ MILLRACE_CONFIG: file }));
  await eventually(async () => (await started.get("/health/ready")).status === 200);
  return started;
}

/** Passes on to the node what it is not told to keep to itself. */
interface Proxy {
  readonly url: string;
  readonly silent: Set<string>;
  readonly stop: () => void;
}

async function startProxy(target: string): Promise<Proxy> {
  const silent = new Set<string>();
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    if (silent.has((JSON.parse(body) as { method: string }).method)) return;
    const headers = { "content-type": "application/json" };
    const answer = await fetch(target, { method: "POST", headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, silent, stop };
}

const word = (value: string | bigint) => BigInt(value).toString(16).padStart(64, "0");
const addressOf = (symbol: string) =>
  [...chain.devnet.tokens, ...chain.devnet.hostileTokens].find((token) => token.symbol === symbol)!
    .address;
const traderOf = (index: number): string => chain.devnet.traders[index]!.address;

async function balanceOf(token: string, owner: string): Promise<bigint> {
  if (token === NATIVE) return BigInt(String(await chain.call("eth_getBalance", owner, "latest")));
  const call = { to: token, data: `0x70a08231${word(owner)}` };
  return BigInt(String(await chain.call("eth_call", call, "latest")));
}

/** Gives a fresh account, which has approved nobody, what it needs; the node signs for it. */
async function newcomer(index: number, token: string, amount: bigint): Promise<string> {
  const account = `0x${(0xabc000n + BigInt(index)).toString(16).padStart(40, "0")}`;
  await chain.call("anvil_impersonateAccount", account);
  await chain.call("anvil_setBalance", account, "0x56bc75e2d63100000");
  await send({ from: traderOf(0), to: token, data: `0xa9059cbb${word(account)}${word(amount)}` });
  return account;
}

interface Sent {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value?: string;
}

/** Signs, sends, and waits for the block and for the service to have it; the gas that was used. */
async function send({ from, to, data, value = "0" }: Sent): Promise<bigint> {
  const transaction = { from, to, data, value: `0x${BigInt(value).toString(16)}` };
  const hash = await chain.call("eth_sendTransaction", { ...transaction, gas: "0x7a1200" });
  const receipt = await eventually(
    async () => (await chain.call("eth_getTransactionReceipt", hash)) as Receipt | null,
  );
  expect(receipt.status).toBe("0x1");
  await eventually(
    () => service.networks.primary.market!.engine.graph.stamp.number >= Number(receipt.blockNumber),
  );
  return BigInt(receipt.gasUsed);
}

interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
  readonly gasUsed: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests change what they like in a quote.
type Quote = any;

async function quoted(request: object, by: Service = service): Promise<Quote> {
  const { status, json, text } = await by.post("/LOCAL/quote", request);
  expect(status, text).toBe(200);
  return json;
}

async function built(body: object, by: Service = service): Promise<SwapTransactions> {
  const { status, json, text } = await by.post("/LOCAL/swap", body);
  expect(status, text).toBe(200);
  return Schema.decodeUnknownSync(SwapTransactions)(json, STRICT);
}

describe("what a swap gives", () => {
  it("is what was quoted, to the wei, once its transactions are signed and sent", async () => {
    await eventually(async () => (await service.get("/metrics")).text.includes(USABLE));
    const [weth, usdc, dai] = [addressOf("WETH"), addressOf("USDC"), addressOf("DAI")];
    const sender = traderOf(1);
    for (const [tokenA, tokenB, more] of [
      [NATIVE, usdc, {}],
      [usdc, dai, { dexId: "UNISWAP_V3" }],
      [dai, NATIVE, { maxSplits: 4 }],
      [NATIVE, weth, {}],
      [weth, NATIVE, {}],
      [weth, dai, { maxSplits: 8 }],
    ] as const) {
      const isDollars = tokenA === usdc;
      const amountIn = String(
        isDollars ? 1_000n * 10n ** 6n : tokenA === dai ? 900n * ETHER : ETHER,
      );
      const quote = await quoted({ tokenA, tokenB, amountIn, ...more });
      const recipient = "0x00000000000000000000000000000000feed0002";
      const isWrap = quote.routePlan.length === 0;
      const body = { publicKey: sender, quote, ...(isWrap ? {} : { recipient }) };
      const { transactions, simulated, minAmountOut } = await built(body);
      expect([tokenA, tokenB, simulated]).toEqual([tokenA, tokenB, true]);
      const holder = isWrap ? sender : recipient;
      const before = await balanceOf(tokenB, holder);
      for (const transaction of transactions) await send(transaction);
      const gained = (await balanceOf(tokenB, holder)) - before;
      // Who unwraps pays for the gas of it.
      if (!isWrap || tokenB !== NATIVE) expect(String(gained)).toBe(quote.amountOut);
      else expect(gained).toBeGreaterThan((ETHER * 99n) / 100n);
      expect(BigInt(minAmountOut!)).toBeLessThanOrEqual(BigInt(quote.amountOut));
    }
  });

  it("is what was asked with an exact output, and what is left of the native input comes back", async () => {
    const usdc = addressOf("USDC");
    const quote = await quoted({ tokenA: NATIVE, tokenB: usdc, amountOut: "1000000000" });
    const body = { publicKey: traderOf(1), quote, slippage: 10, recipient: PARTNER };
    const { transactions, maxAmountIn, simulated } = await built(body);
    expect(simulated).toBe(true);
    expect(transactions.at(-1)!.value).toBe(maxAmountIn);
    const before = await balanceOf(NATIVE, traderOf(1));
    await send(transactions.at(-1)!);
    expect(await balanceOf(usdc, PARTNER)).toBe(10n ** 9n);
    const spent = before - (await balanceOf(NATIVE, traderOf(1)));
    // The rest of it is gas.
    expect(spent - BigInt(quote.amountIn)).toBeLessThan(ETHER / 10n);
  });

  it("needs no more approvals than the chain says, and no input to be tried", async () => {
    const [usdc, dai] = [addressOf("USDC"), addressOf("DAI")];
    const amountIn = String(500n * 10n ** 6n);
    const quote = await quoted({ tokenA: usdc, tokenB: dai, amountIn, dexId: "UNISWAP_V3" });
    const poor = `0x${"0".repeat(30)}feedfeed01`;
    const first = await built({ publicKey: poor, quote });
    expect([first.transactions.length, first.simulated]).toEqual([3, true]);
    const account = await newcomer(1, usdc, BigInt(amountIn));
    const { transactions } = await built({ publicKey: account, quote });
    expect(transactions.length).toBe(3);
    await send(transactions[0]!);
    expect((await built({ publicKey: account, quote })).transactions.length).toBe(2);
    await send(transactions[1]!);
    const last = await built({ publicKey: account, quote });
    expect(last.transactions.length).toBe(1);
    await send(last.transactions[0]!);
    expect(String(await balanceOf(dai, account))).toBe(quote.amountOut);
  });

  it("leaves a partner's fee, to the wei", async () => {
    const [usdc, dai] = [addressOf("USDC"), addressOf("DAI")];
    const quote = await quoted({ tokenA: NATIVE, tokenB: dai, amountIn: String(ETHER) });
    const partnerFees = { recipient: PARTNER, fee: 250 };
    const before = await balanceOf(dai, PARTNER);
    const body = { publicKey: traderOf(1), quote, partnerFees };
    const { transactions, feeAmount } = await built(body);
    await send(transactions.at(-1)!);
    expect(usdc).not.toBe(dai);
    expect(String((await balanceOf(dai, PARTNER)) - before)).toBe(feeAmount);
    expect(feeAmount).toBe(String((BigInt(quote.amountOut) * 250n) / 10_000n));
  });
});

const USABLE = 'millrace_router_usable{network="LOCAL",router="executor"} 1';

describe("a permit", () => {
  it("that a wallet signs saves the approval, with either router", async () => {
    const [usdc, weth] = [addressOf("USDC"), addressOf("WETH")];
    const amountIn = String(300n * 10n ** 6n);
    // The one account whose key the node has.
    const [publicKey] = (await chain.call("eth_accounts")) as [string];
    const give = `0xa9059cbb${word(publicKey)}${word(10n ** 9n)}`;
    await send({ from: traderOf(0), to: usdc, data: give });
    for (const [dexId, kind] of [
      ["UNISWAP_V3", "PERMIT2"],
      ["SUSHISWAP_V2", "EIP-2612"],
    ] as const) {
      const quote = await quoted({ tokenA: usdc, tokenB: weth, amountIn, dexId });
      const deadline = Math.floor(Date.now() / 1_000) + 1_800;
      const answer = await service.post("/LOCAL/permit", { publicKey, quote, deadline });
      const { spender, typedData, ...rest } = Schema.decodeUnknownSync(PermitAnswer)(
        answer.json,
        STRICT,
      );
      expect([rest.kind, routersOf(chain)]).toMatchObject([
        kind,
        kind === "PERMIT2" ? { universalRouter: { address: spender } } : { executor: spender },
      ]);
      const signature = await chain.call("eth_signTypedData_v4", publicKey, typedData);
      const message = typedData!.message as Quote;
      const { nonce, amount = message.value, expiration } = message.details ?? message;
      const permit = {
        ...{ signature, amount, nonce: String(nonce), deadline: String(deadline) },
        ...(expiration !== undefined && { expiration: String(expiration) }),
      };
      const body = { publicKey, quote, deadline, permit };
      const { transactions, simulated } = await built(body);
      expect(simulated).toBe(true);
      expect(transactions.at(-1)!.to).toBe(spender);
      const wrong = { ...permit, signature: `0x${"12".repeat(64)}1b` };
      const refused = await service.post("/LOCAL/swap", { ...body, permit: wrong });
      expect([refused.status, refused.json.code, refused.json.issues]).toMatchObject([
        400,
        "INVALID_REQUEST",
        [{ path: ["permit"] }],
      ]);
      const before = await balanceOf(weth, publicKey);
      for (const transaction of transactions) await send(transaction);
      expect(String((await balanceOf(weth, publicKey)) - before)).toBe(quote.amountOut);
    }
  });

  it("is nothing where nothing is to be signed", async () => {
    const quote = await quoted({
      tokenA: NATIVE,
      tokenB: addressOf("DAI"),
      amountIn: "1000000000",
    });
    const { json } = await service.post("/LOCAL/permit", { publicKey: traderOf(1), quote });
    expect(json).toMatchObject({ kind: "NONE", spender: expect.stringMatching(/^0x/) });
  });
});

describe("a swap that would revert", () => {
  it("is not handed out", async () => {
    // It can be bought, and not sold.
    const quote = await quoted({
      ...{ tokenA: addressOf("HONEY"), tokenB: addressOf("USDC"), amountIn: String(ETHER) },
    });
    const { status, json } = await service.post("/LOCAL/swap", { publicKey: traderOf(1), quote });
    expect([status, json.code]).toEqual([409, "PRICE_MOVED"]);
    expect(json.detail).toContain("reverts");
  });

  it("is handed out untested, in bounded time, with all approvals, where no node answers", async () => {
    const [usdc, dai] = [addressOf("USDC"), addressOf("DAI")];
    const amountIn = String(10n ** 6n);
    const quote = await quoted({ tokenA: usdc, tokenB: dai, amountIn, dexId: "UNISWAP_V3" });
    proxy.silent.add("eth_call");
    try {
      const { transactions, simulated } = await built({ publicKey: traderOf(1), quote });
      expect([transactions.length, simulated]).toEqual([3, false]);
      const permit = await service.post("/LOCAL/permit", { publicKey: traderOf(1), quote });
      expect([permit.status, permit.json.code]).toEqual([503, "NOT_READY"]);
    } finally {
      proxy.silent.clear();
    }
  });
});

it("a router whose code is not what it should be is left out, and the refusal says so", async () => {
  const { wrappedNative, contracts } = chain.devnet;
  const routers = {
    executor: contracts.swapRouter02,
    universalRouter: { ...routersOf(chain).universalRouter, address: PARTNER },
  };
  const other = await serving({ routers });
  try {
    await eventually(async () => {
      const { text } = await other.get("/metrics");
      return /router="executor"} 0/.test(text) && /router="universalRouter"} 0/.test(text);
    });
    const ask = { tokenA: NATIVE, tokenB: addressOf("DAI"), amountIn: String(ETHER) };
    const quote = await quoted(ask, other);
    const detail = () =>
      other
        .post("/LOCAL/swap", { publicKey: traderOf(1), quote })
        .then(({ status, json }) => `${status} ${json.code}: ${json.detail}`);
    await eventually(async () => !(await detail()).includes("not been checked"));
    const words = await detail();
    expect(words).toMatch(/^422 NO_ROUTER: /);
    expect(words).toContain(`the contract at ${contracts.swapRouter02} is another one`);
    expect(words).toContain(`there is no contract at ${PARTNER}`);
    // The wrapped native token needs neither.
    const wrap = await quoted({ tokenA: NATIVE, tokenB: wrappedNative, amountIn: "5" }, other);
    expect((await built({ publicKey: traderOf(1), quote: wrap }, other)).transactions).toHaveLength(
      1,
    );
  } finally {
    await other.stop();
  }
});
