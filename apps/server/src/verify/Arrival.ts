import type { ChainSource, Progress } from "@millrace/chain";
import { Effect } from "effect";

const LOOKED_EVERY_MS = 50;

/** A chain is given up after this long without progress. */
const PATIENCE_MS = 60_000;

/** The problems of the endpoints. */
function problemsOf(chain: ChainSource): string[] {
  return chain
    .status()
    .endpoints.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`${name}: ${problem}`],
    );
}

/** A chain's way to its head, with all pools read. */
export class Arrival {
  readonly config: { readonly id: string };
  progress: Progress | undefined;
  #steps = 0;

  constructor(config: { readonly id: string }) {
    this.config = config;
  }

  progressed(progress: Progress): void {
    this.progress = progress.done < progress.total ? progress : undefined;
    this.#steps++;
  }

  /** Waits for the head; gives the obstacle where it lasted too long. */
  wait(chain: ChainSource): Effect.Effect<string | undefined> {
    const look = (idleMs: number, before: string): Effect.Effect<string | undefined> => {
      const { waitingPools } = chain.status();
      const reading = waitingPools === 0 ? undefined : `${waitingPools} pools are not read`;
      const obstacle = chain.obstacle() ?? reading;
      if (obstacle === undefined) return Effect.undefined;
      if (idleMs > PATIENCE_MS) return Effect.succeed([obstacle, ...problemsOf(chain)].join("; "));
      const standing = `${this.#steps} ${waitingPools}`;
      const idle = standing === before ? idleMs + LOOKED_EVERY_MS : 0;
      return Effect.flatMap(Effect.sleep(LOOKED_EVERY_MS), () => look(idle, standing));
    };
    return Effect.suspend(() => look(0, ""));
  }
}
