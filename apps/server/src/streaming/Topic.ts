import type { BlockStamp } from "@millrace/core";

/**
 * What equal subscriptions share: a value that is worked out once, and told to each of them. The
 * value is the JSON text of `data` without its block stamps, wherever it holds any.
 */
export interface Topic {
  /** The same for equal requests, however they were written. */
  readonly key: string;
  /** How often the value has changed; 0 before there is one. */
  readonly version: number;
  /** The block that the value is known to be true for. */
  readonly stamp: BlockStamp;
  /** JSON text of `data` for a reader who was told `version` last; all of it for 0. */
  readonly dataSince: (version: number) => string;
  /** Calls back, synchronously, after each change of the value; gives the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Why there is no such topic, in the codes of the interface. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
}

/** The topics of one channel of one network. */
export interface Topics<Request> {
  /**
   * The topic of a request, kept up to date until `release` was called as often as this gave it.
   * Its value may come later: `version` is 0 until then.
   */
  readonly acquire: (request: Request) => Topic | Refusal;
  readonly release: (topic: Topic) => void;
}
