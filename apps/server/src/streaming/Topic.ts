import type { Issue, ProblemCode, TopicRequest } from "@millrace/api";
import type { BlockStamp } from "@millrace/core";

/** Where a network stands, or stood: a new object with each block, the same one until the next. */
export interface HeadPosition {
  readonly stamp: BlockStamp;
  /** Reorganisations until then. */
  readonly reorganisations: number;
}

/** Where a network stands now. */
export interface Head {
  readonly position: HeadPosition;
}

/**
 * What equal subscriptions share: a value that is worked out once, and published to each of them.
 * Stamps of blocks are no part of it.
 */
export interface Topic {
  /** How often the value has changed; 0 before there is one. */
  readonly version: number;
  /** The newest position that the value is known to be true for. */
  readonly validAt: HeadPosition;
  /** How often nobody paid for working it out; never, where that costs nothing. */
  readonly unpaidCount?: number;
  /**
   * JSON text of `data`, for a reader whose last message had `version`; all of it for 0. `isReorg`
   * says that the reader is told of a reorganisation with it.
   */
  readonly dataSince: (version: number, isReorg?: boolean) => string;
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
   * often as this gave it. `client` is whose share of the work it takes.
   */
  readonly acquire: (request: Request, client: string) => Topic | TopicRefusal;
  readonly release: (topic: Topic, client: string) => void;
}

/** Everything that is streamed of one network, as subscribers see it. */
export interface Publisher {
  /** See `Topics.acquire`. */
  readonly acquire: (request: TopicRequest, client: string) => Topic | TopicRefusal;
  /** See `Topics.release`. */
  readonly release: (channel: TopicRequest["channel"], topic: Topic, client: string) => void;
  /** The reader will be flushed with what else there is to send. */
  readonly hasNews: (reader: Flushable) => void;
}

/** Who has something to send when a slice of evaluations is done. */
export interface Flushable {
  readonly flush: () => void;
}
