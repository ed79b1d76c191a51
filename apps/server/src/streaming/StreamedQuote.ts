import type { QuoteWork } from "./QuoteWork.ts";
import { isWorthPublishing, type QuoteValue, quoteText } from "./quoteValue.ts";
import type { HeadPosition, Topic } from "./Topic.ts";

/** The answers to a request, as published at one threshold. */
export class StreamedQuote implements Topic {
  version = 0;
  readonly work: QuoteWork;
  readonly #isLadder: boolean;
  readonly #minChangeBps: number;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #published: ReadonlyArray<QuoteValue> = [];
  #publishedAt: HeadPosition;
  /** The published text, made once for all subscribers. */
  #text:
    | { readonly validAt: HeadPosition; readonly values: object; readonly data: string }
    | undefined;

  constructor(work: QuoteWork, isLadder: boolean, minChangeBps: number) {
    this.work = work;
    this.#isLadder = isLadder;
    this.#minChangeBps = minChangeBps;
    this.#publishedAt = work.validAt;
    this.#take();
    this.#unsubscribe = work.onChange(() => this.#take());
  }

  get validAt(): HeadPosition {
    return this.#published === this.work.values ? this.work.validAt : this.#publishedAt;
  }

  get unpaidCount(): number {
    return this.work.unpaidCount;
  }

  dataSince(): string {
    const { validAt } = this;
    const values = this.#published;
    if (this.#text?.validAt !== validAt || this.#text.values !== values) {
      const texts = values.map((value) => quoteText(value, validAt.stamp));
      const data = this.#isLadder ? `{"quotes":[${texts.join()}]}` : texts[0]!;
      this.#text = { validAt, values, data };
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
      this.#published.length === 0 ||
      values.some((value, at) =>
        isWorthPublishing(this.#published[at]!, value, this.#minChangeBps),
      );
    if (!isNews) return;
    this.#published = values;
    this.#publishedAt = this.work.validAt;
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}
