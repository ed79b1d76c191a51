import type { Issue, ProblemCode, TopicRequest } from "@millrace/api";
import type { BlockStamp } from "@millrace/core";

/** Where a network stands, or stood. A new one with each block; equal ones are the same object. */
export interface Moment {
  readonly stamp: BlockStamp;
  /** Reorganisations until then. */
  readonly reorganisations: number;
}

/** Where a network stands now. */
export interface Head {
  readonly moment: Moment;
}

/**
 * What equal subscriptions share: a value that is worked out once, and told to each of them. Stamps
 * of blocks are no part of it.
 */
export interface Topic {
  /** How often the value has changed; 0 before there is one. */
  readonly version: number;
  /** The newest moment that the value is known to be true for. */
  readonly moment: Moment;
  /** JSON text of `data`, for a reader who was told `version` last; all of it for 0. */
  readonly dataSince: (version: number) => string;
  /** Calls back, synchronously, after each change of the value; gives the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Why there is no such topic. */
export interface TopicRefusal {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly issues?: ReadonlyArray<Issue>;
}

/** The topics of one channel of one network. */
export interface Topics<Request> {
  /**
   * The topic of a request, the same for equal ones, kept up to date until `release` was called as
   * often as this gave it.
   */
  readonly acquire: (request: Request) => Topic | TopicRefusal;
  readonly release: (topic: Topic) => void;
}

/** Everything that is streamed of one network, as subscribers see it. */
export interface Publisher {
  /** See `Topics.acquire`. */
  readonly acquire: (request: TopicRequest) => Topic | TopicRefusal;
  /** See `Topics.release`. */
  readonly release: (channel: TopicRequest["channel"], topic: Topic) => void;
  /** The reader will be flushed with what else there is to tell. */
  readonly hasNews: (reader: Flushable) => void;
}

/** Who has something to tell when a slice of a round is done. */
export interface Flushable {
  readonly flush: () => void;
}
