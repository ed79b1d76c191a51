import { isNativeToken, type QuoteRequest } from "@millrace/api";
import type { RouteRelevance } from "@millrace/core";
import { Cause, Effect, Exit, type Fiber } from "effect";
import type { Network } from "../networks/Network.ts";
import type { OpenMarket } from "../networks/openMarket.ts";
import { answerRequest } from "../quote/answerQuote.ts";
import type { TurnQueue } from "../quote/TurnQueue.ts";
import type { Answer } from "../routes/Answer.ts";
import { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { isSameValue, type QuoteValue, quoteValue } from "./quoteValue.ts";
import type { Head } from "./Topic.ts";

/** What working out quotes needs of the service. */
export interface QuoteDesk {
  readonly network: Network;
  readonly market: OpenMarket;
  readonly turns: TurnQueue;
  readonly head: Head;
  /** Asks for another evaluation, in a while. */
  readonly later: (work: EvaluatedTopic) => void;
  readonly report: (cause: unknown) => void;
}

/** A quote request's answers to some sizes, on the newest block: what topics of it are told. */
export class QuoteWork extends EvaluatedTopic {
  readonly #desk: QuoteDesk;
  readonly #requests: ReadonlyArray<QuoteRequest>;
  readonly #exactOutput: boolean;
  #values: ReadonlyArray<QuoteValue> = [];
  /** The market could not answer: what is told is of an earlier block. */
  #isStale = false;
  #fiber: Fiber.Fiber<ReadonlyArray<Answer>> | undefined;
  /** The first answers; a problem of the request itself is among them at once. */
  answers: ReadonlyArray<Answer> = [];

  /** One request for each size, otherwise equal. */
  constructor(desk: QuoteDesk, requests: ReadonlyArray<QuoteRequest>) {
    super(desk.head);
    this.#desk = desk;
    this.#requests = requests;
    this.#exactOutput = requests[0]!.amountOut !== undefined;
  }

  /** One for each size; none before there is an answer. */
  get values(): ReadonlyArray<QuoteValue> {
    return this.#values;
  }

  /** Whether its answer may be another after a block. */
  mayChange(
    relevance: RouteRelevance,
    findToken: (address: string) => number | undefined,
  ): boolean {
    const request = this.#requests[0]!;
    // A price of gas comes through other routes, or from a node; assumed pools may be any.
    const { gasAware, gasPriceWei, assume, explain } = request;
    if (gasAware === true || gasPriceWei !== undefined) return true;
    if (assume !== undefined || explain === true) return true;
    if (this.#isStale || this.#isUnverified) return true;
    const tokenIn = findToken(request.tokenA);
    const tokenOut = findToken(request.tokenB);
    if (tokenIn === undefined || tokenOut === undefined) return true;
    return relevance.mayMatter(tokenIn, tokenOut, request.maxHops);
  }

  /** What is known of tokens changes without a block. */
  get #isUnverified(): boolean {
    return this.#values.some(({ after }) => after.includes('"unverified":'));
  }

  override evaluate(): void {
    // What is under way answers of a block that is older already: it is asked again afterwards.
    if (this.#fiber !== undefined) this.#desk.later(this);
    else super.evaluate();
  }

  dataSince(): string {
    throw new Error("the work has no text of its own");
  }

  stop(): void {
    this.#fiber?.interruptUnsafe();
  }

  protected revalue(): boolean {
    const { network, turns } = this.#desk;
    const nowMs = Date.now();
    const given = this.#requests.map((request) => answerRequest(network, turns, request, nowMs));
    if (given.every((answer): answer is Answer => !Effect.isEffect(answer))) {
      return this.#take(given);
    }
    const all = given.map((answer) => (Effect.isEffect(answer) ? answer : Effect.succeed(answer)));
    this.isPending = true;
    const fiber = Effect.runFork(Effect.all(all));
    this.#fiber = fiber;
    fiber.addObserver((exit) => {
      this.#fiber = undefined;
      this.isPending = false;
      if (Exit.isSuccess(exit)) {
        if (this.#take(exit.value)) this.changed(this.#stampOf(exit.value));
      } else if (!Cause.hasInterruptsOnly(exit.cause)) {
        this.#desk.report(exit.cause);
      }
    });
    return false;
  }

  #take(answers: ReadonlyArray<Answer>): boolean {
    this.answers = answers;
    // What was told stands until there is an answer.
    this.#isStale = answers.some(({ status }) => status >= 500);
    if (this.#isStale) return false;
    if (answers.some(({ status }) => status === 429)) {
      this.#desk.later(this);
      return false;
    }
    const values = answers.map((answer) => quoteValue(answer, this.#exactOutput).value);
    const isNew =
      this.#values.length === 0 ||
      values.some((value, at) => !isSameValue(value, this.#values[at]!));
    this.#values = values;
    return isNew;
  }

  #stampOf(answers: ReadonlyArray<Answer>) {
    for (const answer of answers) {
      const { stamp } = quoteValue(answer, this.#exactOutput);
      if (stamp !== undefined) return stamp;
    }
    return this.#desk.head.stamp;
  }
}

/** The address that the graph knows a token by. */
export const graphAddress = (network: Network, token: string): string =>
  isNativeToken(token) ? (network.config.wrappedNative ?? "") : token;
