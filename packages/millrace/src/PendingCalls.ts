import { Cause, Effect, Exit } from "effect";
import { MillraceError } from "./MillraceError.ts";

/** Runs what calls wait for, until the engine is closed. */
export class PendingCalls {
  readonly #closed: AbortSignal;

  constructor(closed: AbortSignal) {
    this.#closed = closed;
  }

  /**
   * Rejects with what the effect fails with; as ABORTED by the signal, as CLOSED with the engine.
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

/** A fault of ours. */
export const internal = (error: unknown): MillraceError => {
  const words = error instanceof Error ? error.message : String(error);
  return new MillraceError("INTERNAL", words, { cause: error });
};
