import { Effect, Result } from "effect";
import { describe, expect, it } from "vitest";
import { traceSettings } from "../../src/traces/traceSettings.ts";

const read = (environment: Record<string, string>) =>
  Effect.runSync(Effect.result(traceSettings(environment)));

const problemsOf = (environment: Record<string, string>) => {
  const found = read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", ...environment });
  return Result.isFailure(found) ? found.failure.problems : [];
};

describe("the settings of traces", () => {
  it("are none where no collector is named, or OpenTelemetry is off", () => {
    expect(read({})).toEqual(Result.succeed(undefined));
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toEqual(Result.succeed(undefined));
    expect(read({ OTEL_TRACES_SAMPLER_ARG: "0.5" })).toEqual(Result.succeed(undefined));
    const off = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_SDK_DISABLED: "true" };
    expect(read(off)).toEqual(Result.succeed(undefined));
  });

  it("are one in a hundred, to the path of the standard, as service millrace", () => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" })).toEqual(
      Result.succeed({
        url: "http://collector:4318/v1/traces",
        headers: {},
        protocol: "http/json",
        serviceName: "millrace",
        ratio: 0.01,
      }),
    );
  });

  it("are those of the standard's variables", () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://nobody:1",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector/own/path",
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20a=b, x-tenant = c",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_SERVICE_NAME: "quotes",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
    };
    expect(read(environment)).toEqual(
      Result.succeed({
        url: "https://collector/own/path",
        headers: { authorization: "Bearer a=b", "x-tenant": "c" },
        protocol: "http/protobuf",
        serviceName: "quotes",
        ratio: 0.25,
      }),
    );
    const ratioBy = (sampler: string) => {
      const found = read({ ...environment, OTEL_TRACES_SAMPLER: sampler });
      return Result.isSuccess(found) && found.success?.ratio;
    };
    expect(["always_on", "parentbased_always_off", "traceidratio"].map(ratioBy)).toEqual([
      1, 0, 0.25,
    ]);
  });

  it("that are wrong are all told at once, and no secret with them", () => {
    const problems = problemsOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: "grpc://user:secret@collector",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_HEADERS: "secret",
      OTEL_TRACES_SAMPLER_ARG: "2",
    });
    expect(problems.map((problem) => problem.split(":")[0])).toEqual([
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_EXPORTER_OTLP_PROTOCOL",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_TRACES_SAMPLER_ARG",
    ]);
    expect(problems.join()).not.toContain("secret");
    expect(problemsOf({ OTEL_TRACES_SAMPLER_ARG: "half" })).toHaveLength(1);
    expect(problemsOf({ OTEL_TRACES_SAMPLER: "jaeger_remote" })).toHaveLength(1);
    expect(problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: "a=%zz" })).toHaveLength(1);
  });
});
