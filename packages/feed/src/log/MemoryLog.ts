import { Clock, Effect } from "effect";
import {
  type AppendOutcome,
  ASKED_MAX,
  ENTRIES_KEPT,
  ENTRIES_READ,
  type FeedLog,
  type FeedPosition,
  type FeedRecord,
  type FeedRequest,
  isAfter,
  type Lease,
} from "./FeedLog.ts";

/** Everything that a memory log holds. */
export interface MemoryLogState {
  readonly epoch: number;
  readonly lease: (Lease & { readonly untilMs: number }) | undefined;
  readonly entries: ReadonlyArray<FeedRecord>;
  readonly snapshot: ReadonlyArray<Uint8Array> | undefined;
  readonly asked: ReadonlyArray<FeedRequest>;
}

const EMPTY: MemoryLogState = {
  epoch: 0,
  lease: undefined,
  entries: [],
  snapshot: undefined,
  asked: [],
};

/** A log for servers in one process. Its content can be saved and restored. */
export class MemoryLog implements FeedLog {
  #state = EMPTY;
  readonly #waiting = new Set<() => void>();

  get state(): MemoryLogState {
    return this.#state;
  }

  /** Restores a saved state, or empties the log. */
  restore(state: MemoryLogState = EMPTY): void {
    this.#state = state;
    this.#wake();
  }

  readonly acquire: FeedLog["acquire"] = (holder, leaseMs, above) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      if (this.#leaseAt(nowMs) !== undefined) return undefined;
      const epoch = Math.max(this.#state.epoch, above, Math.floor(nowMs) - 1) + 1;
      this.#state = { ...this.#state, epoch, lease: { holder, epoch, untilMs: nowMs + leaseMs } };
      return { holder, epoch };
    });

  readonly renew: FeedLog["renew"] = (lease, leaseMs) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      if (!this.#holds(lease, nowMs)) return false;
      this.#state = { ...this.#state, lease: { ...lease, untilMs: nowMs + leaseMs } };
      return true;
    });

  readonly release: FeedLog["release"] = (lease) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      if (this.#holds(lease, nowMs)) this.#state = { ...this.#state, lease: undefined };
    });

  readonly depose: FeedLog["depose"] = (epoch) =>
    Effect.sync(() => {
      const { lease } = this.#state;
      this.#state = {
        ...this.#state,
        epoch: Math.max(this.#state.epoch, epoch),
        lease: lease !== undefined && lease.epoch <= epoch ? undefined : lease,
      };
    });

  readonly append: FeedLog["append"] = (lease, sequence, bytes) =>
    Effect.map(Clock.currentTimeMillis, (nowMs): AppendOutcome => {
      if (!this.#holds(lease, nowMs)) return "Deposed";
      const { entries } = this.#state;
      const last = entries.at(-1);
      const lastSequence = last?.position.epoch === lease.epoch ? last.position.sequence : 0;
      if (lastSequence === sequence && isSame(last!.bytes, bytes)) return "Appended";
      if (lastSequence !== sequence - 1) return "Lost";
      const record = { position: { epoch: lease.epoch, sequence }, bytes };
      this.#state = { ...this.#state, entries: [...entries.slice(1 - ENTRIES_KEPT), record] };
      this.#wake();
      return "Appended";
    });

  readonly read: FeedLog["read"] = (after, waitMs) =>
    Effect.suspend(() => {
      const found = this.#behind(after);
      if (found.length > 0 || waitMs === 0) return Effect.succeed(found);
      const woken = Effect.callback<void>((resume) => {
        const wake = () => resume(Effect.void);
        this.#waiting.add(wake);
        return Effect.sync(() => this.#waiting.delete(wake));
      });
      return Effect.map(Effect.raceFirst(woken, Effect.sleep(waitMs)), () => this.#behind(after));
    });

  readonly standing: FeedLog["standing"] = Effect.map(Clock.currentTimeMillis, (nowMs) => ({
    epoch: this.#state.epoch,
    isLed: this.#leaseAt(nowMs) !== undefined,
  }));

  readonly saveSnapshot: FeedLog["saveSnapshot"] = (lease, _, pieces) =>
    Effect.map(Clock.currentTimeMillis, (nowMs): AppendOutcome => {
      if (!this.#holds(lease, nowMs)) return "Deposed";
      this.#state = { ...this.#state, snapshot: pieces };
      return "Appended";
    });

  readonly loadSnapshot: FeedLog["loadSnapshot"] = Effect.sync(() => this.#state.snapshot);

  readonly ask: FeedLog["ask"] = (request) =>
    Effect.sync(() => {
      this.#state = { ...this.#state, asked: [...this.#state.asked, request].slice(-ASKED_MAX) };
    });

  readonly takeAsked: FeedLog["takeAsked"] = (lease) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      if (!this.#holds(lease, nowMs)) return [];
      const { asked } = this.#state;
      if (asked.length > 0) this.#state = { ...this.#state, asked: [] };
      return asked;
    });

  #leaseAt(nowMs: number) {
    const { lease } = this.#state;
    return lease !== undefined && lease.untilMs > nowMs ? lease : undefined;
  }

  #holds({ holder, epoch }: Lease, nowMs: number): boolean {
    const lease = this.#leaseAt(nowMs);
    return lease?.epoch === epoch && lease.holder === holder;
  }

  #behind(after: FeedPosition): ReadonlyArray<FeedRecord> {
    const { entries } = this.#state;
    let first = entries.length;
    while (first > 0 && isAfter(entries[first - 1]!.position, after)) first--;
    return entries.slice(first, first + ENTRIES_READ);
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);
