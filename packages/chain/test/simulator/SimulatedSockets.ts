import type { RandomSource } from "@millrace/testing";
import { type Cause, Effect, Queue, Stream } from "effect";
import { TransportError } from "../../src/rpc/Transport.ts";
import type { Faults } from "./Faults.ts";
import { headerOf, type SimulatedBlock } from "./SimulatedChain.ts";

type Announcements = Queue.Queue<unknown, TransportError | Cause.Done>;

interface Subscriber {
  readonly url: string;
  readonly queue: Announcements;
  /** Nothing comes through any more, and nobody was notified. */
  isDead: boolean;
}

/** WebSockets that announce heads: late, twice, never, or garbage. */
export class SimulatedSockets {
  readonly #subscribers = new Set<Subscriber>();
  readonly #faults: Faults;
  readonly #dice: RandomSource;
  #late: Array<{ readonly subscriber: Subscriber; readonly header: unknown }> = [];

  constructor(faults: Faults, dice: RandomSource) {
    this.#faults = faults;
    this.#dice = dice;
  }

  heads(url: string, isReachable: () => boolean): Stream.Stream<unknown, TransportError> {
    const closed = new TransportError({ reason: "Unreachable", detail: "connection refused" });
    return Stream.callback<unknown, TransportError>((queue) =>
      Effect.gen({ self: this }, function* () {
        yield* Effect.sleep(5);
        if (!isReachable()) return yield* Effect.fail(closed);
        const subscriber: Subscriber = { url, queue, isDead: false };
        yield* Effect.acquireRelease(
          Effect.sync(() => this.#subscribers.add(subscriber)),
          () => Effect.sync(() => this.#subscribers.delete(subscriber)),
        );
      }),
    );
  }

  announce(url: string, block: SimulatedBlock): void {
    for (const subscriber of [...this.#subscribers]) {
      if (subscriber.url === url && !subscriber.isDead) this.#tell(subscriber, headerOf(block));
    }
  }

  /** Delivers the delayed heads now, after later ones. */
  flush(): void {
    const late = this.#late;
    this.#late = [];
    for (const { subscriber, header } of this.#dice.shuffled(late)) {
      Queue.offerUnsafe(subscriber.queue, header);
    }
  }

  /** The sockets of an endpoint that went down close, or only fall silent. */
  cut(url: string): void {
    for (const subscriber of [...this.#subscribers]) {
      if (subscriber.url !== url) continue;
      if (this.#dice.chance(0.5)) subscriber.isDead = true;
      else this.#close(subscriber);
    }
  }

  #tell(subscriber: Subscriber, header: unknown): void {
    const faults = this.#faults;
    if (faults.strikes("socketCloses")) return this.#close(subscriber);
    if (faults.strikes("socketDies")) {
      subscriber.isDead = true;
      return;
    }
    if (faults.strikes("droppedHead")) return;
    if (faults.strikes("delayedHead")) {
      this.#late.push({ subscriber, header });
      return;
    }
    if (faults.strikes("mangledHead")) {
      const garbage = [null, "head", 7, {}, [], { hash: 5 }, { ...(header as object), hash: "0x" }];
      Queue.offerUnsafe(subscriber.queue, this.#dice.pick<unknown>(garbage));
    }
    Queue.offerUnsafe(subscriber.queue, header);
    if (faults.strikes("duplicatedHead")) Queue.offerUnsafe(subscriber.queue, header);
  }

  #close(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#dice.chance(0.5)) Queue.endUnsafe(subscriber.queue);
    else {
      const closed = new TransportError({ reason: "Closed", detail: "1006" });
      Effect.runSync(Queue.fail(subscriber.queue, closed));
    }
  }
}
