import type { MESSAGES } from "./messages.ts";
import type { OPERATIONS } from "./operations.ts";

const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const pool = "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc";

const stamp = {
  blockNumber: "24693622",
  blockHash: `0x${"5c".repeat(32)}`,
  timestamp: 1_773_948_443_000,
};
const next = {
  blockNumber: "24693623",
  blockHash: `0x${"7e".repeat(32)}`,
  timestamp: 1_773_948_455_000,
};
const sentAt = 1_773_948_443_812_345;

type OperationExamples = {
  readonly [K in keyof typeof OPERATIONS]: ReadonlyArray<(typeof OPERATIONS)[K]["Encoded"]>;
};

/** One or more examples of each operation that clients send. */
export const OPERATION_EXAMPLES: OperationExamples = {
  price: [
    { op: "subscribe", id: 1, channel: "price", network: "ETH", token: weth },
    { op: "subscribe", id: "prices", channel: "price", network: "ETH", tokens: [weth, usdc] },
  ],
  quote: [
    {
      ...{ op: "subscribe", id: 2, channel: "quote", network: "ETH", tokenA: weth, tokenB: usdc },
      ...{ amountIn: "1000000000000000000", minChangeBps: 5 },
    },
    {
      ...{ op: "subscribe", id: 3, channel: "quote", network: "ETH", tokenA: weth, tokenB: usdc },
      amounts: ["100000000000000000", "1000000000000000000", "10000000000000000000"],
    },
  ],
  pool: [{ op: "subscribe", id: 4, channel: "pool", network: "ETH", pool }],
  block: [{ op: "subscribe", id: 5, channel: "block", network: "ETH" }],
  trades: [
    { op: "subscribe", id: 9, channel: "trades", network: "ETH", token: weth },
    { op: "subscribe", id: 10, channel: "trades", network: "ETH", pool },
  ],
  candles: [
    { op: "subscribe", id: 11, channel: "candles", network: "ETH", token: weth, interval: "1m" },
    { op: "subscribe", id: 12, channel: "candles", network: "ETH", pool },
  ],
  networks: [{ op: "subscribe", id: 13, channel: "networks", network: "ETH" }],
  unsubscribe: [{ op: "unsubscribe", id: 6, subscription: "s1" }],
  list: [{ op: "list", id: 7 }],
  ping: [{ op: "ping" }, { op: "ping", id: 8 }],
};

type MessageExamples = {
  readonly [K in keyof typeof MESSAGES]: ReadonlyArray<(typeof MESSAGES)[K]["Encoded"]>;
};

/** One or more examples of each message that the server sends. */
export const MESSAGE_EXAMPLES: MessageExamples = {
  hello: [
    {
      op: "hello",
      limits: {
        ...{ subscriptionsMax: 100, operationsPerSecond: 20, messageBytesMax: 16_384 },
        ...{ bufferedBytesMax: 262_144, heartbeatMs: 15_000 },
      },
      networks: ["ETH", "BASE"],
      sentAt,
    },
  ],
  subscribed: [{ op: "subscribed", id: 1, subscription: "s1", channel: "price" }],
  snapshot: [
    {
      ...{ op: "snapshot", subscription: "s1", channel: "price", seq: 0, ...stamp, sentAt },
      data: { token: weth, price: 2135.2, liquidity: 812_345_678.9, volume24h: 98_765_432.1 },
    },
    {
      ...{ op: "snapshot", subscription: "s2", channel: "quote", seq: 0, ...stamp, sentAt },
      data: {
        ...{ type: "/docs#NO_ROUTE", title: "No route", status: 404, code: "NO_ROUTE" },
        detail: "No path of at most 3 allowed pools links the tokens",
      },
    },
  ],
  update: [
    {
      ...{ op: "update", subscription: "s1", seq: 1, ...next, sentAt },
      data: { token: weth, price: 2136.1, liquidity: 812_345_678.9, volume24h: 98_765_432.1 },
    },
    {
      ...{ op: "update", subscription: "s5", seq: 4, reorg: true },
      ...{ ...next, sentAt, data: { ...next, poolsChanged: 37 } },
    },
    {
      ...{ op: "update", subscription: "s9", seq: 2, ...next, sentAt },
      data: [
        {
          ...{ timestamp: 1_773_948_420_000, open: 2135.2, high: 2136.9, low: 2135.1 },
          ...{ close: 2136.1, volume: 184_220.5 },
        },
      ],
    },
    {
      ...{ op: "update", subscription: "s10", seq: 7, ...next, sentAt },
      data: {
        ...{ id: "ETH", ready: false, reason: "the newest block is older than 60000 ms" },
        ...{ ...next, reorganisations: 1 },
      },
    },
  ],
  unsubscribed: [{ op: "unsubscribed", id: 6, subscription: "s1" }],
  subscriptions: [
    {
      ...{ op: "subscriptions", id: 7 },
      subscriptions: [
        {
          ...{ subscription: "s1", channel: "price", network: "ETH", seq: 1 },
          parameters: { token: weth },
        },
      ],
    },
  ],
  pong: [{ op: "pong", id: 8, sentAt }],
  heartbeat: [{ op: "heartbeat", networks: [{ network: "ETH", ...next }], sentAt }],
  closing: [{ op: "closing", reason: "the server is restarting", retryAfterMs: 1_000 }],
  error: [
    {
      ...{ op: "error", id: 1, code: "INVALID_REQUEST", detail: "The operation is malformed" },
      issues: [{ code: "invalid_type", path: ["network"], message: "Required" }],
    },
  ],
};
