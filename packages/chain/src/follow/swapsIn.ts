import type { Address, PoolListing, SwapEvent } from "@millrace/core";
import type { ChainLog, FollowedDex, LoggedSwap } from "@millrace/protocols";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import type { Dexes } from "./Dexes.ts";

/**
 * The swaps that the logs of one block report, in order, without any pool state. `logs` are all
 * logs of the block with followed topics, in the order of the chain.
 */
export function swapsIn(
  logs: ReadonlyArray<ChainLog>,
  discovered: ReadonlyMap<Address, DiscoveredPool>,
  dexes: Dexes,
): SwapEvent[] {
  const swaps: SwapEvent[] = [];
  const before = new Map<Address, ChainLog>();
  for (const log of logs) {
    for (const { dex, listing } of dexes.subjectsOf(log, discovered)) {
      if (listing === undefined) continue;
      const swap = dex.decodeSwap(listing, log, before.get(listing.address));
      before.set(listing.address, log);
      if (swap !== undefined) swaps.push(swapEvent(dex, listing, log, swap));
    }
  }
  return swaps;
}

/** A pool's swap as it is published to the market's reader. */
export function swapEvent(
  dex: FollowedDex,
  { address, tokens }: PoolListing,
  log: ChainLog,
  { positionIn, positionOut, amountIn, amountOut, priceAfter }: LoggedSwap,
): SwapEvent {
  const maker = dex.makerIn?.(log);
  return {
    pool: address,
    transactionHash: log.transactionHash,
    logIndex: log.logIndex,
    tokenIn: tokens[positionIn]!,
    tokenOut: tokens[positionOut]!,
    amountIn,
    amountOut,
    priceAfter,
    ...(maker !== undefined && { maker }),
  };
}
