import type { AnswerCost } from "./AnswerCost.ts";
import { COSTS, costOfBytes } from "./costs.ts";

/** Lists by their patterns: what making one costs, and bytes of an entry, about. */
const LISTS: ReadonlyMap<string, { readonly cost: number; readonly entryBytes: number }> = new Map([
  ["/tokens", { cost: COSTS.tokens, entryBytes: 400 }],
  ["/tokens/search/:query", { cost: COSTS.search, entryBytes: 400 }],
  ["/pools", { cost: COSTS.pools, entryBytes: 500 }],
]);
/** What else costs more than a read, by its pattern. */
const MORE: ReadonlyMap<string, number> = new Map([
  ["/metrics", COSTS.metrics],
  ["/:network/wallet", COSTS.nodes],
]);
/** What `limit` says, and what it says where it is not there. */
const LIMIT = /[?&]limit=(\d{1,3})(?:&|$)/u;
const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

/**
 * What a request over Effect's router costs before it is answered, by the pattern of its path and
 * what follows that; "unknown" costs too.
 */
export function costOfRead(pattern: string, query: string): number {
  const list = LISTS.get(pattern);
  if (list === undefined) return costOf(pattern, 0, 0);
  const limit = Number(LIMIT.exec(query)?.[1] ?? LIMIT_DEFAULT);
  const bytes = list.entryBytes * Math.min(limit, LIMIT_MAX);
  return costOf(pattern, bytes, bytes);
}

/** What it costs in the end, with so many bytes sent. */
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

/** Whether the handler of a route charges and counts by itself, as a direct route has it. */
export const chargesItself = (pattern: string): boolean => CHARGED_BY_HANDLERS.has(pattern);

/** What only operators want to know. */
export const isOfOperators = (pattern: string): boolean =>
  pattern === "/metrics" || isHealth(pattern);

/** Health is always told: it is never limited, and never shed. */
export const isHealth = (pattern: string): boolean => HEALTH.test(pattern);

const HEALTH = /^\/health\/(live|ready(\/:network)?)$/;

const CHARGED_BY_HANDLERS = new Set(["/:network/quote", "/:network/swap", "/:network/permit"]);
