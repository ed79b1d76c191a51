import type { HistoryChange, HistoryError } from "../HistoryStore.ts";
import type { OpenFileOptions } from "./schema.ts";

/** Tasks for the thread of an embedded store, with numbers that its answers repeat. */
export type HistoryTask =
  /** A part of the changes of the next `write`, small enough to be sent in no time. */
  | {
      readonly kind: "changes";
      readonly changes: ReadonlyArray<HistoryChange>;
      /** The first change continues the block that the part before ended with. */
      readonly isContinued: boolean;
    }
  /** Writes these changes. */
  | { readonly kind: "write" }
  /** Forgets these changes. */
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
      /** Undefined where the thread could not start. */
      readonly number: number | undefined;
      readonly reason: HistoryError["reason"];
      readonly detail: string;
    };

export type HistoryThreadData = OpenFileOptions;
