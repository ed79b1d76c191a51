import { Data } from "effect";

/** Exit codes of failures. Ctrl-C is 130. */
export const EXIT_CODES = { refused: 1, usage: 2, unreachable: 3 } as const;

/** Why a command failed. */
export class CommandError extends Data.TaggedError("CommandError")<{
  readonly kind: keyof typeof EXIT_CODES;
  /** For people; may contain untrusted text. */
  readonly message: string;
}> {}

export const commandRefused = (message: string): CommandError =>
  new CommandError({ kind: "refused", message });

export const wrongUsage = (message: string): CommandError =>
  new CommandError({ kind: "usage", message });

export const unreachable = (message: string): CommandError =>
  new CommandError({ kind: "unreachable", message });
