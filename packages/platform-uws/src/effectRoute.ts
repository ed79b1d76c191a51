import type { HttpResponse, TemplatedApp } from "uWebSockets.js";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as HttpEffect from "effect/http/HttpEffect";
import type { HttpMiddleware } from "effect/http/HttpMiddleware";
import { ClientAbort } from "effect/http/HttpServerError";
import { HttpServerRequest } from "effect/http/HttpServerRequest";
import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import * as Scope from "effect/Scope";
import type { WaitingAnswer } from "./AnswerQueue.ts";
import { Exchange } from "./Exchange.ts";
import { answerPreflight, isPreflight } from "./preflight.ts";
import {
  dropConnection,
  isTargetText,
  type Refusal,
  refusalOfFault,
  refusals,
  refuseRequest,
  writeProblem,
} from "./refusal.ts";
import { readBody } from "./requestBody.ts";
import { sendResponse } from "./responseWriter.ts";
import type { ServerState } from "./ServerState.ts";
import { shedExchange } from "./shed.ts";
import { UwsServerRequest } from "./UwsServerRequest.ts";

/** The route of requests that no direct route takes. */
export interface EffectRoute {
  /** Serves them with an Effect until the scope closes. The latest call wins. */
  readonly serve: (
    httpEffect: Effect.Effect<HttpServerResponse, unknown, HttpServerRequest | Scope.Scope>,
    middleware?: HttpMiddleware,
  ) => Effect.Effect<void, never, Scope.Scope>;
}

/** Adds the catch-all route; it answers 503 until something is served. */
export const registerEffectRoute = (app: TemplatedApp, state: ServerState): EffectRoute => {
  let start: ((exchange: Exchange) => void) | undefined;
  let runningCount = 0;

  app.any("/*", (response, request) => {
    // First of all: without it, returning or throwing before an answer ends the process.
    let exchange: Exchange | undefined;
    response.onAborted(() => (exchange === undefined ? ended() : exchange.abort()));
    state.lifecycle.requestBegan();
    state.answers.arrived();
    try {
      exchange = new Exchange(response, request, state);
      handle(response, exchange);
    } catch (cause) {
      const { method = "", path = "", requestId = "" } = exchange ?? {};
      state.report(cause, { method, path }, requestId);
      if (exchange === undefined) dropConnection(response);
      else exchange.close();
    }
  });

  function ended(): void {
    state.lifecycle.requestEnded();
  }

  function handle(response: HttpResponse, exchange: Exchange): void {
    const refusal = firstRefusal(exchange);
    if (exchange.headerFault === "framing") exchange.close();
    else if (refusal !== undefined)
      refuseRequest(response, state, refusal, exchange, exchange.answered);
    else if (isPreflight(exchange)) answerPreflight(exchange, state);
    else if (!exchange.hasBody) runInTurn(response, exchange);
    else {
      const onBody = (bytes: Buffer): void => {
        exchange.body = new Uint8Array(bytes);
        runInTurn(response, exchange);
      };
      readBody(response, state.bodyBytesMax, onBody, () =>
        refuseRequest(response, state, refusals.body, exchange, exchange.answered),
      );
    }
  }

  function firstRefusal(exchange: Exchange): Refusal | undefined {
    if (state.lifecycle.refusing) return refusals.closing;
    const refusal = refusalOfFault[exchange.headerFault];
    if (refusal !== undefined) return refusal;
    if (!METHODS.has(exchange.method)) return refusals.method;
    if (!exchange.hasLength && WITH_BODY.has(exchange.method)) return refusals.length;
    if (!isTargetText(exchange.path) || !isTargetText(exchange.query)) return refusals.target;
    if (exchange.query.length > state.queryBytesMax) return refusals.query;
    if (exchange.contentLengthBytes > state.bodyBytesMax) return refusals.body;
    if (start === undefined) return refusals.starting;
    return undefined;
  }

  function runInTurn(response: HttpResponse, exchange: Exchange): void {
    if (state.isExempt(exchange.path)) {
      if (exchange.closes) setImmediate(run, response, exchange);
      else run(response, exchange);
      return;
    }
    const client = state.identify(exchange.source);
    // The last request of a connection always waits. Anything after it in the same packet then
    // closes the connection instead of being run.
    if (!exchange.closes && state.answers.takesAtOnce(client)) {
      run(response, exchange);
      return;
    }
    const waiting: WaitingAnswer = {
      compute: () => run(response, exchange),
      write: nothing,
      refuse: () => shedExchange(exchange, state),
    };
    const place = state.answers.add(waiting, client);
    exchange.onAborted = () => state.answers.leave(place);
  }

  /** Never throws: native callbacks call it too. */
  function run(response: HttpResponse, exchange: Exchange): void {
    if (!exchange.isOpen) return;
    exchange.onAborted = nothing;
    if (runningCount >= state.inFlightMax) {
      refuseRequest(response, state, refusals.busy, exchange, exchange.answered);
      return;
    }
    try {
      start?.(exchange);
    } catch (cause) {
      state.report(cause, exchange, exchange.requestId);
      exchange.close();
    }
  }

  const serve: EffectRoute["serve"] = Effect.fnUntraced(function* (httpEffect, middleware) {
    const serveScope = yield* Effect.scope;
    // Closing this scope interrupts the fibers of requests, after the finalizers added later have
    // run.
    const scope = Scope.forkUnsafe(serveScope, "parallel");
    const services = yield* Effect.context<never>();
    const send = sendResponse(state);
    const handled = HttpEffect.toHandled(httpEffect, send, middleware);
    const mine = (exchange: Exchange): void => {
      runningCount += 1;
      const request = new UwsServerRequest(exchange);
      const context = Context.add(services, HttpServerRequest, request);
      const fiber = Fiber.runIn(Effect.runForkWith(context)(handled), scope);
      exchange.onAborted = () => fiber.interruptUnsafe(undefined, ClientAbort.annotation);
      fiber.addObserver(() => {
        runningCount -= 1;
        exchange.onAborted = nothing;
        answerAnyway(exchange, state);
      });
    };
    start = mine;
    yield* Scope.addFinalizer(
      serveScope,
      Effect.sync(() => {
        if (start === mine) start = undefined;
      }),
    );
  });

  return { serve };
};

/** The last resort: no fiber may end without an answer to its client. */
const answerAnyway = (exchange: Exchange, state: ServerState): void => {
  if (exchange.hasBegun) exchange.close();
  if (!exchange.isOpen) return;
  exchange.write((response) =>
    writeProblem(response, state, refusals.internal, exchange, exchange.isLast),
  );
  exchange.answered();
};

/** Other methods are refused; case matters (RFC 9110, section 9.1). */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/**
 * These must declare their length, even of an empty body. The native library misses headers after
 * one without a name, and would take the body for the next request.
 */
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

const nothing = (): void => {};
