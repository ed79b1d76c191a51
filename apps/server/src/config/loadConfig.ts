import { readFileSync } from "node:fs";
import { Data, Effect, Result, Schema } from "effect";
import { checkSources } from "./checkSources.ts";
import { configuredNetworks, isFields, numberOr } from "./configuredNetworks.ts";
import { DEFAULTS } from "./defaults.ts";
import { describeIssue } from "./describeIssue.ts";
import { ServerConfig } from "./ServerConfig.ts";

/** The configuration is wrong; it has a line for each problem. */
export class ConfigError extends Data.TaggedError("ConfigError")<{
  readonly problems: ReadonlyArray<string>;
}> {
  override get message(): string {
    return ["the configuration is wrong:", ...this.problems].join("\n  - ");
  }
}

type Environment = Readonly<Record<string, string | undefined>>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * The configuration. The environment overrides `settings`, which override the file that
 * MILLRACE_CONFIG names (if any), which overrides the defaults. Fails with all problems at once.
 */
export const loadConfig = Effect.fnUntraced(function* (
  environment: Environment,
  settings: Fields = {},
): Effect.fn.Return<ServerConfig, ConfigError> {
  const problems: string[] = [];
  const file = readFile(environment["MILLRACE_CONFIG"], problems);
  return yield* checkedConfig({ ...file, ...settings }, environment, problems);
});

/** The configuration from the settings of a file; `problems` are those found before. */
export const checkedConfig = Effect.fnUntraced(function* (
  file: Fields,
  environment: Environment = {},
  problems: string[] = [],
): Effect.fn.Return<ServerConfig, ConfigError> {
  const overrides = readEnvironment(environment);
  problems.push(...unknownVariables(environment));
  const networks = configuredNetworks(environment, file, problems);
  const raw = { ...DEFAULTS, ...file, ...overrides.fields, networks };
  const decoded = decode(raw, { errors: "all", onExcessProperty: "error" });
  if (Result.isFailure(decoded)) {
    problems.push(...describeIssue(decoded.failure.issue, overrides.names));
    return yield* new ConfigError({ problems });
  }
  problems.push(...(yield* checkSources(decoded.success)));
  if (decoded.success.servingThreads !== 1 && process.platform !== "linux") {
    problems.push("servingThreads: only Linux shares a port among threads");
  }
  if (problems.length > 0) return yield* new ConfigError({ problems });
  return decoded.success;
});

const decode = Schema.decodeUnknownResult(ServerConfig);

function readFile(path: string | undefined, problems: string[]): Fields {
  if (path === undefined || path === "") return {};
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isFields(json)) return json;
    problems.push(`MILLRACE_CONFIG: ${path} does not hold a JSON object`);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // The parser may quote a secret from the text.
    const reason = message.replace(/, (\.\.\.)?".*/su, "");
    problems.push(`MILLRACE_CONFIG: ${path} cannot be read: ${reason}`);
  }
  return {};
}

/** Settings by the variable that overrides them. */
export const VARIABLES = {
  HOST: "host",
  PORT: "port",
  MILLRACE_LOG_LEVEL: "logLevel",
  MILLRACE_LOG_FORMAT: "logFormat",
  MILLRACE_CORS_ORIGINS: "corsOrigins",
  MILLRACE_READINESS_DELAY_MS: "readinessDelayMs",
  MILLRACE_GRACE_PERIOD_MS: "gracePeriodMs",
  MILLRACE_SEARCH_WORKERS: "searchWorkers",
  MILLRACE_SERVING_THREADS: "servingThreads",
  MILLRACE_DATA_DIR: "dataDirectory",
  MILLRACE_HISTORY_DATABASE: "historyDatabase",
} as const;

/** Variables that other code reads; the second line has those of the command. */
export const OTHER_VARIABLES = new RegExp(
  "^MILLRACE_(CONFIG|MARKET_FILE|REPLAY_MS|DEVNET_PORT|[A-Z][A-Z0-9_]*_RPC_URLS" +
    "|URL|NETWORK|API_KEY|PRIVATE_KEY|RPC_URL)$",
);

/** A mistyped variable must not pass silently: without RPC URLs the service runs on devnets. */
function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith("MILLRACE_") && !(name in VARIABLES) && !OTHER_VARIABLES.test(name),
    )
    .map((name) => `${name}: no such variable`);
}

function readEnvironment(environment: Environment) {
  const fields: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [variable, setting] of Object.entries(VARIABLES)) {
    const text = environment[variable];
    // An empty variable is how a shell or a container says "not set".
    if (text === undefined || text === "") continue;
    fields[setting] = READERS[setting]?.(text) ?? numberOr(text);
    names.set(setting, variable);
  }
  return { fields, names };
}

function origins(text: string): unknown {
  return text === "*" ? "*" : text.split(",").map((origin) => origin.trim());
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  corsOrigins: origins,
  dataDirectory: (text) => text,
  historyDatabase: (text) => text,
};
