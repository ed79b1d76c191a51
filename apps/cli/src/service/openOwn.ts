import type { OpenedService } from "@millrace/server";
import { Effect, type Scope } from "effect";
import { type CommandError, commandRefused, unreachable, wrongUsage } from "../CommandError.ts";
import { OpeningNotes } from "../output/OpeningNotes.ts";
import { Sinks } from "../output/Sinks.ts";
import type { MarketFlags } from "./MarketFlags.ts";
import { type OwnSettings, withFlagNames, withoutMarkets } from "./ownSettings.ts";

/** How a market of one's own is opened. */
export interface OwnOptions {
  /** Waits until the available past is loaded. */
  readonly withPast?: boolean | undefined;
  /** Holds a recorded market at its first block; `nextBlock` moves it on. */
  readonly stepped?: boolean | undefined;
}

const ERRORS = { misconfigured: wrongUsage, failed: commandRefused, unreachable };

/**
 * The service in this process, on an unannounced loopback port, until the scope closes. It answers
 * as any other service.
 */
export const openOwn = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { settings, environment }: OwnSettings,
  options: OwnOptions,
): Effect.fn.Return<OpenedService, CommandError, Scope.Scope> {
  const { err } = yield* Sinks;
  const { OpeningError, openService } = yield* Effect.promise(() => import("@millrace/server"));
  // Of a service's settings, a command's own market takes only the folder of snapshots.
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
        // Other sources have one network, which the settings name.
        network: flags.config === "" ? undefined : flags.network,
        onProgress: (text) => notes.show(text),
        log: ({ level, message, details }) => {
          // The opening's own error reports this.
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
