import type { BlockRange, FeedPosition } from "../log/FeedLog.ts";

/** Blocks whose swaps were told again, by entries behind a position. */
export interface RetoldRange extends BlockRange {
  readonly since: FeedPosition;
}

/** The name of the note that tells it. */
export const RETOLD_NOTE = "retold";

export const retoldText = ({ fromBlock, toBlock, since }: RetoldRange): string =>
  [fromBlock, toBlock, since.epoch, since.sequence].join("-");

/** Undefined where no range is told. Leaders of version 0.1 do not say since when. */
export function retoldIn(notes: ReadonlyMap<string, string>): RetoldRange | undefined {
  const text = notes.get(RETOLD_NOTE);
  if (text === undefined) return undefined;
  const words = text.split("-").map(Number);
  const [fromBlock, toBlock, epoch = Number.POSITIVE_INFINITY, sequence = 0] = words;
  if (fromBlock === undefined || toBlock === undefined) return undefined;
  return { fromBlock, toBlock, since: { epoch, sequence } };
}
