import { Effect } from "effect";
import { RoundRobin } from "./RoundRobin.ts";

/** How many tasks may run at once, and how many may wait. */
interface PlacesRules {
  readonly placesMax: number;
  readonly waitingMax: number;
  /** Tasks of one client, running and waiting. */
  readonly clientMax: number;
}

/** Work that waits for a place, or has one. */
interface Guest {
  enter: (() => void) | undefined;
  hasPlace: boolean;
}

/** Places for long work; the clients that wait for one take turns. */
export class FairPlaces {
  readonly #rules: PlacesRules;
  readonly #waiting = new RoundRobin<Guest>();
  /** Tasks of each client, running and waiting. */
  readonly #countOf = new Map<string, number>();
  #taken = 0;

  constructor(rules: PlacesRules) {
    this.#rules = rules;
  }

  /** Tasks that wait for a place. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Whether one more task of a client is accepted. */
  takes(client: string): boolean {
    const { clientMax, waitingMax } = this.#rules;
    return this.#waiting.length < waitingMax && (this.#countOf.get(client) ?? 0) < clientMax;
  }

  /** Runs the effect once there is a place; `takes` is to be asked first. */
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
    // Interrupted before it asked for a place.
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
