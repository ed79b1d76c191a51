import type { Address, BlockStamp } from "@millrace/core";
import type { Subjects } from "./Subjects.ts";
import type { TradedBlock, TradedSwap } from "./TradedBlock.ts";

/** A block that was taken in, with addresses instead of numbers: for an archive. */
export interface ArchivedBlock {
  readonly stamp: BlockStamp;
  /** Hashes of blocks that are reverted before it. */
  readonly reverted: ReadonlyArray<string>;
  /** In the order of the chain. */
  readonly swaps: ReadonlyArray<ArchivedSwap>;
  /**
   * US dollars of one whole token at the end of the block, for tokens that traded and have a price.
   */
  readonly prices: ReadonlyMap<Address, number>;
}

/** See `TradedSwap`; addresses are in lower case. */
export interface ArchivedSwap
  extends Pick<
    TradedSwap,
    "amountIn" | "amountOut" | "priceAfter" | "value" | "transactionHash" | "maker" | "logIndex"
  > {
  readonly pool: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

const SWAPS_A_SLICE = 128;

export function* archivedBlock(
  { stamp, swaps }: TradedBlock,
  reverted: ReadonlyArray<string>,
  subjects: Subjects,
  tokenPriceUsd: (token: number) => number,
): Generator<void, ArchivedBlock> {
  const pools = new Map<number, Address>();
  const tokens = new Map<number, Address>();
  const prices = new Map<Address, number>();
  const poolAt = (pool: number) => knownOr(pools, pool, () => subjects.pools.addressOf(pool));
  const tokenAt = (token: number) =>
    knownOr(tokens, token, () => {
      const address = subjects.tokens.addressOf(token);
      const price = tokenPriceUsd(token);
      if (price > 0) prices.set(address, price);
      return address;
    });
  const archived: ArchivedSwap[] = [];
  for (let at = 0; at < swaps.length; at++) {
    if (at % SWAPS_A_SLICE === SWAPS_A_SLICE - 1) yield;
    const { amountIn, amountOut, priceAfter, value, transactionHash, maker, ...swap } = swaps[at]!;
    archived.push({
      pool: poolAt(swap.pool),
      tokenIn: tokenAt(swap.tokenIn),
      tokenOut: tokenAt(swap.tokenOut),
      amountIn,
      amountOut,
      priceAfter,
      value,
      transactionHash,
      maker,
      logIndex: swap.logIndex,
    });
  }
  return { stamp, reverted, swaps: archived, prices };
}

function knownOr(known: Map<number, Address>, key: number, make: () => Address): Address {
  let address = known.get(key);
  if (address === undefined) {
    address = make();
    known.set(key, address);
  }
  return address;
}
