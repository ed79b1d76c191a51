import { accessSync, constants, readFileSync } from "node:fs";
import { Data, Effect, Result, Schema, SchemaIssue } from "effect";
import { CHAIN_DEFAULTS, DEFAULT_NETWORKS, DEFAULTS, NETWORK_DEFAULTS } from "./defaults.ts";
import { ServerConfig } from "./ServerConfig.ts";

/** The configuration is wrong: every problem of it, a line each. */
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
 * The configuration, from the file that MILLRACE_CONFIG names (if any), with the environment over
 * it and defaults below. Fails with all problems at once.
 */
export const loadConfig = Effect.fnUntraced(function* (
  environment: Environment,
): Effect.fn.Return<ServerConfig, ConfigError> {
  const problems: string[] = [];
  const file = readFile(environment["MILLRACE_CONFIG"], problems);
  const overrides = readEnvironment(environment);
  const networks = configuredNetworks(environment, file, problems);
  const raw = { ...DEFAULTS, ...file, ...overrides.fields, networks };
  const decoded = decode(raw, { errors: "all", onExcessProperty: "error" });
  if (Result.isFailure(decoded)) {
    problems.push(...describe(decoded.failure.issue, overrides.names));
    return yield* new ConfigError({ problems });
  }
  problems.push(...checkSources(decoded.success));
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
    const reason = cause instanceof Error ? cause.message : String(cause);
    problems.push(`MILLRACE_CONFIG: ${path} cannot be read: ${reason}`);
  }
  return {};
}

/** Settings by the variable that overrides them. */
const VARIABLES = {
  HOST: "host",
  PORT: "port",
  MILLRACE_LOG_LEVEL: "logLevel",
  MILLRACE_LOG_FORMAT: "logFormat",
  MILLRACE_CORS_ORIGINS: "corsOrigins",
  MILLRACE_READINESS_DELAY_MS: "readinessDelayMs",
  MILLRACE_GRACE_PERIOD_MS: "gracePeriodMs",
} as const;

function readEnvironment(environment: Environment) {
  const fields: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [variable, setting] of Object.entries(VARIABLES)) {
    const text = environment[variable];
    // An empty variable is how a shell or a container says "not set".
    if (text === undefined || text === "") continue;
    fields[setting] = setting === "corsOrigins" ? origins(text) : numberOr(text);
    names.set(setting, variable);
  }
  return { fields, names };
}

const origins = (text: string): unknown =>
  text === "*" ? "*" : text.split(",").map((origin) => origin.trim());

/** The number that a text is; other texts stay, for the schema to judge. */
const numberOr = (text: string): unknown =>
  /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text;

/** The networks: of the market file in the environment, else of the file, else the defaults. */
function configuredNetworks(environment: Environment, file: Fields, problems: string[]): unknown {
  const path = environment["MILLRACE_MARKET_FILE"];
  const replay = environment["MILLRACE_REPLAY_MS"];
  if (path === undefined || path === "") {
    if (replay !== undefined && replay !== "") {
      problems.push("MILLRACE_REPLAY_MS: needs MILLRACE_MARKET_FILE");
    }
    const networks = file["networks"] ?? DEFAULT_NETWORKS;
    return Array.isArray(networks) ? networks.map(withDefaults) : networks;
  }
  const replayed = replay === undefined || replay === "" ? {} : { replayMs: numberOr(replay) };
  const source = { kind: "marketFile", path, ...replayed };
  return [withDefaults({ id: "ETH", chainId: 1, source })];
}

function withDefaults(network: unknown): unknown {
  if (!isFields(network)) return network;
  const chain = CHAIN_DEFAULTS[Number(network["chainId"])];
  return { ...NETWORK_DEFAULTS, ...chain, ...network };
}

/** What no schema can see: files that are not there, chains that no generator knows. */
function checkSources(config: ServerConfig): string[] {
  return config.networks.flatMap(({ source, chainId }, index) => {
    const place = `networks[${index}].source`;
    if (source.kind === "generated") {
      return chainId in CHAIN_DEFAULTS
        ? []
        : [`${place}: no generated market for chain ${chainId}`];
    }
    try {
      accessSync(source.path, constants.R_OK);
      return [];
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      return [`${place}.path: the market file cannot be read: ${reason}`];
    }
  });
}

/** A line for each thing that is wrong, with its place in the file or its variable. */
function describe(issue: SchemaIssue.Issue, names: ReadonlyMap<string, string>): string[] {
  return formatted(issue).issues.map(({ message, path = [] }) => {
    const keys = path.map((step) => (typeof step === "object" ? step.key : step));
    const [first] = keys;
    const place = names.get(String(first)) ?? keys.map(step).join("").replace(/^\./, "");
    return `${place}: ${message.replaceAll("\n", " ")}`;
  });
}

const formatted = SchemaIssue.makeFormatterStandardSchemaV1();

const step = (key: PropertyKey): string =>
  typeof key === "number" || /^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
