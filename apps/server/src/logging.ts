import { Layer, Logger, References } from "effect";
import type { ServerConfig } from "./config/ServerConfig.ts";
import { StatusLine } from "./StatusLine.ts";

type Config = Pick<ServerConfig, "logFormat" | "logLevel">;

/** Structured logs: JSON on standard error, or pretty for a person at a terminal. */
export function logging(config: Config): Layer.Layer<never> {
  const logger = isPretty(config) ? pretty : Logger.withConsoleError(Logger.formatJson);
  return Layer.mergeAll(
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, LEVELS[config.logLevel]),
  );
}

/** An entry of the log, as a listener gets it. */
interface LoggedEntry {
  /** In lower case, as `warn`. */
  readonly level: string;
  readonly message: string;
  readonly timeMs: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export type LogListener = (entry: LoggedEntry) => void;

/** Structured logs to a function. Errors that it throws are ignored: the market goes on. */
export function logTo(listener: LogListener): Layer.Layer<never> {
  const logger = Logger.make<unknown, void>(({ logLevel, message, date, fiber }) => {
    const [first, ...rest] = Array.isArray(message) ? message : [message];
    const details = fiber.getRef(References.CurrentLogAnnotations);
    const entry = {
      level: logLevel.toLowerCase(),
      message: String(first),
      timeMs: date.getTime(),
      details: rest.length === 0 ? details : { ...details, more: rest },
    };
    try {
      listener(entry);
    } catch {}
  });
  return Logger.layer([logger]);
}

export const isPretty = ({ logFormat }: Pick<Config, "logFormat">): boolean =>
  logFormat === "pretty" || (logFormat === "auto" && process.stderr.isTTY);

const prettyConsole = Logger.consolePretty();

const pretty = Logger.make<unknown, void>((options) => {
  StatusLine.clear();
  prettyConsole.log(options);
});

const LEVELS = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None",
} as const;
