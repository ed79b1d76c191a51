import type { PoolFamily, PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";
import type { AnchorToken } from "./settlePrices.ts";
import { UNSETTLED } from "./TokenPrices.ts";

/** A served price that differs from the one that a slow computation finds. */
export interface PriceDisagreement {
  readonly token: TokenIndex;
  /** US dollars of one whole token. */
  readonly servedUsd: number;
  readonly auditedUsd: number;
}

interface AuditSource {
  readonly graph: PoolGraph;
  readonly familyOf: (pool: PoolIndex) => PoolFamily;
  readonly anchors: ReadonlyArray<AnchorToken>;
  readonly depthFloorUsd: number;
  /** Place in the order of settling, or UNSETTLED. Index: token. */
  readonly settledAt: Int32Array;
  /** The price that readers get, of one whole token. */
  readonly servedUsd: (token: TokenIndex) => number;
}

const MOVED_PRICE = 0.98;
const PRICE_USD_MAX = 1e15;
const PASSED_ON = 0.9;
/** Relative error of floats that are added in another order. */
const TOLERANCE = 1e-9;
/**
 * At most this many tokens are audited together, with everything they depend on; the rest is left
 * out.
 */
const TOKENS_MAX = 10_000;

/** What one pool says about a token. */
interface Report {
  readonly from: number;
  readonly pool: PoolIndex;
  readonly unitPriceUsd: number;
  readonly weight: number;
}

/** A token as it was audited. */
interface Audited {
  readonly unitPriceUsd: number;
  readonly widthUsd: number;
  readonly widestFrom: number;
}

/**
 * Works out prices of tokens once more, and of all tokens that they depend on, from the pools as
 * the graph has them now; gives those that differ from what readers get.
 *
 * It shares no code of this package with what it audits, and of its kept state only the order of
 * settling. So it finds values that were kept too long, missed, or worked out wrongly on the way
 * from the pools to the price. It cannot find errors in what both use: a graph that differs from
 * the chain, a family's mid price or depth, the configured anchors, an order of settling that is
 * not this block's. It checks only the price of the answer.
 *
 * The served and the audited price are of the same block and order at any time, even while a pass
 * is under way: so a disagreement is a fault, never a matter of timing.
 */
export function auditPrices(
  source: AuditSource,
  tokens: ReadonlyArray<TokenIndex>,
): PriceDisagreement[] {
  const { graph, settledAt } = source;
  const anchorsUsd = new Map(source.anchors.map(({ token, priceUsd }) => [token, priceUsd]));
  const positionOf = (of: number): number => {
    const position = settledAt[of] ?? UNSETTLED;
    return position === UNSETTLED ? Number.POSITIVE_INFINITY : position;
  };
  const audited = new Map<number, Audited>();
  const disagreements: PriceDisagreement[] = [];
  // By token: its slots whose neighbours precede it in the order.
  const slotsBefore = new Map<number, number[]>();
  for (const token of tokens) collect(token);
  const byPosition = [...slotsBefore.keys()].sort((a, b) => positionOf(a) - positionOf(b));
  for (const token of byPosition) audit(token);
  return disagreements;

  /** Finds everything that a token depends on, step by step. */
  function collect(token: number): void {
    const found = new Set([token]);
    const added: number[] = [];
    for (const each of found) {
      if (slotsBefore.has(each)) continue;
      if (slotsBefore.size >= TOKENS_MAX) {
        for (const other of added) slotsBefore.delete(other);
        return;
      }
      const slots: number[] = [];
      slotsBefore.set(each, slots);
      added.push(each);
      if (anchorsUsd.has(each)) continue;
      for (let slot = graph.slotStart[each]!; slot < graph.slotEnd[each]!; slot++) {
        const neighbour = graph.slotNeighbour[slot]!;
        if (!(positionOf(neighbour) < positionOf(each))) continue;
        slots.push(slot);
        found.add(neighbour);
      }
    }
  }

  function audit(each: number): void {
    const scale = 10 ** graph.tokenDecimals[each]!;
    const servedUsd = source.servedUsd(each as TokenIndex);
    const anchorUsd = anchorsUsd.get(each);
    const said = anchorUsd === undefined ? reportsOf(each) : [];
    const isAnchor = anchorUsd !== undefined;
    const widthUsd = isAnchor
      ? Number.POSITIVE_INFINITY
      : said.reduce((widest, { weight }) => Math.max(widest, weight), 0);
    const reports = said.filter(({ from }) => PASSED_ON * audited.get(from)!.widthUsd >= widthUsd);
    const [low, high] =
      anchorUsd === undefined
        ? medians(shared(ofPools(reports)))
        : [anchorUsd / scale, anchorUsd / scale];
    const isWithin =
      servedUsd >= low * scale * (1 - TOLERANCE) && servedUsd <= high * scale * (1 + TOLERANCE);
    if (!isWithin) {
      disagreements.push({ token: each as TokenIndex, servedUsd, auditedUsd: low * scale });
    }
    // Where two prices are equally good, later tokens go by the one that was served.
    const unitPriceUsd = isWithin ? servedUsd / scale : low;
    const widest = reports
      .filter(({ weight }) => weight === widthUsd)
      .sort((a, b) => positionOf(a.from) - positionOf(b.from))[0];
    audited.set(each, { unitPriceUsd, widthUsd, widestFrom: widest?.from ?? UNSETTLED });
  }

  function reportsOf(each: number): Report[] {
    const reports: Report[] = [];
    for (const slot of slotsBefore.get(each)!) {
      const from = graph.slotNeighbour[slot]!;
      const before = audited.get(from)!;
      const pool = graph.slotPool[slot]! as PoolIndex;
      const own = graph.poolPosition(pool, each as TokenIndex);
      const other = graph.poolPosition(pool, from as TokenIndex);
      const family = source.familyOf(pool);
      const price = family.midPrice(pool, own, other);
      const comesOut = family.depth(pool, own, other) * price * MOVED_PRICE;
      const depthUsd = Math.min(family.depth(pool, other, own), comesOut) * before.unitPriceUsd;
      const unitPriceUsd = price * before.unitPriceUsd;
      const priceUsd = unitPriceUsd * 10 ** graph.tokenDecimals[each]!;
      const isPrice = priceUsd > 0 && priceUsd <= PRICE_USD_MAX && price < Number.POSITIVE_INFINITY;
      const weight = Math.min(depthUsd, PASSED_ON * before.widthUsd);
      if (!isPrice || !(weight > 0) || !(weight >= source.depthFloorUsd)) continue;
      reports.push({ from, pool, unitPriceUsd, weight });
    }
    return reports;
  }

  /**
   * Reports with lowered weights, so that those through each token weigh no more together than its
   * width.
   */
  function shared(reports: ReadonlyArray<Report>): Report[] {
    const pathOf = (from: number): number[] => {
      const path: number[] = [];
      for (let at = from; at !== UNSETTLED; at = audited.get(at)!.widestFrom) path.push(at);
      return path;
    };
    const inflows = new Map<number, number>();
    for (const { from, weight } of reports) {
      for (const at of pathOf(from)) inflows.set(at, inflows.get(at) ?? 0);
      inflows.set(from, inflows.get(from)! + weight);
    }
    for (const at of [...inflows.keys()].sort((a, b) => positionOf(b) - positionOf(a))) {
      const { widthUsd, widestFrom } = audited.get(at)!;
      if (widestFrom === UNSETTLED) continue;
      inflows.set(widestFrom, inflows.get(widestFrom)! + Math.min(inflows.get(at)!, widthUsd));
    }
    return reports.map((report) => {
      let { weight } = report;
      for (const at of pathOf(report.from)) {
        weight *= Math.min(1, audited.get(at)!.widthUsd / inflows.get(at)!);
      }
      return { ...report, weight };
    });
  }
}

/**
 * Reports with lowered weights, so that those of one pool weigh no more together than its
 * weightiest.
 */
function ofPools(reports: ReadonlyArray<Report>): Report[] {
  return [...Map.groupBy(reports, ({ pool }) => pool).values()].flatMap((said) => {
    const all = said.reduce((sum, { weight }) => sum + weight, 0);
    const most = Math.max(...said.map(({ weight }) => weight));
    return said.map((report) => ({ ...report, weight: (report.weight * most) / all }));
  });
}

/** The lowest and the highest price that can count as the weighted median, within the tolerance. */
function medians(reports: ReadonlyArray<Report>): [low: number, high: number] {
  const ascending = [...reports].sort((a, b) => a.unitPriceUsd - b.unitPriceUsd);
  const total = ascending.reduce((sum, { weight }) => sum + weight, 0);
  const reaching = (weight: number): number => {
    let below = 0;
    const reached = ascending.find((report) => {
      below += report.weight;
      return below >= weight;
    });
    return (reached ?? ascending.at(-1))?.unitPriceUsd ?? 0;
  };
  return [reaching((total / 2) * (1 - TOLERANCE)), reaching((total / 2) * (1 + TOLERANCE))];
}
