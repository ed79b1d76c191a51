import { Cause, Effect, Exit } from "effect";
import { MillraceError } from "./MillraceError.ts";

/** Runs the effects that calls wait for, until the engine is closed. */
export class PendingCalls {
  readonly #closed: AbortSignal;

  constructor(closed: AbortSignal) {
    this.#closed = closed;
  }

  /**
   * Rejects with the effect's error; with ABORTED after the signal, with CLOSED after the engine's
   * end.
   */
  async run<A>(effect: Effect.Effect<A, unknown>, signal: AbortSignal | undefined): Promise<A> {
    const signals = signal === undefined ? [this.#closed] : [this.#closed, signal];
    const exit = await Effect.runPromiseExit(effect, { signal: AbortSignal.any(signals) });
    if (Exit.isSuccess(exit)) return exit.value;
    if (this.#closed.aborted) throw closed();
    if (signal?.aborted === true) throw aborted(signal);
    const error = Cause.squash(exit.cause);
    throw error instanceof MillraceError ? error : internal(error);
  }
}

export const closed = (): MillraceError => new MillraceError("CLOSED", "the engine is closed");

export const aborted = ({ reason }: AbortSignal): MillraceError =>
  new MillraceError("ABORTED", "the call was aborted", { cause: reason });

/** An internal error of ours. */
export const internal = (error: unknown): MillraceError => {
  const words = error instanceof Error ? error.message : String(error);
  return new MillraceError("INTERNAL", words, { cause: error });
};
