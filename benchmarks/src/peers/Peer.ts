import type { OpenMarket, PoolIndex, QuoteRequest } from "@millrace/core";

/** Opens a routing library on the pools of a market, as its own objects. */
export type OpenPeer = (market: OpenMarket) => Peer;

export interface Peer {
  /** Chooses the pools that the library gets for a request; this is not timed. */
  readonly prepare: (request: QuoteRequest) => PreparedSearch;
}

/** The search itself, which is timed. It gives a function that reads the answer, untimed. */
type PreparedSearch = () => Promise<() => PeerAnswer | undefined>;

export interface PeerAnswer {
  readonly routes: ReadonlyArray<PeerRoute>;
  /** The output that the library claims. */
  readonly claimed: bigint;
}

/** One path, and its part of the input. */
export interface PeerRoute {
  readonly amountIn: bigint;
  readonly pools: ReadonlyArray<PoolIndex>;
}
