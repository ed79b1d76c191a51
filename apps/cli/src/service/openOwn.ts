import type { OpenedService } from "@millrace/server";
import { Effect, type Scope } from "effect";
import { type CommandError, commandRefused, unreachable, wrongUsage } from "../CommandError.ts";
import { OpeningNotes } from "../output/OpeningNotes.ts";
import { Sinks } from "../output/Sinks.ts";
import type { MarketFlags } from "./MarketFlags.ts";
import { type OwnSettings, withFlagNames, withoutMarkets } from "./ownSettings.ts";

/** How a market of one's own opens, beside what it is. */
export interface OwnOptions {
  /** Waits for what there is of the past. */
  readonly withPast?: boolean | undefined;
  /** Holds a recorded market at its first block, and goes on as it is told. */
  readonly stepped?: boolean | undefined;
}

const ERRORS = { misconfigured: wrongUsage, failed: commandRefused, unreachable };

/**
 * The service in this process, on a loopback port that nobody is told, until the scope closes: what
 * is asked of it is answered as by any other.
 */
export const openOwn = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { settings, environment }: OwnSettings,
  options: OwnOptions,
): Effect.fn.Return<OpenedService, CommandError, Scope.Scope> {
  const { err } = yield* Sinks;
  const { OpeningError, openService } = yield* Effect.promise(() => import("@millrace/server"));
  // A command of itself heeds nothing that is set for a service but where snapshots are.
  const around =
    flags.config === ""
      ? { MILLRACE_DATA_DIR: process.env["MILLRACE_DATA_DIR"] }
      : withoutMarkets(flags);
  const notes = new OpeningNotes(err);
  const open = Effect.tryPromise({
    try: (signal) =>
      openService({
        ...{ ...options, settings, signal },
        environment: { ...around, ...environment },
        // The only network of the others has the name already.
        network: flags.config === "" ? undefined : flags.network,
        onProgress: (text) => notes.show(text),
        log: ({ level, message, details }) => {
          // What ends the opening is told by that.
          if (!["warn", "error"].includes(level) || message === "network failed") return;
          const pairs = Object.entries(details).map(([name, value]) => ` ${name}=${value}`);
          notes.line(`${message}${pairs.join("")}`);
        },
      }),
    catch: (cause) => {
      const { message } = Object(cause) as Error;
      const fail = cause instanceof OpeningError ? ERRORS[cause.kind] : commandRefused;
      return fail(withFlagNames(message ?? String(cause)));
    },
  }).pipe(Effect.ensuring(Effect.sync(() => notes.clear())));
  return yield* Effect.acquireRelease(open, (service) => Effect.promise(() => service.close()), {
    interruptible: true,
  });
});
