import { RandomSource } from "@millrace/testing";
import type { Page } from "playwright-core";
import { randomPlan } from "./randomPlan.ts";

// What a picture is of has to be the same each time: these are answers for pictures, and no
// market's.

const SYMBOLS = ["WETH", "USDC", "DAI", "WBTC", "LINK", "UNI", "HONEY", "TAX"];
const address = (at: number): string => `0x${String(at).padStart(40, "0")}`;
const BLOCK = { blockNumber: "24000000", blockHash: `0x${"0".repeat(64)}` };
const TIMESTAMP = 1_773_948_443_000;

const NETWORK = {
  ...{ id: "ETH", chainId: 1, name: "Ethereum", primary: true, ready: true, wrappedNative: null },
};

const entries = SYMBOLS.map((symbol, at) => ({
  ...{ address: address(at), symbol, name: `Token ${symbol}`, decimals: 18 },
  contractAddress: address(at),
}));

const safeties = new Map([
  ["HONEY", { verdict: "unsellable", buyTaxBps: 0, sellTaxBps: 10_000, block: "23999000" }],
  ["TAX", { verdict: "taxed", buyTaxBps: 500, sellTaxBps: 500, block: "23999000" }],
]);

const tokens = entries.map(({ contractAddress: _, ...entry }, at) => ({
  ...{ ...entry, chainId: "1" },
  ...{ dexes: ["Uniswap V2", "Uniswap V3"].slice(at % 2), lastUpdated: TIMESTAMP },
  ...{ price: 3_500 / 7 ** at, liquidity: 9e8 / 3 ** at, volume24h: 1e8 / 2 ** at },
  ...{ volume6h: 0, volume1h: 0, volume5m: 0, txns24h: 40 - at, buys24h: 20, sells24h: 20 - at },
  ...(entry.symbol !== "HONEY" && { marketCap: 4e11 / 5 ** at }),
  ...{ priceChange1h: 0.01 * (at - 3), priceChange24h: 0.03 * (4 - at) },
  ...(safeties.has(entry.symbol) && { safety: safeties.get(entry.symbol) }),
}));

function quote(): object {
  const routePlan = randomPlan(new RandomSource(7), 8, address);
  const starts = routePlan.filter(({ tokenA }) => tokenA === address(0));
  const amountIn = starts.reduce((sum, step) => sum + BigInt(step.amountIn), 0n);
  return {
    ...{ tokenA: address(0), tokenB: address(1), amountIn: String(amountIn) },
    ...{ amountOut: "6970991930000000000000000", tokenPrice: "3485.4959", routePlan, dexId: "ALL" },
    ...{ dexFactory: "", isNativeIn: false, isNativeOut: false, ...BLOCK, timestamp: TIMESTAMP },
    ...{ priceImpact: 0.0045, gasEstimate: "1223800", executable: false },
    warnings: [{ code: "TOKEN_TAXED", token: address(7), detail: "sold, 5 % of it is missing" }],
  };
}

/** Has a page ask nobody: all that it asks is answered alike each time. */
export async function answerFixed(page: Page): Promise<void> {
  const answers: ReadonlyArray<readonly [path: RegExp, json: (path: string) => object]> = [
    [/\/networks$/u, () => ({ result: [NETWORK] })],
    [/\/tokenDetails\//u, (path) => ({ result: entries.find(isAt(path)) })],
    [/\/tokens\?/u, () => ({ success: true, data: tokens, pagination: PAGES, filters: {} })],
  ];
  for (const [path, json] of answers) {
    await page.route(path, (route) => route.fulfill({ json: json(route.request().url()) }));
  }
  await page.routeWebSocket(/\/ws$/u, (socket) => {
    const send = (message: object) => socket.send(JSON.stringify(message));
    send({ op: "hello", limits: LIMITS, networks: ["ETH"], sentAt: TIMESTAMP });
    socket.onMessage((text) => {
      const { op, id, channel, amounts } = JSON.parse(String(text)) as Operation;
      if (op !== "subscribe") return;
      const subscription = `s${id}`;
      send({ op: "subscribed", id, subscription, channel });
      if (channel !== "quote" || amounts !== undefined) return;
      const stamp = { ...BLOCK, timestamp: TIMESTAMP, sentAt: TIMESTAMP };
      send({ op: "snapshot", subscription, channel, seq: 0, ...stamp, data: quote() });
    });
  });
}

const isAt =
  (path: string) =>
  (entry: { readonly address: string }): boolean =>
    path.endsWith(entry.address);

const PAGES = { page: 1, limit: 50, total: 8, totalPages: 1, hasNext: false, hasPrev: false };

const LIMITS = {
  ...{ subscriptionsMax: 100, operationsPerSecond: 20, messageBytesMax: 16_384 },
  ...{ bufferedBytesMax: 262_144, heartbeatMs: 3_600_000 },
};

interface Operation {
  readonly op: string;
  readonly id: number;
  readonly channel: string;
  readonly amounts?: unknown;
}
