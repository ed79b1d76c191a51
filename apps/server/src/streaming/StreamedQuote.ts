import type { QuoteWork } from "./QuoteWork.ts";
import { isWorthTelling, type QuoteValue, quoteText } from "./quoteValue.ts";
import type { Moment, Topic } from "./Topic.ts";

/** The answers to a request as subscribers at one threshold are told them. */
export class StreamedQuote implements Topic {
  version = 0;
  readonly work: QuoteWork;
  readonly #isLadder: boolean;
  readonly #minChangeBps: number;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #told: ReadonlyArray<QuoteValue> = [];
  #toldMoment: Moment;
  /** The text of what is told, made once for all who are told it. */
  #text: { readonly moment: Moment; readonly told: object; readonly data: string } | undefined;

  constructor(work: QuoteWork, isLadder: boolean, minChangeBps: number) {
    this.work = work;
    this.#isLadder = isLadder;
    this.#minChangeBps = minChangeBps;
    this.#toldMoment = work.moment;
    this.#take();
    this.#unsubscribe = work.onChange(() => this.#take());
  }

  get moment(): Moment {
    return this.#told === this.work.values ? this.work.moment : this.#toldMoment;
  }

  dataSince(): string {
    const { moment } = this;
    const told = this.#told;
    if (this.#text?.moment !== moment || this.#text.told !== told) {
      const texts = told.map((value) => quoteText(value, moment.stamp));
      const data = this.#isLadder ? `{"quotes":[${texts.join()}]}` : texts[0]!;
      this.#text = { moment, told, data };
    }
    return this.#text.data;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#unsubscribe();
  }

  #take(): void {
    const { values } = this.work;
    if (values.length === 0) return;
    const isNews =
      this.#told.length === 0 ||
      values.some((value, at) => isWorthTelling(this.#told[at]!, value, this.#minChangeBps));
    if (!isNews) return;
    this.#told = values;
    this.#toldMoment = this.work.moment;
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}
