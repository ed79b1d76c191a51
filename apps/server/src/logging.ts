import { Layer, Logger, References } from "effect";
import type { ServerConfig } from "./config/ServerConfig.ts";

/** Structured logs: JSON on standard error, or pretty for a person at a terminal. */
export function logging({ logFormat, logLevel }: ServerConfig): Layer.Layer<never> {
  const pretty = logFormat === "pretty" || (logFormat === "auto" && process.stderr.isTTY);
  const logger = pretty ? Logger.consolePretty() : Logger.withConsoleError(Logger.formatJson);
  return Layer.mergeAll(
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, LEVELS[logLevel]),
  );
}

const LEVELS = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None",
} as const;
