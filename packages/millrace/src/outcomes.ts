import type { Answer } from "@millrace/server";
import { Cause, Effect, Exit } from "effect";
import { MillraceError } from "./MillraceError.ts";

/** What is no answer of the service; throws the problem that one is. */
export function accepted<A extends object>(outcome: A | Answer): A {
  if ("status" in outcome && "body" in outcome) throw serviceError(outcome);
  return outcome as A;
}

/** The problem that an answer of the service tells. */
export function serviceError({ body }: Answer): MillraceError {
  const { code, detail, issues = [] } = JSON.parse(body);
  const words = issues.map(
    ({ path, message }: { path: ReadonlyArray<unknown>; message: string }) =>
      `${path.join(".")}: ${message}`,
  );
  return new MillraceError(code, [detail, ...words].join("; "));
}

/** Amounts are written as the service takes them. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === "bigint" ? each.toString() : each));

/** Runs an effect until the signal; rejects with what it fails with, or as ABORTED. */
export async function runUntil<A>(
  effect: Effect.Effect<A, unknown>,
  signal: AbortSignal | undefined,
): Promise<A> {
  const exit = await Effect.runPromiseExit(effect, signal === undefined ? {} : { signal });
  if (Exit.isSuccess(exit)) return exit.value;
  if (signal?.aborted === true) throw aborted(signal);
  const error = Cause.squash(exit.cause);
  if (error instanceof MillraceError) throw error;
  const words = error instanceof Error ? error.message : String(error);
  throw new MillraceError("INTERNAL", words, { cause: error });
}

export const aborted = ({ reason }: AbortSignal): MillraceError =>
  new MillraceError("ABORTED", "the call was aborted", { cause: reason });
