import type { Address } from "@millrace/core";
import type { PoolFlow } from "./PoolFlow.ts";
import type { SavedActivity } from "./savedActivity.ts";
import { VALUES_A_DOLLAR, WINDOWS, type WindowName } from "./TradedBlock.ts";
import { LONGEST_WINDOW_STEPS, stepOf, WINDOW_STEPS } from "./windowSteps.ts";

/** A window that differs from a recount of the same swaps. */
export interface WindowDisagreement {
  readonly kind: "pool" | "token";
  readonly address: Address;
  readonly window: WindowName;
  readonly field: keyof Recount;
  /** What the recount is based on. */
  readonly against: "entries" | "trades";
  readonly served: number;
  readonly recounted: number;
}

interface Recount {
  value: number;
  transactions: number;
  buys: number;
  sells: number;
}

interface Subject {
  readonly kind: "pool" | "token";
  readonly number: number;
  // Index: window.
  readonly entries: Recount[];
  readonly trades: Recount[];
  readonly transactions: Array<Set<string>>;
}

/**
 * Recounts the windows of random subjects: from the entries of the ring over time, and, for windows
 * that the list of trades covers, from the trades themselves. Its time grows with the entries: a
 * few milliseconds for a million.
 */
export function auditWindows(activity: SavedActivity, count: number): WindowDisagreement[] {
  const audited = pick(activity, count);
  if (audited.length === 0) return [];
  countEntries(activity, audited);
  const covered = countTrades(activity, audited);
  return audited.flatMap((subject) => [
    ...compare(activity, subject, "entries", WINDOW_STEPS.length),
    ...compare(activity, subject, "trades", covered),
  ]);
}

function pick({ subjects }: SavedActivity, count: number): Subject[] {
  const picked = new Map<string, Subject>();
  for (const kind of ["pool", "token"] as const) {
    const known = kind === "pool" ? subjects.pools.count : subjects.tokens.count;
    for (let left = Math.min(count, known); left > 0; left--) {
      const number = Math.floor(Math.random() * known);
      picked.set(`${kind} ${number}`, {
        kind,
        number,
        entries: WINDOWS.map(nothing),
        trades: WINDOWS.map(nothing),
        transactions: WINDOWS.map(() => new Set<string>()),
      });
    }
  }
  return [...picked.values()];
}

function nothing(): Recount {
  return { value: 0, transactions: 0, buys: 0, sells: 0 };
}

function countEntries({ windows }: SavedActivity, audited: ReadonlyArray<Subject>): void {
  const { end } = windows;
  windows.visit(end - LONGEST_WINDOW_STEPS + 1, (step, flow) => {
    for (const subject of audited) {
      const counted = partOf(subject, flow);
      if (counted === undefined) continue;
      for (let window = 0; window < WINDOW_STEPS.length; window++) {
        if (end - step < WINDOW_STEPS[window]!) add(subject.entries[window]!, counted);
      }
    }
  });
}

/** The part of a flow that concerns a subject. */
function partOf({ kind, number }: Subject, flow: PoolFlow): Recount | undefined {
  const { value, buys, sells } = flow;
  if (kind === "pool") {
    return flow.pool === number
      ? { value, buys, sells, transactions: flow.transactions }
      : undefined;
  }
  if (flow.token0 === number) return { value, buys, sells, transactions: flow.token0Transactions };
  if (flow.token1 !== number) return undefined;
  return { value, buys: sells, sells: buys, transactions: flow.token1Transactions };
}

/** Counts the trades; gives how many windows, the shortest first, they cover. */
function countTrades(
  { windows, trades, subjects }: SavedActivity,
  audited: ReadonlyArray<Subject>,
): number {
  const { end } = windows;
  const { floor } = trades;
  const floorAge = floor === undefined ? Number.POSITIVE_INFINITY : end - stepOf(floor.timestampMs);
  const covered = WINDOW_STEPS.filter((steps) => floorAge >= steps).length;
  for (const trade of trades.all()) {
    const age = end - stepOf(trade.stamp.timestampMs);
    if (age < 0) continue;
    const isToken0Out = subjects.tokens.isBefore(trade.tokenOut, trade.tokenIn);
    for (const { kind, number, trades: recounts, transactions } of audited) {
      const isOf =
        kind === "pool"
          ? trade.pool === number
          : trade.tokenIn === number || trade.tokenOut === number;
      if (!isOf) continue;
      const isBuy = kind === "pool" ? isToken0Out : trade.tokenOut === number;
      for (let window = 0; window < covered; window++) {
        if (age >= WINDOW_STEPS[window]!) continue;
        const hashes = transactions[window]!.add(trade.transactionHash);
        const recount = recounts[window]!;
        recount.value += trade.value;
        recount.transactions = hashes.size;
        if (isBuy) recount.buys++;
        else recount.sells++;
      }
    }
  }
  return covered;
}

function add(sum: Recount, part: Recount): void {
  sum.value += part.value;
  sum.transactions += part.transactions;
  sum.buys += part.buys;
  sum.sells += part.sells;
}

function compare(
  { windows, subjects }: SavedActivity,
  subject: Subject,
  against: "entries" | "trades",
  windowCount: number,
): WindowDisagreement[] {
  const { kind, number } = subject;
  const totals = kind === "pool" ? windows.pools : windows.tokens;
  const addresses = kind === "pool" ? subjects.pools : subjects.tokens;
  const disagreements: WindowDisagreement[] = [];
  for (let window = 0; window < windowCount; window++) {
    const { volumeUsd, ...counts } = totals.sums(number, window);
    const served: Recount = { value: Math.round(volumeUsd * VALUES_A_DOLLAR), ...counts };
    const recount = subject[against][window]!;
    for (const field of ["value", "transactions", "buys", "sells"] as const) {
      if (served[field] === recount[field]) continue;
      disagreements.push({
        kind,
        address: addresses.addressOf(number),
        window: WINDOWS[window]!.name,
        field,
        against,
        served: served[field],
        recounted: recount[field],
      });
    }
  }
  return disagreements;
}
