import {
  encodeSnapshotMessage,
  encodeUpdateMessage,
  messageTail,
  type TopicRequest,
} from "@millrace/api";
import type { BlockStamp } from "@millrace/core";
import type { Flushable, Publisher, Topic } from "./Topic.ts";

/** One subscription of one connection, with what it has sent of its topic. */
export class Subscription {
  readonly name: string;
  readonly request: TopicRequest;
  readonly feed: Publisher;
  readonly #topic: Topic;
  readonly #client: string;
  readonly #unsubscribe: () => void;
  /** The version of the snapshot; undefined until it was sent. */
  #first: number | undefined;
  #sent = 0;
  /** Reorganisations up to the position of the last message. */
  #sentReorganisations = 0;
  /** `unpaidCount` of the topic at the last message. */
  #sentUnpaid: number;

  /** `reader` is flushed, and `onNews` called, whenever there is something to send. */
  constructor(
    name: string,
    request: TopicRequest,
    feed: Publisher,
    topic: Topic,
    client: string,
    reader: Flushable,
    onNews: (subscription: Subscription) => void,
  ) {
    this.name = name;
    this.request = request;
    this.feed = feed;
    this.#topic = topic;
    this.#client = client;
    this.#sentUnpaid = topic.unpaidCount ?? 0;
    this.#unsubscribe = topic.onChange(() => {
      onNews(this);
      feed.hasNews(reader);
    });
  }

  /** Changes of the value since the snapshot that were sent, or spared. */
  get seq(): number {
    return this.#sent - (this.#first ?? 0);
  }

  hasNews(): boolean {
    return this.#topic.version > this.#sent;
  }

  /** Values that the next message skips: newer ones came before the reader took them. */
  get sparedCount(): number {
    return this.#first === undefined ? 0 : this.#topic.version - this.#sent - 1;
  }

  /** The next message as JSON text, with the current value. */
  next(sentAt: number): string {
    const topic = this.#topic;
    const { stamp, reorganisations } = topic.validAt;
    const isReorganised = reorganisations !== this.#sentReorganisations;
    const tail = sharedTail(stamp, topic.dataSince(this.#sent, isReorganised), sentAt);
    this.#sentReorganisations = reorganisations;
    this.#sent = topic.version;
    const unpaidCount = topic.unpaidCount ?? 0;
    const unpaid = unpaidCount - this.#sentUnpaid;
    this.#sentUnpaid = unpaidCount;
    if (this.#first === undefined) {
      this.#first = topic.version;
      return encodeSnapshotMessage(this.name, this.request.channel, tail);
    }
    return encodeUpdateMessage(this.name, this.seq, { reorg: isReorganised, unpaid }, tail);
  }

  close(): void {
    this.#unsubscribe();
    this.feed.release(this.request.channel, this.#topic, this.#client);
  }
}

/** How old the time of sending in a message may be, in microseconds. */
const TAIL_AGE_MAX = 250;

// Readers of one value are served one after the other: the last tail is likely the next one, too.
let last: { stamp: BlockStamp; data: string; sentAt: number; tail: string } | undefined;

function sharedTail(stamp: BlockStamp, data: string, sentAt: number): string {
  if (last !== undefined && last.stamp === stamp && last.data === data) {
    const age = sentAt - last.sentAt;
    if (age >= 0 && age <= TAIL_AGE_MAX) return last.tail;
  }
  const { number, hash, timestampMs } = stamp;
  const block = { blockNumber: String(number), blockHash: hash, timestamp: timestampMs };
  const tail = messageTail(block, sentAt, data);
  last = { stamp, data, sentAt, tail };
  return tail;
}
