import { readTrades, type Trade } from "../market.ts";

/** One way to hurt other clients: how the client asks, and its requests, a line each. */
interface HostileRequests {
  readonly name: string;
  readonly kind: "asking" | "flood" | "slow" | "ladders";
  readonly lines: ReadonlyArray<string>;
}

const TRADES = 100;
const AMOUNTS = 16;
const ASSUMED_MAX = 255;

/** Every kind that was found to hurt other clients. */
export function hostileRequests(): ReadonlyArray<HostileRequests> {
  const trades = readTrades(TRADES);
  const quotes = (more: object) =>
    trades.map((trade) => `POST /ETH/quote ${JSON.stringify({ ...quoteOf(trade), ...more })}`);
  const removed = Array.from({ length: ASSUMED_MAX }, (_, index) => ({
    removePool: `0x${(index + 1).toString(16).padStart(40, "0")}`,
  }));
  const asking = { kind: "asking" } as const;
  return [
    {
      name: "ladders",
      kind: "ladders",
      lines: trades.map((trade) => `POST /ws ${heavyQuote(trade, AMOUNTS)}`),
    },
    { ...asking, name: "assume", lines: quotes({ assume: removed }) },
    { ...asking, name: "explain", lines: quotes({ explain: true, maxSplits: 8, maxHops: 4 }) },
    { ...asking, name: "splits", lines: quotes({ maxSplits: 64, maxHops: 4 }) },
    { ...asking, name: "tokens", lines: ["GET /tokens?limit=500"] },
    { ...asking, name: "metrics", lines: ["GET /metrics"] },
    {
      kind: "flood",
      name: "pipelined",
      lines: trades.map(({ tokenIn }) => `GET /tokens/${tokenIn}`),
    },
    { name: "slow-reader", kind: "slow", lines: ["GET /tokens?limit=500"] },
    { ...asking, name: "refused", lines: ["POST /ETH/quote {", "GET /nowhere"] },
  ];
}

/** A subscription to quotes of many paths, for `amounts` amounts. */
export const heavyQuote = (trade: Trade, amounts: number): string =>
  JSON.stringify({
    ...{ op: "subscribe", id: 0, channel: "quote", network: "ETH" },
    ...{ tokenA: trade.tokenIn, tokenB: trade.tokenOut, maxSplits: 64, maxHops: 4 },
    amounts: Array.from({ length: amounts }, (_, index) => String(trade.amountIn + BigInt(index))),
  });

const quoteOf = ({ tokenIn, tokenOut, amountIn }: Trade) => ({
  tokenA: tokenIn,
  tokenB: tokenOut,
  amountIn: String(amountIn),
});
