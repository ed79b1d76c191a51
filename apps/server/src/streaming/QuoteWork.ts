import { isNativeToken, type QuoteRequestJson } from "@millrace/api";
import type { RouteRelevance, TokenIndex } from "@millrace/core";
import { Cause, Effect, Exit, type Fiber } from "effect";
import type { Answer } from "../answers/Answer.ts";
import { costOfSizes } from "../limits/costs.ts";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { answerRequest } from "../quote/answerQuote.ts";
import type { TurnQueue } from "../quote/TurnQueue.ts";
import { EvaluatedTopic } from "./EvaluatedTopic.ts";
import type { EvaluationSlots } from "./EvaluationSlots.ts";
import { isSameValue, type QuoteValue, quoteValue, stampsOf } from "./quoteValue.ts";
import type { Head, HeadPosition } from "./Topic.ts";

/** What computing quotes needs of the service. */
export interface QuoteContext {
  readonly network: Network;
  readonly market: NetworkMarket;
  readonly turns: TurnQueue;
  readonly head: Head;
  /** Slots for slow evaluations. */
  readonly slots: EvaluationSlots;
  /**
   * Asks for another evaluation at once: of the work, and of the next one that waits for its slot.
   */
  readonly again: (works: ReadonlyArray<EvaluatedTopic>) => void;
  /** Asks for another evaluation, in a while. */
  readonly later: (work: EvaluatedTopic) => void;
  /** Asks for another evaluation when somebody may pay again, or a node may answer. */
  readonly owe: (work: EvaluatedTopic) => void;
  /** Takes the cost of an evaluation out of a client's budget; false when it has too little. */
  readonly pays: (client: string, cost: number) => boolean;
  readonly report: (cause: unknown) => void;
}

type GivenAnswer = Answer | Effect.Effect<Answer>;

/** An answer, with the position it holds for; undefined where that position has passed already. */
interface StampedAnswer {
  readonly answer: Answer;
  readonly value: QuoteValue;
  readonly validAt: HeadPosition | undefined;
}

/** Time for the sizes of one part; there is at least one size in each. */
const PART_MS = 0.5;
/** The most pools of a route from the native token to the token in which gas is priced. */
const GAS_PRICE_HOPS = 3;

/** The answers to a quote request for some sizes, on the newest block, which topics publish. */
export class QuoteWork extends EvaluatedTopic {
  readonly #context: QuoteContext;
  readonly #requests: ReadonlyArray<QuoteRequestJson>;
  /** Number of subscriptions of each client. */
  readonly #subscriptions = new Map<string, number>();
  readonly #exactOutput: boolean;
  readonly #maxHops: number;
  /** A node gives the price of gas. */
  readonly #isGasAware: boolean;
  /** Assumptions may concern any pool; the price of gas changes with each block. */
  readonly #followsEveryBlock: boolean;
  /** The answer depends on more of the market than the routes between its tokens. */
  readonly #readsMore: boolean;
  #values: ReadonlyArray<QuoteValue> = [];
  /** Answers for the first sizes, on one block, while others are missing. */
  #begun: { readonly position: HeadPosition; readonly answers: GivenAnswer[] } | undefined;
  /** How often the value was invalidated. */
  #invalidationCount = 0;
  #fiber: Fiber.Fiber<ReadonlyArray<StampedAnswer>> | undefined;
  /** Blocks after which it was not computed, since nobody paid. */
  unpaidCount = 0;
  #unpaidAt: HeadPosition | undefined;
  /** The next evaluation is paid for already. The subscriber paid for the first value. */
  #isPaid = false;
  // Once found: tokens keep their indexes.
  #tokenIn: TokenIndex | undefined;
  #tokenOut: TokenIndex | undefined;

