import type { OpenMarket, PoolIndex, QuoteRequest } from "@millrace/core";

/** Opens a routing library on the pools of a market, as its own objects. */
export type OpenPeer = (market: OpenMarket) => Peer;

export interface Peer {
  /** Chooses the pools that the library is given for a request; what that takes is not counted. */
  readonly prepare: (request: QuoteRequest) => PreparedSearch;
}

/** The search itself, which is timed. It gives how its answer is read, which is not. */
type PreparedSearch = () => Promise<() => PeerAnswer | undefined>;

export interface PeerAnswer {
  readonly routes: ReadonlyArray<PeerRoute>;
  /** What the library says comes out. */
  readonly claimed: bigint;
}

/** One path, and what of the whole input goes into it. */
export interface PeerRoute {
  readonly amountIn: bigint;
  readonly pools: ReadonlyArray<PoolIndex>;
}
