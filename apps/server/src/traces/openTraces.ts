import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { STEPS_CHANNEL, type TakenStep } from "@millrace/core";
import { Context, Effect, Exit, Layer, Option } from "effect";
import { FetchHttpClient, HttpClient } from "effect/http";
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability";
import { type BeginSpan, RequestSpan } from "./RequestSpan.ts";
import { Sample } from "./Sample.ts";
import { Traces } from "./Traces.ts";
import type { TraceSettings } from "./traceSettings.ts";
import { unixNanos } from "./unixNanos.ts";

/** A silent collector must not make batches pile up. */
const COLLECTOR_MS = 10_000;
/** The longest time to send the rest when the service ends. */
const LAST_BATCH_MS = 3_000;

/**
 * Sends the spans of a sample of requests and blocks to a collector, over OTLP and HTTP. A failure
 * loses spans and nothing else.
 */
export const openTraces = (settings: TraceSettings): Layer.Layer<never> =>
  Layer.effect(Traces, tracesTo(settings)).pipe(
    Layer.provide(OtlpExporter.layerFlusher),
    Layer.provide(
      settings.protocol === "http/json"
        ? OtlpSerialization.layerJson
        : OtlpSerialization.layerProtobuf,
    ),
    Layer.provide(patientClient),
  );

const patientClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transformResponse((response) =>
      Effect.timeoutOrElse(response, {
        duration: COLLECTOR_MS,
        orElse: () => Effect.die(new Error("the collector of traces is silent")),
      }),
    ),
  ),
).pipe(Layer.provide(FetchHttpClient.layer));

const tracesTo = Effect.fnUntraced(function* (settings: TraceSettings) {
  const tracer = yield* OtlpTracer.make({
    url: settings.url,
    headers: settings.headers,
    resource: { serviceName: settings.serviceName },
    shutdownTimeout: LAST_BATCH_MS,
  });
  const begin: BeginSpan = (name, beganMs, parent, kind = "internal") =>
    tracer.span({
      ...{ name, kind, sampled: true, links: [], root: parent === undefined },
      parent: Option.fromUndefinedOr(parent),
      annotations: Context.empty(),
      startTime: unixNanos(beganMs),
    });
  const sample = new Sample(settings.ratio);
  // The steps of a block are reported before the block.
  let blockSteps: TakenStep[] = [];
  const taken = (message: unknown): void => {
    const step = message as TakenStep;
    if (step.name === "apply" || step.name === "notify") blockSteps.push(step);
    else if (step.name === "block") {
      if (sample.takes()) traceBlock(begin, step, blockSteps);
      blockSteps = [];
    } else RequestSpan.current?.taken(step);
  };
  yield* Effect.acquireRelease(
    Effect.sync(() => subscribe(STEPS_CHANNEL, taken)),
    () => Effect.sync(() => unsubscribe(STEPS_CHANNEL, taken)),
  );
  return {
    request: (method: string, route: string) =>
      sample.takes() ? new RequestSpan(begin, method, route) : undefined,
  };
});

function traceBlock(begin: BeginSpan, block: TakenStep, steps: ReadonlyArray<TakenStep>): void {
  const root = begin("block", block.beganMs);
  if (block.block !== undefined) {
    root.attribute("millrace.chain_id", block.block.chainId);
    root.attribute("millrace.block", block.block.number);
  }
  for (const { name, beganMs, endedMs, fault } of steps)
    begin(name, beganMs, root).end(unixNanos(endedMs), exitOf(fault));
  root.end(unixNanos(block.endedMs), exitOf(block.fault));
}

const exitOf = (fault: unknown) => (fault === undefined ? Exit.void : Exit.die(fault));
