import { eventually } from "@millrace/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserOptional, missingBrowser, openBrowser } from "./kit/browser.ts";
import { openPage, type WatchedPage } from "./kit/openPage.ts";
import { type ServedPage, servePage } from "./kit/servedPage.ts";
import { transferred } from "./kit/transferred.ts";

let service: ServedPage;
let browser: Browser;

describe.skipIf(missingBrowser !== undefined && isBrowserOptional)("executing a quote", () => {
  beforeAll(async () => {
    // Nobody else trades: what was shown has to come, to the smallest unit.
    [service, browser] = await Promise.all([servePage({ blockEveryMs: 3_600_000 }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it("quotes, signs, and shows what came, which is what the chain says", async () => {
    const { page, complaints, close } = await openQuote();
    const quoted = BigInt(
      (await page.locator("[data-amount-out]").getAttribute("data-amount-out"))!,
    );
    await review(page);
    expect(await decodedField(page, "To")).toMatch(/^0x[0-9a-fA-F]{40}$/u);
    expect(await decodedField(page, "Partner's fee")).toBe("none");
    expect(await decodedField(page, "At least")).toMatch(/^[\d,.]+ USDC$/u);
    expect(await decodedField(page, "Good until")).toMatch(/\d:\d\d/u);
    await page.getByRole("button", { name: "Sign and send" }).click();
    const received = page.locator("[data-received]");
    await received.waitFor();
    const amount = BigInt((await received.getAttribute("data-received"))!);
    expect(amount).toBe(quoted);
    await page.waitForSelector("text=none, to the smallest unit");
    const hash = await page.locator(".swap dd code").last().textContent();
    expect(amount).toBe(await transferred(service, hash!));
    expect(complaints).toEqual([]);
    await close();
  });

  it.each([
    [
      "another recipient",
      "It pays somebody else",
      async ({ data, from }: Transaction) =>
        data.replaceAll(from.slice(2).toLowerCase(), NOBODY.slice(2)),
    ],
    [
      "another token",
      "It swaps other tokens than are shown",
      async ({ data }: Transaction) =>
        data.replaceAll((await service.tokenOf("USDC")).slice(2).toLowerCase(), NOBODY.slice(2)),
    ],
    [
      "a larger allowance",
      "It allows more than the swap needs, or somebody else",
      async ({ data }: Transaction) =>
        data.startsWith(APPROVE) ? `${data.slice(0, 10 + 64)}${"f".repeat(64)}` : data,
    ],
    [
      "another spender",
      "It allows more than the swap needs, or somebody else",
      async ({ data }: Transaction) =>
        data.startsWith(APPROVE)
          ? `${APPROVE}${NOBODY.slice(2).padStart(64, "0")}${data.slice(10 + 64)}`
          : data,
    ],
  ])("lets nobody sign bytes with %s", async (_, doubt, dataOf) => {
    const { page, complaints, close } = await openQuote();
    await changing(page, (all) =>
      Promise.all(all.map(async (one) => ({ ...one, data: await dataOf(one) }))),
    );
    await review(page);
    await page.waitForSelector(`text=${doubt}`);
    expect(await page.getByRole("button", { name: "Sign and send" }).isEnabled()).toBe(false);
    expect(complaints).toEqual([]);
    await close();
  });

  it("signs a permit in place of an approval, for a token that takes one", async () => {
    const { page, complaints, close } = await openQuote("", ["USDC", "WETH"]);
    const asked = methodsOf(page);
    await review(page);
    expect(asked).toContain("eth_signTypedData_v4");
    expect(await page.locator(".swap ol li").count()).toBe(1);
    await page.getByRole("button", { name: "Sign and send" }).click();
    await page.locator("[data-received]").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("lets nobody sign a transaction beside approvals and the swap", async () => {
    const { page, close } = await openQuote();
    await changing(page, async (all) => {
      const { from } = all[0]!;
      return [{ from, to: NOBODY, data: "0x", value: "1000000000000000000" }, ...all];
    });
    await review(page);
    await page.waitForSelector("text=It does more than to approve what goes in");
    await page.waitForSelector("text=It sends more of the native token than is shown");
    expect(await page.getByRole("button", { name: "Sign and send" }).isEnabled()).toBe(false);
    await close();
  });

  it("has nobody sign a permit that allows something else than the swap needs", async () => {
    const { page, close } = await openQuote();
    const asked = methodsOf(page);
    const verifyingContract = await service.tokenOf("WETH");
    const message = {
      spender: `0x${"9".repeat(40)}`,
      value: "1",
      nonce: "0",
      deadline: "9999999999",
    };
    const typedData = {
      domain: { chainId: 1, verifyingContract },
      ...{ types: {}, primaryType: "Permit", message },
    };
    await page.route(/\/ETH\/permit$/u, (route) =>
      route.fulfill({ json: { kind: "EIP-2612", spender: message.spender, typedData } }),
    );
    await connect(page);
    await page.getByRole("button", { name: /^Review the swap/u }).click();
    await page.waitForSelector("text=asks for a signature that allows something else");
    expect(asked).not.toContain("eth_signTypedData_v4");
    await close();
  });

  it("sends nothing by a wallet that has left the chain since it was looked at", async () => {
    const { page, close } = await openQuote();
    await review(page);
    await answering(page, "eth_chainId", undefined, "0x1");
    const asked = methodsOf(page);
    await page.getByRole("button", { name: "Sign and send" }).click();
    await page.waitForSelector(".swap .notice.failure");
    expect(asked).toContain("eth_chainId");
    expect(asked).not.toContain("eth_sendTransaction");
    await close();
  });

  it("waits for what was sent, and never sends it again", async () => {
    const { page, close } = await openQuote();
    await review(page);
    const count = await page.locator(".swap ol li").count();
    let [sent, lost] = [0, 0];
    let isAway = true;
    await page.route(/\/ETH\/wallet$/u, async (route) => {
      const { id, method } = route.request().postDataJSON() as Call;
      if (method === "eth_sendTransaction") sent++;
      const isLost = isAway && sent === count && method === "eth_getTransactionReceipt";
      if (!isLost) return route.continue();
      lost++;
      const error = { code: -32_603, message: "The node is away" };
      await route.fulfill({ json: { jsonrpc: "2.0", id, error } });
    });
    await page.clock.install();
    await page.getByRole("button", { name: "Sign and send" }).click();
    await eventually(() => lost > 0);
    await page.clock.fastForward(300_000);
    await page.waitForSelector("text=is not mined yet");
    isAway = false;
    await page.getByRole("button", { name: "Look for it again" }).click();
    await page.locator("[data-received]").waitFor();
    expect(sent).toBe(count);
    await close();
  });

  it("says that it was rejected in the wallet", async () => {
    const { page, close } = await openQuote();
    await answering(page, "eth_sendTransaction", { code: 4001, message: "User rejected" });
    await review(page);
    await page.getByRole("button", { name: "Sign and send" }).click();
    await page.waitForSelector("text=You rejected it in the wallet");
    await close();
  });

  it("says that the price has moved, where the service does", async () => {
    const { page, close } = await openQuote();
    await page.route(/\/ETH\/(swap|permit)$/u, (route) =>
      route.fulfill({
        status: 409,
        contentType: "application/problem+json",
        json: {
          ...{ type: "/docs#PRICE_MOVED", title: "Price moved", status: 409, code: "PRICE_MOVED" },
          detail: "The route gives less than the slippage allows",
        },
      }),
    );
    await connect(page);
    await page.getByRole("button", { name: /^Review the swap/u }).click();
    await page.waitForSelector("text=gives less than the slippage allows");
    await close();
  });

  it("tells of a wallet that stays on another chain", async () => {
    const { page, close } = await openQuote();
    await answering(page, "eth_chainId", undefined, "0x1");
    await page.getByRole("button", { name: "Connect Devnet wallet" }).click();
    await page.waitForSelector(".swap .notice.failure");
    await close();
  });

  it("asks for a second look at what no node has simulated", async () => {
    const { page, close } = await openQuote();
    await page.route(/\/ETH\/swap$/u, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as object;
      await route.fulfill({ response, json: { ...answer, simulated: false } });
    });
    await review(page);
    await page.waitForSelector("text=No node has simulated it");
    expect(await page.getByRole("button", { name: "Sign and send" }).count()).toBe(0);
    await page.getByRole("button", { name: "I have looked at it" }).click();
    await page.getByRole("button", { name: "Sign and send" }).waitFor();
    await close();
  });

  it("finds wallets that announce themselves, whose names do nothing", async () => {
    const { page, complaints, close } = await openQuote(
      `addEventListener("eip6963:requestProvider", () => {
        const info = { uuid: "1", name: "<b>Mallory</b>".repeat(99), icon: "javascript:0", rdns: "m" };
        const detail = { info, provider: { request: async () => [] } };
        dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
        dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: null }));
      });`,
    );
    const wallet = page.getByRole("button", { name: /Connect <b>Mallory/u });
    await wallet.click();
    await page.waitForSelector("text=The wallet gave no account");
    expect(await page.locator(".swap b").count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});

interface Transaction {
  readonly data: string;
  readonly from: string;
}
interface SwapAnswer {
  readonly transactions: ReadonlyArray<Transaction>;
}
const NOBODY = `0x${"9".repeat(40)}`;
/** approve(address,uint256) */
const APPROVE = "0x095ea7b3";

/** Has the service answer with other transactions than it would. */
async function changing(
  page: Page,
  change: (all: ReadonlyArray<Transaction>) => Promise<ReadonlyArray<Transaction>>,
): Promise<void> {
  await page.route(/\/ETH\/swap$/u, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as SwapAnswer;
    const transactions = await change(answer.transactions);
    expect(transactions).not.toEqual(answer.transactions);
    await route.fulfill({ response, json: { ...answer, transactions } });
  });
}

/** Facts of the review, by their names. */
const decodedField = (page: Page, name: string): Promise<string | null> =>
  page.locator(`.swap dt:text-is("${name}") + dd`).textContent();

/** A quote of two plain tokens, drawn. */
async function openQuote(
  script = "",
  symbols: readonly [string, string] = ["WETH", "USDC"],
): Promise<WatchedPage> {
  const opened = await openPage(browser);
  await opened.page.addInitScript(script);
  const query = new URLSearchParams({
    ...{
      tokenIn: await service.tokenOf(symbols[0]),
      tokenOut: await service.tokenOf(symbols[1]),
      amount: "0.5",
    },
  });
  await opened.page.goto(`${service.url}/app/ETH/quote?${query}`);
  await opened.page.waitForSelector(".route path");
  return opened;
}

async function connect(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Connect Devnet wallet" }).click();
  await page.getByRole("button", { name: /^Review the swap/u }).waitFor();
}

async function review(page: Page): Promise<void> {
  await connect(page);
  await eventually(async () => {
    // A block may come between the quote and the look at it.
    await page.getByRole("button", { name: /^Review the swap/u }).click();
    const outcome = page.locator("#review, .swap .notice.failure");
    await outcome.first().waitFor();
    return (await page.locator("#review").count()) > 0;
  });
}

interface Call {
  readonly id: number;
  readonly method: string;
}

/** What the wallet is asked from now on, as it comes. */
function methodsOf(page: Page): ReadonlyArray<string> {
  const methods: string[] = [];
  page.on("request", (request) => {
    if (!request.url().endsWith("/ETH/wallet")) return;
    methods.push((request.postDataJSON() as Call).method);
  });
  return methods;
}

/** Has the wallet answer a method otherwise than it would. */
async function answering(
  page: Page,
  method: string,
  error: object | undefined,
  result?: unknown,
): Promise<void> {
  await page.route(/\/ETH\/wallet$/u, async (route) => {
    const call = route.request().postDataJSON() as Call;
    if (call.method !== method) return route.continue();
    const answer = error === undefined ? { result } : { error };
    await route.fulfill({ json: { jsonrpc: "2.0", id: call.id, ...answer } });
  });
}
