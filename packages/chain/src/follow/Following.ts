import type { MarketBlock } from "@millrace/core";
import { Effect } from "effect";
import type { ArchiveOptions } from "../ChainOptions.ts";
import type { KnownRange } from "../history/KnownRange.ts";
import type { Admissions } from "./Admissions.ts";
import type { Depths } from "./Depths.ts";
import type { Discovery } from "./Discovery.ts";
import type { BlockFetching } from "./fetchBlocks.ts";
import type { MarketReading } from "./MarketReading.ts";
import type { Mirror } from "./Mirror.ts";
import type { Quoters } from "./Quoters.ts";

/** The state that the loops of one chain source share. */
export interface Following {
  readonly blockTimeMs: number;
  readonly catchUpBlocks: number;
  readonly reading: MarketReading;
  readonly fetching: BlockFetching;
  readonly mirror: Mirror;
  readonly admissions: Admissions;
  readonly depths: Depths;
  readonly quoters: Quoters;
  readonly condition: Condition;
  /** See `ChainOptions`. */
  readonly historyMs: number;
  /** Past blocks whose swaps the reader has from an earlier life. */
  readonly known: ReadonlyArray<KnownRange>;
  readonly archive: ArchiveOptions | undefined;
  /** Hands a block to the market's reader at once. */
  readonly emit: (block: MarketBlock) => void;
  /** Called synchronously whenever the head has moved. */
  readonly advanced: () => void;
}

interface WantedPast {
  readonly resetCount: number;
  readonly fromBlock: number;
  /** Time of block `fromBlock`. */
  readonly fromMs: number;
  /** First block that the archive wants; `fromBlock` where there is none. */
  readonly archiveFromBlock: number;
}

/** The condition of the source. The loops write it; `obstacle` and `status` read it. */
export interface Condition {
  /** Why the market cannot be relied on; undefined when it can. */
  obstacle: string | undefined;
  reorganisations: number;
  resynchronisations: number;
  auditedPools: number;
  driftedPools: number;
  auditedQuotes: number;
  differingQuotes: number;
  savedBlock: number | undefined;
  /** What was discovered so far, while the market cannot be opened yet. */
  discovery: Discovery | undefined;
  /** See `ChainSource.confirmedTo`. */
  confirmedTo: number | undefined;
  /** See `ChainSource.archiveConfirmedTo`. */
  archiveConfirmedTo: number | undefined;
  /** From which block on the past is wanted, as found since the market was last read anew. */
  wanted: WantedPast | undefined;
  /** Defects of our own that were survived. */
  defects: number;
  /** How often following has failed in a row. */
  failures: number;
}

/**
 * Counts and logs a defect of our own. The loop in which it happened goes on: a source never ends.
 */
export const noteDefect =
  (condition: Condition, doing: string) =>
  (defect: unknown): Effect.Effect<void> => {
    condition.defects++;
    return Effect.logError(`a fault while ${doing}`, defect);
  };
