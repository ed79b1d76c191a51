import type { Issue, ProblemCode, TopicRequest } from "@millrace/api";
import type { BlockStamp } from "@millrace/core";

/**
 * A current or former position of a network: a new object with each block, and the same one until
 * the next.
 */
export interface HeadPosition {
  readonly stamp: BlockStamp;
  /** Number of reorganisations up to this position. */
  readonly reorganisations: number;
}

/** The current position of a network. */
export interface Head {
  readonly position: HeadPosition;
}

/**
 * The value that equal subscriptions share: it is computed once, and published to each of them.
 * Stamps of blocks are no part of it.
 */
export interface Topic {
  /** How often the value has changed; 0 before there is one. */
  readonly version: number;
  /** The newest position for which the value is known to hold. */
  readonly validAt: HeadPosition;
  /** How often nobody paid for computing the value; undefined where that is free. */
  readonly unpaidCount?: number;
  /**
   * JSON text of `data` for a reader whose last message had `version`; all of it for 0. `isReorg`:
   * the message announces a reorganisation.
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
   * The topic of a request, shared by equal requests. It is kept up to date until `release` was
   * called as often as `acquire` gave it. `client` is the client whose share of the work it takes.
   */
  readonly acquire: (request: Request, client: string) => Topic | TopicRefusal;
  readonly release: (topic: Topic, client: string) => void;
}

/** All streams of one network, as subscribers see them. */
export interface Publisher {
  /** See `Topics.acquire`. */
  readonly acquire: (request: TopicRequest, client: string) => Topic | TopicRefusal;
  /** See `Topics.release`. */
  readonly release: (channel: TopicRequest["channel"], topic: Topic, client: string) => void;
  /** The reader is flushed with the others that have something to send. */
  readonly hasNews: (reader: Flushable) => void;
}

/** A reader with something to send after a slice of evaluations. */
export interface Flushable {
  readonly flush: () => void;
}
