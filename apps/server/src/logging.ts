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
