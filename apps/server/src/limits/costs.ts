import {
  assumedStepCount,
  mostPathsOf,
  type QuoteRequestJson,
  type TopicRequest,
} from "@millrace/api";

/**
 * Costs in units of a budget: processor time, where a plain quote takes 10. The benchmark `costs`
 * compares; docs/limits-and-overload.md has the same table.
 */
export const COSTS = {
  /** GET /tokens/:address in its usual form, the most frequent request. */
  token: 4,
  /** Any other read; opening a WebSocket. */
  read: 10,
  /** A page of /tokens, a page of /pools, and a search, where they are made; beside the read. */
  tokens: 40,
  pools: 80,
  search: 15,
  /** A search for cycles, where it is made; beside the read. */
  cycles: 1_000,
  /** /metrics, beside the read. */
  metrics: 40,
  /** Each KiB of text that is made for an answer; and each KiB that is sent. */
  madeKiB: 4,
  sentKiB: 0.1,
  /** Each KiB of a body. */
  bodyKiB: 0.2,
  quote: 10,
  /** Instead of `quote`, where several paths are allowed; and each of these paths. */
  splits: 25,
  path: 1.25,
  /** `certify`, beside the quote. */
  certify: 20,
  /** `explain`, beside the quote; twice that for several paths. */
  explain: 25,
  /** `assume`, and each of its steps. */
  assume: 10,
  assumedStep: 0.4,
  /** Factors for paths of four pools, and for cycles of four pools. */
  fourHops: 2,
  fourHopCycles: 4,
  /** A swap, or a permit; and asking nodes, as requests of wallets do. */
  swap: 15,
  nodes: 45,
  /** Any operation that subscribes. */
  subscribe: 5,
  /** Each token of `price`. */
  price: 0.15,
  /** Each further size of a ladder, in units of the first. */
  size: 0.5,
} as const;

const KIB = 1_024;
const FOUR_HOPS = 4;

/** The cost of a body, before it is parsed. */
export const costOfBody = (body: string): number => Math.floor((COSTS.bodyKiB * body.length) / KIB);

/** The cost of an answer's text, by the bytes that are made, and sent. */
export const costOfBytes = (made: number, sent: number): number =>
  Math.floor((COSTS.madeKiB * made + COSTS.sentKiB * sent) / KIB);

/** The cost of a quote, without its body. */
export function costOfQuote(request: QuoteRequestJson): number {
  const { maxHops, certify, gapBps, explain, assume } = request;
  const paths = mostPathsOf(request);
  const search =
    (paths > 1 ? COSTS.splits + COSTS.path * paths : COSTS.quote) +
    (certify === true || gapBps !== undefined ? COSTS.certify : 0) +
    (explain === true ? COSTS.explain * (paths > 1 ? 2 : 1) : 0);
  const assumed =
    assume === undefined ? 0 : COSTS.assume + COSTS.assumedStep * assumedStepCount(assume);
  return Math.ceil(search * (maxHops === FOUR_HOPS ? COSTS.fourHops : 1) + assumed);
}

/** The cost of a search for cycles of so many pools. */
export const costOfCycles = (maxHops: number): number =>
  COSTS.cycles * (maxHops === FOUR_HOPS ? COSTS.fourHopCycles : 1);

/** The cost of a quote of so many sizes, each time that a subscription computes it. */
export const costOfSizes = (request: QuoteRequestJson, count: number): number =>
  Math.ceil(costOfQuote(request) * (1 + COSTS.size * (count - 1)));

/** The cost of a subscription, with its first value. */
export function costOfTopic(request: TopicRequest): number {
  if (request.channel === "price") {
    return COSTS.subscribe + Math.floor(COSTS.price * request.tokens.length);
  }
  if (request.channel !== "quote") return COSTS.subscribe;
  return COSTS.subscribe + costOfSizes(request.request, request.amounts?.length ?? 1);
}
