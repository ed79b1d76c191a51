import { setImmediate } from "node:timers/promises";
import { type Run, runSeed } from "./runSeed.ts";

/** The seeds to run: from `first` on, every `step`-th, until `count` have run or time is up. */
export interface Seeds {
  readonly first: number;
  readonly step?: number;
  readonly count: number;
  /** No seed is begun after this time (`Date.now()`). */
  readonly untilMs?: number;
  /** After this many failures the rest does not run. */
  readonly failuresMax?: number;
}

export interface SeedsRun {
  readonly runs: ReadonlyArray<Run>;
  /** A text for each seed that failed: what went wrong, and how to run it alone. */
  readonly failures: ReadonlyArray<string>;
}

/**
 * Runs one seed after the other, each to its end. A seed takes about 0.1 s of one core; between two
 * seeds, other work gets its turn. `onFailure` gets each failure at once.
 */
export async function runSeeds(
  { first, step = 1, count, untilMs, failuresMax }: Seeds,
  onFailure: (text: string) => void = () => undefined,
): Promise<SeedsRun> {
  const runs: Run[] = [];
  const failures: string[] = [];
  for (let index = 0; index < count; index++) {
    if (Date.now() >= (untilMs ?? Number.POSITIVE_INFINITY)) break;
    if (failures.length >= (failuresMax ?? Number.POSITIVE_INFINITY)) break;
    try {
      runs.push(runNamed(first + index * step));
    } catch (failure) {
      failures.push((failure as Error).message);
      onFailure((failure as Error).message);
    }
    await setImmediate();
  }
  return { runs, failures };
}

/** The run of a seed; the error of a failure says how to run it alone. */
export function runNamed(seed: number): Run {
  try {
    return runSeed(seed);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const again = `SIMULATOR_SEED=${seed} npm test -- packages/chain/test/simulator/firstSeeds`;
    throw new Error(`seed ${seed}: ${reason}\nalone: ${again}`, { cause });
  }
}
