import type { ProblemCode, TopicRequest } from "@millrace/api";
import type { BlockStamp } from "@millrace/core";

/**
 * What equal subscriptions share: a value that is worked out once, and told to each of them. Stamps
 * of blocks are no part of it.
 */
export interface Topic {
  /** How often the value has changed; 0 before there is one. */
  readonly version: number;
  /** The block that the value is known to be true for. */
  readonly stamp: BlockStamp;
  /** JSON text of `data`, for a reader who was told `version` last; all of it for 0. */
  readonly dataSince: (version: number) => string;
  /** Calls back, synchronously, after each change of the value; gives the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Why there is no such topic. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly detail: string;
}

/** The topics of one channel of one network. */
export interface Topics<Request> {
  /**
   * The topic of a request, the same for equal ones, kept up to date until `release` was called as
   * often as this gave it.
   */
  readonly acquire: (request: Request) => Topic | Refusal;
  readonly release: (topic: Topic) => void;
}

/** Where a network stands. */
export interface Head {
  readonly stamp: BlockStamp;
  /** Grows with every reorganisation. */
  readonly reorganisations: number;
}

/** Everything that is streamed of one network, as subscribers see it. */
export interface Publisher {
  /** Grows with every reorganisation. */
  readonly reorganisations: number;
  /** See `Topics.acquire`. */
  readonly acquire: (request: TopicRequest) => Topic | Refusal;
  /** See `Topics.release`. */
  readonly release: (channel: TopicRequest["channel"], topic: Topic) => void;
  /** The reader will be flushed with what else there is to tell. */
  readonly hasNews: (reader: Flushable) => void;
}

/** Who has something to tell when a slice of a round is done. */
export interface Flushable {
  readonly flush: () => void;
}
