import type { QuoteRequestJson, TopicRequest } from "@millrace/api";
import { isStudy } from "../quote/studyQuote.ts";

/** What is asked costs so many units of a budget. */
export const COSTS = {
  /** A price, a pool, a page of a list. */
  read: 1,
  quote: 10,
  /** A quote that takes longer: of many paths, explained, or on top of assumptions. */
  split: 40,
  /** A swap, or a permit: the same is computed. */
  swap: 60,
} as const;

export const costOfQuote = (request: QuoteRequestJson): number =>
  request.maxSplits > 1 || isStudy(request) ? COSTS.split : COSTS.quote;

/** Of a subscription, once; its messages cost nothing. */
export function costOfTopic(request: TopicRequest): number {
  switch (request.channel) {
    case "price":
      return COSTS.read * request.tokens.length;
    case "quote":
      return costOfQuote(request.request) * (request.amounts?.length ?? 1);
    case "pool":
      return COSTS.read;
    case "block":
      return 0;
  }
}
