import { timeCalls } from "./clock.ts";
import { Rounds } from "./statistics.ts";

/** Calls that are timed one by one, each once a round. */
export class Series<A> {
  readonly rounds: Rounds = new Rounds();
  readonly #items: ReadonlyArray<A>;
  readonly #samples: Float64Array;
  readonly #call: (item: A) => number;

  /** The results of `call` go to the sink. */
  constructor(items: ReadonlyArray<A>, call: (item: A) => number) {
    this.#items = items;
    this.#samples = new Float64Array(items.length);
    this.#call = call;
  }

  warmUp(): void {
    timeCalls(this.#items, this.#samples, this.#call);
  }

  measure(): void {
    timeCalls(this.#items, this.#samples, this.#call);
    this.rounds.add(this.#samples);
  }
}

/** Rounds in which the series take turns, so that a disturbance of the machine hits them all. */
export function runRounds(
  series: ReadonlyArray<Pick<Series<unknown>, "warmUp" | "measure">>,
  { warmUps, rounds }: { readonly warmUps: number; readonly rounds: number },
): void {
  for (let round = 0; round < warmUps; round++) for (const one of series) one.warmUp();
  for (let round = 0; round < rounds; round++) for (const one of series) one.measure();
}
