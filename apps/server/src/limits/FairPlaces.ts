import { Effect } from "effect";
import { RoundRobin } from "./RoundRobin.ts";

/** How many may work at once, and how many may wait for that. */
interface PlacesRules {
  readonly placesMax: number;
  readonly waitingMax: number;
  /** Of one client, working and waiting. */
  readonly clientMax: number;
}

/** Work that waits for a place, or has one. */
interface Guest {
  enter: (() => void) | undefined;
  hasPlace: boolean;
}

/** Places for work that takes its time: who waits for one gets it in turns between clients. */
export class FairPlaces {
  readonly #rules: PlacesRules;
  readonly #waiting = new RoundRobin<Guest>();
  /** Those who work and those who wait. */
  readonly #countOf = new Map<string, number>();
  #taken = 0;

  constructor(rules: PlacesRules) {
    this.#rules = rules;
  }

  /** Who waits for a place. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Whether one more of a client may come. */
  takes(client: string): boolean {
    const { clientMax, waitingMax } = this.#rules;
    return this.#waiting.length < waitingMax && (this.#countOf.get(client) ?? 0) < clientMax;
  }

  /** Runs the effect when there is a place; see `takes`, which is to be asked before. */
  run<A, E, R>(client: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const guest: Guest = { enter: undefined, hasPlace: false };
      return Effect.andThen(this.#place(client, guest), effect).pipe(
        // Also where it is interrupted before it has a place, or just when it got one.
        Effect.onExit(() => Effect.sync(() => this.#leave(client, guest))),
      );
    });
  }

  #place(client: string, guest: Guest): Effect.Effect<void> {
    return Effect.callback((resume) => {
      this.#count(client, 1);
      guest.enter = () => {
        guest.hasPlace = true;
        resume(Effect.void);
      };
      if (this.#taken < this.#rules.placesMax) {
        this.#taken++;
        guest.enter();
      } else this.#waiting.add(client, guest);
    });
  }

  #leave(client: string, guest: Guest): void {
    // Interrupted before it came.
    if (guest.enter === undefined) return;
    this.#count(client, -1);
    if (!guest.hasPlace) {
      this.#waiting.delete(client, guest);
      return;
    }
    const next = this.#waiting.take();
    if (next === undefined) this.#taken--;
    else next.enter!();
  }

  #count(client: string, change: number): void {
    const count = (this.#countOf.get(client) ?? 0) + change;
    if (count === 0) this.#countOf.delete(client);
    else this.#countOf.set(client, count);
  }
}
