import type { MESSAGES } from "./messages.ts";

/** The block that a message is true for. */
export interface MessageStamp {
  readonly blockNumber: string;
  readonly blockHash: string;
  /** Unix epoch milliseconds. */
  readonly timestamp: number;
}

/**
 * The part that messages of all subscriptions to one value share, as JSON text; written once per
 * change. `data` is JSON text; `sentAt` is in microseconds. Hashes and numbers need no escape.
 */
export const messageTail = (
  { blockNumber, blockHash, timestamp }: MessageStamp,
  sentAt: number,
  data: string,
): string =>
  `,"blockNumber":"${blockNumber}","blockHash":"${blockHash}","timestamp":${timestamp}` +
  `,"sentAt":${sentAt},"data":${data}}`;

/** The JSON text of a `snapshot`. Subscription names are made by the service and need no escape. */
export const encodeSnapshotMessage = (
  subscription: string,
  channel: string,
  tail: string,
): string =>
  `{"op":"snapshot","subscription":"${subscription}","channel":"${channel}","seq":0${tail}`;

/**
 * The JSON text of an `update`, byte for byte what JSON.stringify gives for the message; an
 * `unpaid` of 0 is left out.
 */
export const encodeUpdateMessage = (
  subscription: string,
  seq: number,
  { reorg, unpaid }: UpdateMarks,
  tail: string,
): string =>
  `{"op":"update","subscription":"${subscription}","seq":${seq}` +
  (reorg ? ',"reorg":true' : "") +
  (unpaid > 0 ? `,"unpaid":${unpaid}${tail}` : tail);

/** What happened between an update and the message before it. */
interface UpdateMarks {
  readonly reorg: boolean;
  readonly unpaid: number;
}

type Messages = typeof MESSAGES;

/** The JSON text of any other message of the server. */
export const encodeMessage = <Op extends keyof Messages>(
  message: Messages[Op]["Encoded"] & { readonly op: Op },
): string => JSON.stringify(message);
