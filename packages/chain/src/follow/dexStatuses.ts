import type { Address } from "@millrace/core";
import type { DexStatus } from "../ChainStatus.ts";
import type { Admissions } from "./Admissions.ts";
import type { Dexes } from "./Dexes.ts";
import type { Mirror } from "./Mirror.ts";
import { Tally } from "./Tally.ts";

/** What became of the pools of each DEX so far. */
export function dexStatuses(dexes: Dexes, mirror: Mirror, admissions: Admissions): DexStatus[] {
  const dexOf = (pool: Address) => mirror.discovered.get(pool)?.listing.dexId;
  const waiting = new Tally();
  for (const pools of [admissions.waiting, admissions.unseen]) {
    for (const pool of pools) {
      const dexId = dexOf(pool);
      if (dexId !== undefined) waiting.count(dexId, 1);
    }
  }
  // Key: the DEX, then the reason.
  const refused = new Map<string, Tally>();
  const count = (dexId: string, reason: string, by: number) => {
    const reasons = refused.get(dexId) ?? new Tally();
    refused.set(dexId, reasons);
    reasons.count(reason, by);
  };
  for (const { dexId, reason, count: times } of mirror.refusals.counts) count(dexId, reason, times);
  // Refused pools that could have been loaded by their creation.
  const left = new Tally();
  for (const [pool, reason] of admissions.refusals) {
    const dexId = dexOf(pool);
    if (dexId === undefined) continue;
    count(dexId, reason, 1);
    left.count(dexId, 1);
  }
  return dexes.followed.map(({ dex: { id } }) => ({
    dexId: id,
    discoveredPools: mirror.discoveredByDex.of(id),
    loadedPools: mirror.loaded.byDex.of(id),
    waitingPools: waiting.of(id),
    // While a pool is being looked at, it may be counted twice.
    shallowPools: Math.max(
      0,
      mirror.discoveredByDex.of(id) - mirror.loaded.byDex.of(id) - waiting.of(id) - left.of(id),
    ),
    refused: [...(refused.get(id)?.counts ?? [])].map(([reason, times]) => ({
      reason,
      count: times,
    })),
  }));
}
