import type { ServerConfig } from "../config/ServerConfig.ts";
import type { BucketTimes } from "./BucketTimes.ts";
import { SharedTimes } from "./SharedTimes.ts";

/** Clients whose budgets are remembered: two megabytes. */
const NAMES_MAX = 131_072;

/** The memory of all budgets that threads share; it can be posted. */
export interface SharedBudgets {
  readonly addresses: SharedArrayBuffer;
  readonly sites: SharedArrayBuffer;
  /** One for each key, in the order of the configuration. */
  readonly keys: ReadonlyArray<SharedArrayBuffer>;
}

/** Where bucket times are kept; undefined: in the thread itself. */
export interface BudgetTimes {
  readonly addresses: () => BucketTimes | undefined;
  readonly sites: () => BucketTimes | undefined;
  /** Called once for each key, in their order. */
  readonly key: () => BucketTimes | undefined;
  /** Milliseconds of a clock that never goes back, the same in all threads. */
  readonly nowMs: () => number;
}

export const allocateBudgets = ({ address, keys }: ServerConfig["limits"]): SharedBudgets => {
  const namesMax = address === undefined ? 0 : NAMES_MAX;
  return {
    addresses: SharedTimes.allocate(namesMax),
    sites: SharedTimes.allocate(namesMax),
    keys: keys.map(() => SharedTimes.allocate(0)),
  };
};

export const LOCAL_BUDGETS: BudgetTimes = {
  addresses: () => undefined,
  sites: () => undefined,
  key: () => undefined,
  nowMs: () => performance.now(),
};

/** The times of budgets that threads share. */
export function sharedTimes({ addresses, sites, keys }: SharedBudgets): BudgetTimes {
  const rest = [...keys];
  // The clock of each thread begins with the thread.
  const sinceMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return {
    addresses: () => new SharedTimes(addresses),
    sites: () => new SharedTimes(sites),
    key: () => new SharedTimes(rest.shift()!),
    nowMs: () => sinceMs + performance.now(),
  };
}
