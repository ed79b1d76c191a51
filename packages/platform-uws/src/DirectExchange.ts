import type { HttpResponse } from "uWebSockets.js";
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import { ClientAbort } from "effect/http/HttpServerError";
import type { WaitingAnswer } from "./AnswerQueue.ts";
import { ANYBODY } from "./Asker.ts";
import type { PlaceInLine } from "./ClientLines.ts";
import type { DirectRequest, DirectResponse } from "./DirectRoute.ts";
import { answerOf, type DirectAnswer, type DirectWriter } from "./directWriter.ts";
import type { HeaderLines } from "./headerBlock.ts";
import type { ServerState } from "./ServerState.ts";
import type { Shed } from "./shed.ts";

/** What all requests of a direct route share. */
export interface DirectAnswering {
  readonly state: ServerState;
  readonly writer: DirectWriter;
  readonly shed: Shed;
}

/**
 * A request of a direct route, from its arrival until its answer is written. It is a single object,
 * since there are tens of thousands a second.
 */
export class DirectExchange implements DirectRequest, WaitingAnswer {
  readonly parameters: ReadonlyArray<string>;
  query = "";
  body = "";
  requestId = "";
  client = ANYBODY;

  readonly #response: HttpResponse;
  readonly #answering: DirectAnswering;
  #place: PlaceInLine<WaitingAnswer> | undefined = undefined;
  #fiber: Fiber.Fiber<DirectResponse> | undefined = undefined;
  #answer: DirectAnswer | undefined = undefined;
  #crossOriginLines: HeaderLines = noLines;
  #closes = false;
  /** Whether an answer is computed but not written. */
  #isAnswered = false;
  #isGone = false;

  constructor(
    response: HttpResponse,
    parameters: ReadonlyArray<string>,
    answering: DirectAnswering,
  ) {
    this.#response = response;
    this.parameters = parameters;
    this.#answering = answering;
  }

  /** Sets what the answer depends on. `closes`: the client announced that it sends nothing more. */
  setHeaders(requestId: string, crossOriginLines: HeaderLines, closes: boolean): void {
    this.requestId = requestId;
    this.#crossOriginLines = crossOriginLines;
    this.#closes = closes;
  }

  get crossOriginLines(): HeaderLines {
    return this.#crossOriginLines;
  }

  get closes(): boolean {
    return this.#closes;
  }

  /** For `onAborted` of the response: the client is gone, or the connection is dropped. */
  readonly abort = (): void => {
    const { answers, lifecycle } = this.#answering.state;
    this.#isGone = true;
    if (this.#place !== undefined) answers.leave(this.#place);
    this.#fiber?.interruptUnsafe(undefined, ClientAbort.annotation);
    lifecycle.requestEnded();
  };

  /** Answers within the request's callback, where the library has corked the response. */
  answerAtOnce(): void {
    const answer = this.#answering.writer.compute(this);
    if (Effect.isEffect(answer)) this.#answerLater(answer);
    else this.#write(answer);
  }

  /** Answers when its turn comes. */
  answerInTurn(): void {
    this.#place = this.#answering.state.answers.add(this, this.client);
  }

  compute(): void {
    const answer = this.#answering.writer.compute(this);
    if (Effect.isEffect(answer)) this.#answerLater(answer);
    else this.#answered(answer);
  }

  write(): void {
    if (!this.#isAnswered || this.#isGone) return;
    // An Effect that ended at once has written its answer before the turn's `write`.
    this.#isAnswered = false;
    const answer = this.#answer!;
    // Collection in parts keeps what a dead object holds, if that object has waited for long.
    this.#answer = undefined;
    this.#response.cork(() => this.#write(answer));
  }

  refuse(): void {
    const { shed } = this.#answering;
    this.#response.cork(() =>
      shed(this.#response, this.requestId, this.#crossOriginLines, this.#closes),
    );
  }

  #answered(answer: DirectAnswer): void {
    this.#answer = answer;
    this.#isAnswered = true;
  }

  #write(answer: DirectAnswer): void {
    const { writer } = this.#answering;
    writer.write(this.#response, this, this.#crossOriginLines, answer, this.#closes);
  }

  #answerLater(answer: Effect.Effect<DirectResponse>): void {
    const fiber = this.#answering.state.fork(answer);
    this.#fiber = fiber;
    fiber.addObserver((exit) => {
      this.#answered(answerOf(exit));
      this.write();
    });
  }
}

const noLines: HeaderLines = [];
