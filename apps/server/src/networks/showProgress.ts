import type { Progress } from "@millrace/chain";
import { Effect } from "effect";
import { StatusLine } from "../StatusLine.ts";

/** Whoever may be at a long step: its id, and its progress. */
export interface Worker {
  readonly config: { readonly id: string };
  readonly progress: Progress | undefined;
}

/** Shows how far long steps have come: as a bar on a terminal, else as log lines. Never ends. */
export const showProgress = (
  workers: ReadonlyArray<Worker>,
  onTerminal: boolean,
): Effect.Effect<never> => (onTerminal ? drawBars(workers) : logLines(workers));

const DRAWN_EVERY_MS = 100;
const LOGGED_EVERY_MS = 5_000;

const drawBars = (workers: ReadonlyArray<Worker>): Effect.Effect<never> =>
  Effect.sync(() => {
    const bars = workers.flatMap(({ config, progress }) =>
      progress === undefined ? [] : [`${config.id} ${bar(progress)}`],
    );
    StatusLine.show(bars.join("  "));
  }).pipe(
    Effect.andThen(Effect.sleep(DRAWN_EVERY_MS)),
    Effect.forever,
    Effect.ensuring(Effect.sync(() => StatusLine.show(""))),
  );

const logLines = (workers: ReadonlyArray<Worker>): Effect.Effect<never> =>
  Effect.sleep(LOGGED_EVERY_MS).pipe(
    Effect.andThen(
      Effect.forEach(workers, ({ config, progress }) =>
        progress === undefined
          ? Effect.void
          : Effect.annotateLogs(Effect.logInfo("progress"), { network: config.id, ...progress }),
      ),
    ),
    Effect.forever,
  );

const CELLS = 20;

const STEPS = {
  discovery: "finding pools",
  depths: "measuring depths",
  states: "reading states",
} as const;

/** As `reading states 40 %`; undefined where there is nothing to tell. */
export const progressText = (progress: Progress | undefined): string | undefined =>
  progress && `${STEPS[progress.step]} ${Math.floor(shareOf(progress) * 100)} %`;

const shareOf = ({ done, total }: Progress): number => (total > 0 ? Math.min(1, done / total) : 0);

/** As `reading states ████████░░░░░░░░░░░░ 40 %`. */
function bar(progress: Progress): string {
  const share = shareOf(progress);
  const full = Math.floor(share * CELLS);
  const cells = "█".repeat(full) + "░".repeat(CELLS - full);
  return `${STEPS[progress.step]} ${cells} ${Math.floor(share * 100)} %`;
}
