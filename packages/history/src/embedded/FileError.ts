import type { HistoryError } from "../HistoryStore.ts";

/**
 * A HistoryError to be, in a thread: that one is a class of a library that would take most of a
 * thread's start and memory.
 */
export class FileError extends Error {
  readonly reason: HistoryError["reason"];

  constructor(reason: HistoryError["reason"], detail: string) {
    super(detail);
    this.reason = reason;
  }
}
