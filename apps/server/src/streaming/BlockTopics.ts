import type { BlockTopic } from "@millrace/api";
import { EvaluatedTopic } from "./EvaluatedTopic.ts";
import type { Head, Topic, Topics } from "./Topic.ts";

/** The newest block of one network: one topic, which always exists. */
export class BlockTopics implements Topics<BlockTopic> {
  readonly topic: StreamedBlock;

  constructor(head: Head) {
    this.topic = new StreamedBlock(head);
    this.topic.evaluate();
  }

  acquire(): Topic {
    return this.topic;
  }

  release(): void {}
}

class StreamedBlock extends EvaluatedTopic {
  readonly #head: Head;
  /** Pools that the newest block changed; unknown, and so 0, for the first block. */
  poolsChanged = 0;
  #text = "";

  constructor(head: Head) {
    super(head);
    this.#head = head;
  }

  dataSince(): string {
    return this.#text;
  }

  protected revalue(): boolean {
    const { number, hash, timestampMs } = this.#head.position.stamp;
    const text =
      `{"blockNumber":"${number}","blockHash":"${hash}","timestamp":${timestampMs}` +
      `,"poolsChanged":${this.poolsChanged}}`;
    if (text === this.#text) return false;
    this.#text = text;
    return true;
  }
}
