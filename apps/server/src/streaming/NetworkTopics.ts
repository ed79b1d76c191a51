import type { NetworksTopic, StreamedNetwork } from "@millrace/api";
import type { Network } from "../networks/Network.ts";
import { EvaluatedTopic } from "./EvaluatedTopic.ts";
import type { Head, Topic, Topics } from "./Topic.ts";

/** Interval of looks whether the network is ready: that changes with time, too. */
const LOOK_MS = 250;

/** The state of one network: one topic, which is kept up to date while somebody holds it. */
export class NetworkTopics implements Topics<NetworksTopic> {
  readonly #topic: NetworkState;
  readonly #look: () => void;
  #holderCount = 0;
  #looking: NodeJS.Timeout | undefined;

  /** `look` is called periodically, to call `evaluate`. */
  constructor(network: Network, head: Head, look: () => void) {
    this.#topic = new NetworkState(network, head);
    this.#look = look;
  }

  acquire(): Topic {
    if (this.#holderCount++ === 0) {
      this.#topic.evaluate();
      this.#looking = setInterval(this.#look, LOOK_MS);
    }
    return this.#topic;
  }

  release(): void {
    if (--this.#holderCount === 0) this.close();
  }

  /** A block has come, or time has passed. */
  evaluate(): void {
    if (this.#holderCount > 0) this.#topic.evaluate();
  }

  close(): void {
    clearInterval(this.#looking);
  }
}

class NetworkState extends EvaluatedTopic {
  readonly #network: Network;
  readonly #head: Head;
  #text = "";

  constructor(network: Network, head: Head) {
    super(head);
    this.#network = network;
    this.#head = head;
  }

  dataSince(): string {
    return this.#text;
  }

  protected revalue(): boolean {
    const { stamp, reorganisations } = this.#head.position;
    const reason = this.#network.lastingObstacle(Date.now());
    const state: StreamedNetwork = {
      id: this.#network.config.id,
      ready: reason === undefined,
      ...(reason !== undefined && { reason }),
      ...{ blockNumber: String(stamp.number), blockHash: stamp.hash },
      ...{ timestamp: stamp.timestampMs, reorganisations },
    };
    const text = JSON.stringify(state);
    if (text === this.#text) return false;
    this.#text = text;
    return true;
  }
}
