import type { PastBlock } from "@millrace/core";
import type { ToldRange } from "./ToldBlocks.ts";

/** The upper part of a gap, read whole. */
export interface PastPart {
  readonly range: ToldRange;
  /** Its blocks in which something was swapped, and its last one, newest first. */
  readonly blocks: ReadonlyArray<PastBlock>;
  /** How many logs were read for it, others' included. */
  readonly logCount: number;
}
