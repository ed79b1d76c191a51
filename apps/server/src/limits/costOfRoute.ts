import type { AnswerCost } from "./AnswerCost.ts";
import { COSTS, costOfBytes } from "./costs.ts";

/** Lists by route pattern: the cost of making one, and the bytes of an entry, about. */
const LISTS: ReadonlyMap<string, { readonly cost: number; readonly entryBytes: number }> = new Map([
  ["/tokens", { cost: COSTS.tokens, entryBytes: 400 }],
  ["/tokens/search/:query", { cost: COSTS.search, entryBytes: 400 }],
  ["/pools", { cost: COSTS.pools, entryBytes: 500 }],
]);
/** Other routes that cost more than a read, by pattern. */
const MORE: ReadonlyMap<string, number> = new Map([
  ["/metrics", COSTS.metrics],
  ["/:network/wallet", COSTS.nodes],
]);
/** The `limit` of a query, its default and its maximum. */
const LIMIT = /[?&]limit=(\d{1,3})(?:&|$)/u;
const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

/**
 * The cost of a request over Effect's router before it is answered, by route pattern and query; an
 * "unknown" route costs, too.
 */
export function costOfRead(pattern: string, query: string): number {
  const list = LISTS.get(pattern);
  if (list === undefined) return costOf(pattern, 0, 0);
  const limit = Number(LIMIT.exec(query)?.[1] ?? LIMIT_DEFAULT);
  const bytes = list.entryBytes * Math.min(limit, LIMIT_MAX);
  return costOf(pattern, bytes, bytes);
}

/** The final cost of an answer, with so many bytes sent. */
export const costOfAnswer = (
  pattern: string,
  sent: number,
  { madeBytes = sent, bodyUnits = 0 }: AnswerCost,
): number => costOf(pattern, madeBytes, sent) + bodyUnits;

function costOf(pattern: string, made: number, sent: number): number {
  if (isHealth(pattern)) return 0;
  const list = made > 0 ? (LISTS.get(pattern)?.cost ?? 0) : 0;
  return COSTS.read + list + (MORE.get(pattern) ?? 0) + costOfBytes(made, sent);
}

/** Whether the handler of a route charges and counts by itself, like a direct route. */
export const chargesItself = (pattern: string): boolean => CHARGED_BY_HANDLERS.has(pattern);

/** Routes for operators only. */
export const isOfOperators = (pattern: string): boolean =>
  pattern === "/metrics" || isHealth(pattern);

/** Health is always answered: it is never limited, and never shed. */
export const isHealth = (pattern: string): boolean => HEALTH.test(pattern);

const HEALTH = /^\/health\/(live|ready(\/:network)?)$/;

const CHARGED_BY_HANDLERS = new Set(["/:network/quote", "/:network/swap", "/:network/permit"]);
