import type { BlockRange, FeedPosition } from "../log/FeedLog.ts";

/** Blocks whose swaps were published again, in entries after a position. */
export interface RetoldRange extends BlockRange {
  readonly since: FeedPosition;
}

/** The name of the note that announces it. */
export const RETOLD_NOTE = "retold";

export const retoldText = ({ fromBlock, toBlock, since }: RetoldRange): string =>
  [fromBlock, toBlock, since.epoch, since.sequence].join("-");

/** Undefined where the notes name no range. Leaders of version 0.1 leave out the position. */
export function retoldIn(notes: ReadonlyMap<string, string>): RetoldRange | undefined {
  const text = notes.get(RETOLD_NOTE);
  if (text === undefined) return undefined;
  const words = text.split("-").map(Number);
  const [fromBlock, toBlock, epoch = Number.POSITIVE_INFINITY, sequence = 0] = words;
  if (fromBlock === undefined || toBlock === undefined) return undefined;
  return { fromBlock, toBlock, since: { epoch, sequence } };
}
