import type { QuoteRequest } from "../quoteRequest.ts";

/** A client's own name for an operation, which comes back: a whole number or a short text. */
export type OperationId = number | string;

/** What a client sends over the WebSocket, decoded: defaults are filled in. */
export type Operation =
  | { readonly op: "subscribe"; readonly id: OperationId; readonly topic: TopicRequest }
  | { readonly op: "unsubscribe"; readonly id: OperationId; readonly subscription: string }
  | { readonly op: "list"; readonly id: OperationId }
  | { readonly op: "ping"; readonly id?: OperationId };

/** What a subscription is of: the parameters of a channel. Addresses are as the client wrote them. */
export type TopicRequest =
  | {
      readonly channel: "price";
      readonly network: string;
      /** One where the client named `token`. */
      readonly tokens: ReadonlyArray<string>;
      /** The client named `tokens`: data is a list. */
      readonly isList: boolean;
    }
  | { readonly channel: "pool"; readonly network: string; readonly pool: string }
  | { readonly channel: "block"; readonly network: string }
  | {
      readonly channel: "quote";
      readonly network: string;
      /** With the first of `amounts` as its amount where there is a ladder. */
      readonly request: QuoteRequest;
      /** Sizes of a ladder, 1 to 16. */
      readonly amounts?: ReadonlyArray<string>;
      /** The amount sought must move by so much of what was told last, in basis points. */
      readonly minChangeBps?: number;
    };