  /** One request for each size, otherwise equal. */
  constructor(context: QuoteContext, requests: ReadonlyArray<QuoteRequestJson>) {
    super(context.head);
    this.#context = context;
    this.#requests = requests;
    const { amountOut, assume, explain, gasAware, gasPriceWei, maxHops } = requests[0]!;
    this.#exactOutput = amountOut !== undefined;
    this.#maxHops = maxHops;
    this.#isGasAware = gasAware === true;
    this.#followsEveryBlock = this.#isGasAware || assume !== undefined;
    this.#readsMore = gasPriceWei !== undefined || explain === true;
  }

  /**
   * One value for each size; none before there is an answer. The same object while values are
   * equal.
   */
  get values(): ReadonlyArray<QuoteValue> {
    return this.#values;
  }

  override get clients(): Iterable<string> {
    return this.#subscriptions.keys();
  }

  /** A client subscribes once more, or once less. */
  count(client: string, change: 1 | -1): void {
    const count = (this.#subscriptions.get(client) ?? 0) + change;
    if (count === 0) this.#subscriptions.delete(client);
    else this.#subscriptions.set(client, count);
  }

  /** Sizes that are quoted. */
  get size(): number {
    return this.#requests.length;
  }

  /** Whether the answer may change with a block in which no pool came or went. */
  mayChange(relevance: RouteRelevance): boolean {
    // The work failed, or its value is of an earlier block.
    if (this.isStale || this.#followsEveryBlock) return true;
    const [tokenIn, tokenOut] = this.#tokens();
    if (tokenIn === undefined || tokenOut === undefined) return true;
    if (relevance.mayMatter(tokenIn, tokenOut, this.#maxHops)) return true;
    return this.#readsMore && this.#mayChangeMore(relevance, tokenIn, tokenOut);
  }

  #mayChangeMore(relevance: RouteRelevance, tokenIn: TokenIndex, tokenOut: TokenIndex): boolean {
    const { explain, gasPriceWei } = this.#requests[0]!;
    // An explained refusal depends on all pools of the two tokens, linked or not.
    if (explain === true && (relevance.touches(tokenIn) || relevance.touches(tokenOut)))
      return true;
    if (gasPriceWei === undefined) return false;
    const native = this.#findToken(this.#context.network.config.wrappedNative ?? "");
    const sought = this.#exactOutput ? tokenIn : tokenOut;
    return native === undefined || relevance.mayMatter(native, sought, GAS_PRICE_HOPS);
  }

  override get isUnfinished(): boolean {
    return this.#begun !== undefined;
  }

  override invalidate(before: HeadPosition): void {
    super.invalidate(before);
    this.#begun = undefined;
    this.#invalidationCount++;
  }

  override evaluate(): void {
    // A running evaluation ends first; then this one runs where that is of an earlier block.
    if (this.#fiber !== undefined || !this.#pay()) return;
    const { head } = this.#context;
    const given = this.#answerSome();
    if (given.length < this.size) return;
    this.#begun = undefined;
    const isHere = given.every((answer): answer is Answer => !Effect.isEffect(answer));
    if (!isHere) return this.#wait(given);
    this.#isPaid = false;
    this.#take(given.map(this.#stamped), head.position);
  }

  /** Answers for the first sizes, on the newest block: some more than at the last call. */
  #answerSome(): ReadonlyArray<GivenAnswer> {
    const { network, turns, head } = this.#context;
    const { position } = head;
    if (this.#begun?.position !== position) this.#begun = { position, answers: [] };
    const { answers } = this.#begun;
    const nowMs = Date.now();
    const endMs = performance.now() + PART_MS;
    const [client = ""] = this.clients;
    do {
      const request = this.#requests[answers.length]!;
      answers.push(answerRequest(network, turns, request, nowMs, () => client));
    } while (answers.length < this.size && performance.now() < endMs);
    return answers;
  }

  /** The subscribers pay in turn. Work that nobody pays for is tried again later. */
  #pay(): boolean {
    if (this.#isPaid || this.#values.length === 0) return true;
    const { head, owe } = this.#context;
    const cost = costOfSizes(this.#requests[0]!, this.size);
    for (const [client, count] of this.#subscriptions) {
      if (!this.#context.pays(client, cost)) continue;
      this.#subscriptions.delete(client);
      this.#subscriptions.set(client, count);
      this.#isPaid = true;
      return true;
    }
    if (this.#unpaidAt !== head.position) this.unpaidCount++;
    this.#unpaidAt = head.position;
    owe(this);
    return false;
  }

  dataSince(): string {
    throw new Error("the work has no text of its own");
  }

  /** Ends a running evaluation: nobody wants the work any more. */
  stop(): void {
    this.#fiber?.interruptUnsafe();
  }

  protected revalue(): boolean {
    throw new Error("the work is evaluated as a whole");
  }

  #wait(given: ReadonlyArray<GivenAnswer>): void {
    const { slots, again, report } = this.#context;
    if (!slots.take(this)) return;
    this.#isPaid = false;
    const invalidationCount = this.#invalidationCount;
    const all = given.map((answer) =>
      Effect.isEffect(answer)
        ? Effect.map(answer, this.#stamped)
        : Effect.succeed(this.#stamped(answer)),
    );
    this.#fiber = Effect.runFork(Effect.all(all));
    this.#fiber.addObserver((exit) => {
      this.#fiber = undefined;
      const next = slots.release();
      const works: EvaluatedTopic[] = next === undefined ? [] : [next];
      try {
        if (Exit.isSuccess(exit))
          this.#takeStamped(exit.value, this.#invalidationCount === invalidationCount);
        else if (!Cause.hasInterruptsOnly(exit.cause)) report(exit.cause);
      } catch (cause) {
        report(cause);
      }
      if (this.#invalidationCount !== invalidationCount && this.isStale) works.push(this);
      again(works);
    });
  }

  #takeStamped(given: ReadonlyArray<StampedAnswer>, isUntouched: boolean): void {
    const { position: newest } = this.#context.head;
    // No block since then can have changed any of them.
    if (isUntouched) return this.#take(given, newest);
    const { validAt } = given[0]!;
    // Answers for sizes on different blocks hold for none of them.
    if (validAt === undefined || given.some((one) => one.validAt !== validAt)) return;
    this.#take(given, validAt);
  }

  readonly #stamped = (answer: Answer): StampedAnswer => {
    const { value, stamps } = quoteValue(answer, this.#exactOutput);
    const { position } = this.#context.head;
    // All of them: recorded blocks have no hashes.
    const isOfNewest = stamps === undefined || stamps === stampsOf(position.stamp);
    return { answer, value, validAt: isOfNewest ? position : undefined };
  };

  #take(given: ReadonlyArray<StampedAnswer>, position: HeadPosition): void {
    if (given.some(({ answer }) => answer.status === RATE_LIMITED)) {
      this.#isPaid = true;
      this.#context.later(this);
      return;
    }
    // The published value stands, for its block, until there is an answer again.
    const isFailed = given.some(({ answer }) => answer.status >= 500);
    // A node that gave no price of gas may give one before the next block.
    if (isFailed && this.#isGasAware) {
      this.#isPaid = true;
      this.#context.owe(this);
    }
    if (isFailed && this.#values.length > 0) return;
    const values = given.map(({ value }) => value);
    const isNew =
      this.#values.length === 0 ||
      values.some((value, at) => !isSameValue(value, this.#values[at]!));
    if (isNew) this.#values = values;
    this.settled(position, isNew);
    if (isFailed) super.invalidate(position);
  }

  #tokens(): readonly [TokenIndex | undefined, TokenIndex | undefined] {
    if (this.#tokenOut === undefined) {
      const { tokenA, tokenB } = this.#requests[0]!;
      this.#tokenIn = this.#findToken(tokenA);
      this.#tokenOut = this.#findToken(tokenB);
    }
    return [this.#tokenIn, this.#tokenOut];
  }

  #findToken(address: string): TokenIndex | undefined {
    const { network, market } = this.#context;
    const wrapped = network.config.wrappedNative ?? "";
    return market.engine.graph.findToken(isNativeToken(address) ? wrapped : address);
  }
}

const RATE_LIMITED = 429;
