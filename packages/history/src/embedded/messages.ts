import type { HistoryChange, HistoryError } from "../HistoryStore.ts";
import type { OpenFileOptions } from "./schema.ts";

/** What the thread of an embedded store is asked, by numbers that its answers repeat. */
export type HistoryTask =
  /** A part of the changes of the next `write`: so many at once take no time to send. */
  | {
      readonly kind: "changes";
      readonly changes: ReadonlyArray<HistoryChange>;
      /** The first is more of the block that the part before ended with. */
      readonly isContinued: boolean;
    }
  /** Writes them. */
  | { readonly kind: "write" }
  /** Forgets them. */
  | { readonly kind: "abandon" }
  | { readonly kind: "close" }
  | { readonly kind: "check" | "coverage" | "size" | "stateRange" }
  | { readonly kind: "read"; readonly what: ReadName; readonly query: unknown };

export type ReadName = "trades" | "candles" | "blocks" | "states";

export interface HistoryRequest {
  readonly number: number;
  readonly task: HistoryTask;
}

export type HistoryReply =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly number: number; readonly value: unknown }
  | {
      readonly kind: "failure";
      /** Undefined where the thread cannot start. */
      readonly number: number | undefined;
      readonly reason: HistoryError["reason"];
      readonly detail: string;
    };

export type HistoryThreadData = OpenFileOptions;
