import {
  chainOfHistory,
  embeddedHistory,
  type HistoryError,
  type StateRange,
} from "@millrace/history";
import { Effect } from "effect";

export interface HistoryFile {
  readonly chainId: number;
  /**
   * Blocks as of which the history can be opened, gaps included; undefined where there are none.
   */
  readonly states: StateRange | undefined;
}

/** The chain and the states of a history's file. */
export const inspectHistory = (path: string): Effect.Effect<HistoryFile, HistoryError> =>
  Effect.gen(function* () {
    const chainId = yield* chainOfHistory(path);
    const store = yield* embeddedHistory({ path, chainId, isReadOnly: true });
    return { chainId, states: yield* store.stateRange };
  }).pipe(Effect.scoped);
