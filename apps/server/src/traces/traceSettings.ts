import { Effect } from "effect";
import { ConfigError } from "../config/loadConfig.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where traces go, and which share of requests and blocks is traced. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: "http/json" | "http/protobuf";
  readonly serviceName: string;
  /** From 0 to 1. */
  readonly ratio: number;
}

/** One in a hundred: with more, a busy service spends its time on traces. */
const RATIO_DEFAULT = 0.01;

const PROTOCOLS = ["http/json", "http/protobuf"] as const;

/**
 * The settings in OpenTelemetry's own variables; undefined where no collector is named. Fails with
 * all their problems.
 */
export const traceSettings = Effect.fnUntraced(function* (
  environment: Environment,
): Effect.fn.Return<TraceSettings | undefined, ConfigError> {
  // An empty variable is how a shell or a container says "not set".
  const read = (name: string) => environment[`OTEL_${name}`]?.trim() || undefined;
  const problems: string[] = [];
  const own = read("EXPORTER_OTLP_TRACES_ENDPOINT");
  const common = read("EXPORTER_OTLP_ENDPOINT");
  const endpoint = own ?? common;
  if (endpoint === undefined || read("SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const url = collectorUrl(endpoint, own === undefined);
  if (url === undefined) {
    // The URL is not shown: it may hold a password.
    const name = own === undefined ? "ENDPOINT" : "TRACES_ENDPOINT";
    problems.push(`OTEL_EXPORTER_OTLP_${name}: a URL that begins with http:// or https://`);
  }
  const protocol = PROTOCOLS.find((each) => each === (read("EXPORTER_OTLP_PROTOCOL") ?? each));
  if (protocol === undefined)
    problems.push(`OTEL_EXPORTER_OTLP_PROTOCOL: one of ${PROTOCOLS.join(", ")}`);
  const headers = headersOf(read("EXPORTER_OTLP_TRACES_HEADERS") ?? read("EXPORTER_OTLP_HEADERS"));
  if (headers === undefined)
    problems.push("OTEL_EXPORTER_OTLP_HEADERS: name=value, separated by commas");
  const ratio = ratioOf(read("TRACES_SAMPLER"), read("TRACES_SAMPLER_ARG"));
  if (typeof ratio === "string") problems.push(ratio);
  if (problems.length > 0) return yield* new ConfigError({ problems });
  return {
    url: url!,
    headers: headers!,
    protocol: protocol!,
    serviceName: read("SERVICE_NAME") ?? "millrace",
    ratio: ratio as number,
  };
});

function collectorUrl(endpoint: string, isBase: boolean): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const url = new URL(endpoint);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  if (isBase) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

function headersOf(text: string | undefined): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of (text ?? "").split(",").map((each) => each.trim())) {
    if (pair === "") continue;
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      headers[name.toLowerCase()] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return headers;
}

/** The ratio of a named sampler. Parents are ignored, so that no client chooses what is traced. */
function ratioOf(sampler: string | undefined, argument: string | undefined): number | string {
  const name = sampler?.replace(/^parentbased_/, "") ?? "traceidratio";
  if (name === "always_on") return 1;
  if (name === "always_off") return 0;
  if (name !== "traceidratio")
    return "OTEL_TRACES_SAMPLER: one of always_on, always_off, traceidratio";
  const ratio = argument === undefined ? RATIO_DEFAULT : Number(argument);
  return ratio >= 0 && ratio <= 1 ? ratio : "OTEL_TRACES_SAMPLER_ARG: a number from 0 to 1";
}
