import type { TakenStep } from "@millrace/core";
import { Effect, Exit, type Tracer } from "effect";
import { unixNanos } from "./unixNanos.ts";

/** Begins a span. */
export type BeginSpan = (
  name: string,
  beganMs: number,
  parent?: Tracer.Span,
  kind?: Tracer.SpanKind,
) => Tracer.Span;

/** The span of a request, and those of its steps. */
export class RequestSpan {
  /** The span of the request whose synchronous work runs. */
  static current: RequestSpan | undefined;
  readonly #begin: BeginSpan;
  readonly #span: Tracer.Span;

  constructor(begin: BeginSpan, method: string, route: string) {
    this.#begin = begin;
    this.#span = begin(`${method} ${route}`, performance.now(), undefined, "server");
    this.#span.attribute("http.request.method", method);
    this.#span.attribute("http.route", route);
  }

  attribute(key: string, value: string | number): void {
    this.#span.attribute(key, value);
  }

  /** Runs synchronous work of the request: steps reported meanwhile belong to it. */
  run<A>(work: () => A): A {
    const outer = RequestSpan.current;
    RequestSpan.current = this;
    try {
      return work();
    } finally {
      RequestSpan.current = outer;
    }
  }

  taken({ name, beganMs, endedMs, fault }: TakenStep): void {
    const exit = fault === undefined ? Exit.void : Exit.die(fault);
    this.#begin(name, beganMs, this.#span).end(unixNanos(endedMs), exit);
  }

  /** Makes a span of work that waits, until it ends or is interrupted. */
  during<A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const step = this.#begin(name, performance.now(), this.#span);
      return Effect.onExit(effect, (exit) =>
        Effect.sync(() => step.end(unixNanos(performance.now()), exit)),
      );
    });
  }

  /** Ends the span with the status of the answer; undefined where nobody waited for it. */
  end(status: number | undefined): void {
    if (status !== undefined) this.#span.attribute("http.response.status_code", status);
    const exit =
      status === undefined
        ? Exit.interrupt()
        : status === 500
          ? Exit.fail(new Error("an internal error"))
          : Exit.void;
    this.#span.end(unixNanos(performance.now()), exit);
  }
}
