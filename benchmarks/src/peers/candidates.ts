import type { OpenMarket, PoolIndex, QuoteRequest } from "@millrace/core";
import { HUBS } from "./peerMarket.ts";

/** The pools that a library gets for a request. */
export type Candidates = (
  market: OpenMarket,
  request: Pick<QuoteRequest, "tokenIn" | "tokenOut">,
) => ReadonlyArray<PoolIndex>;

/** All pools of the market. */
export const allPools: Candidates = ({ graph }) =>
  Array.from({ length: graph.poolCount }, (_, index) => index as PoolIndex);

/**
 * The pools between any two of the request's tokens and the hubs. The Uniswap interface chooses
 * this way too, with the same five hubs on Ethereum ("bases to check trades against"), since these
 * libraries try each path through all pools that they get.
 */
export const commonPools: Candidates = (market, request) => {
  const { graph } = market;
  const tokens = new Set([request.tokenIn, request.tokenOut, ...HUBS]);
  return allPools(market, request).filter(
    (pool) => tokens.has(graph.poolToken(pool, 0)) && tokens.has(graph.poolToken(pool, 1)),
  );
};
