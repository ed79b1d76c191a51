import type { CANDLE_INTERVALS } from "../candles.ts";
import type { QuoteRequestJson } from "../quoteRequest.ts";
import type { OperationId } from "./operations.ts";

/** What a client sent, decoded: defaults are filled in. */
export type Operation =
  | { readonly op: "subscribe"; readonly id: OperationId; readonly topic: TopicRequest }
  | { readonly op: "unsubscribe"; readonly id: OperationId; readonly subscription: string }
  | { readonly op: "list"; readonly id: OperationId }
  | { readonly op: "ping"; readonly id?: OperationId };

/** The topic of a subscription. Addresses are as the client wrote them. */
export type TopicRequest =
  | PriceTopic
  | QuoteTopic
  | PoolTopic
  | BlockTopic
  | TradesTopic
  | CandlesTopic
  | NetworksTopic;

export interface PriceTopic {
  readonly channel: "price";
  readonly network: string;
  /** One token if the client named a `token`. */
  readonly tokens: ReadonlyArray<string>;
  /** The client named `tokens`, so that the data is a list. */
  readonly isList: boolean;
}

export interface QuoteTopic {
  readonly channel: "quote";
  readonly network: string;
  /** For a ladder, `amountIn` is the first size. */
  readonly request: QuoteRequestJson;
  /** Sizes of a ladder, in the order given. */
  readonly amounts?: ReadonlyArray<string>;
  /** In basis points; 0 sends every change. */
  readonly minChangeBps: number;
}

export interface PoolTopic {
  readonly channel: "pool";
  readonly network: string;
  readonly pool: string;
}

export interface BlockTopic {
  readonly channel: "block";
  readonly network: string;
}

export interface TradesTopic {
  readonly channel: "trades";
  readonly network: string;
  readonly subject: TradedSubject;
}

export interface CandlesTopic {
  readonly channel: "candles";
  readonly network: string;
  readonly subject: TradedSubject;
  readonly interval: (typeof CANDLE_INTERVALS)[number];
}

/** The subject of trades: a pool, or a token in all pools. */
export type TradedSubject = { readonly pool: string } | { readonly token: string };

export interface NetworksTopic {
  readonly channel: "networks";
  readonly network: string;
}
