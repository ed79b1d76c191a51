import { type Transport, TransportError } from "@millrace/chain";
import type { Address, MarketBlock, PastBlock, SwapEvent } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { postText } from "@millrace/testing";
import { Effect, Stream } from "effect";
import { expect } from "vitest";
import type { Chain } from "../live/Chain.ts";
import type { PoolReading } from "../live/readPools.ts";
import { type ChainSwap, midPrices } from "../live/swapsOfChain.ts";

/** An HTTP transport without announcements; answers with logs of ranges pass through `logs`. */
export function transportThrough(logs: (answer: string) => Promise<string>): Transport {
  const post = async (url: string, body: string) => {
    const { status, text } = await postText(url, body);
    const isRange = body.includes("eth_getLogs") && body.includes("fromBlock");
    return {
      status,
      retryAfter: undefined,
      body: isRange && !body.includes('"address"') ? await logs(text) : text,
    };
  };
  return {
    heads: () => Stream.never,
    post: (url, body) =>
      Effect.tryPromise({
        try: () => post(url, body),
        catch: (cause) => new TransportError({ reason: "Unreachable", detail: `${cause}` }),
      }),
  };
}

/**
 * A reader's swaps after these messages, in ascending blocks; throws for a block that comes twice.
 */
export function net(messages: ReadonlyArray<MarketBlock>): ReadonlyArray<PastBlock> {
  const blocks = new Map<string, PastBlock>();
  const tell = ({ stamp, swaps }: PastBlock) => {
    if (swaps.length === 0) return;
    if (blocks.has(stamp.hash)) throw new Error(`block ${stamp.number} was told twice`);
    blocks.set(stamp.hash, { stamp, swaps });
  };
  for (const { stamp, swaps, history = [], orphaned = [] } of messages) {
    for (const hash of orphaned) blocks.delete(hash);
    tell({ stamp, swaps });
    history.forEach(tell);
  }
  return [...blocks.values()].sort((a, b) => a.stamp.number - b.stamp.number);
}

/** Hashes of the blocks whose swaps were ever published. */
export function everTold(messages: ReadonlyArray<MarketBlock>): ReadonlySet<string> {
  return new Set(
    messages
      .flatMap(({ stamp, swaps, history = [] }) => [{ stamp, swaps }, ...history])
      .flatMap(({ stamp, swaps }) => (swaps.length > 0 ? [stamp.hash] : [])),
  );
}

/** Each swap with its block, in words. */
export function textsOf(blocks: ReadonlyArray<PastBlock>): string[] {
  return blocks.flatMap(({ stamp, swaps }) =>
    swaps.map((swap) => textOf({ ...swap, blockHash: stamp.hash })),
  );
}

export function textOf(swap: Omit<SwapEvent, "priceAfter"> & { readonly blockHash: Hex }): string {
  const { blockHash, logIndex, transactionHash, pool } = swap;
  const trade = `${swap.amountIn} ${swap.tokenIn} for ${swap.amountOut} ${swap.tokenOut}`;
  return `${blockHash} ${logIndex} ${transactionHash} ${pool} ${trade}`;
}

/** Checks that blocks have the chain's numbers and times. */
export async function expectTimes(chain: Chain, blocks: ReadonlyArray<PastBlock>): Promise<void> {
  const headers = await chain.batch(
    blocks.map(({ stamp }) => ["eth_getBlockByHash", [stamp.hash, false]]),
  );
  for (const [place, { stamp }] of blocks.entries()) {
    const { number, timestamp } = headers[place]!.result as { number: Hex; timestamp: Hex };
    expect(stamp).toMatchObject({
      number: Number(number),
      timestampMs: Number(timestamp) * 1_000,
    });
  }
}

/** Checks that the last swap of each pool in a block has the pool's price after the block. */
export async function expectPrices(
  chain: Chain,
  told: ReadonlyArray<PastBlock>,
  swaps: ReadonlyArray<ChainSwap>,
  pools: ReadonlyMap<Address, PoolReading>,
): Promise<void> {
  const prices = new Map<string, SwapEvent>();
  for (const { stamp, swaps: events } of told) {
    for (const event of events) prices.set(`${stamp.hash} ${event.logIndex}`, event);
  }
  const last = swaps.filter(({ isLast }) => isLast);
  const asked = last.map(({ pool, blockNumber }) => ({ pool: pools.get(pool)!, blockNumber }));
  const truth = await midPrices(chain, asked);
  expect(new Set(asked.map(({ pool }) => pool.head.length)).size).toBe(2);
  for (const [place, swap] of last.entries()) {
    const { priceAfter } = prices.get(`${swap.blockHash} ${swap.logIndex}`)!;
    const [token0] = asked[place]!.pool.tokens;
    const price = swap.tokenIn === token0 ? truth[place]! : 1 / truth[place]!;
    expect(Math.abs(priceAfter / price - 1)).toBeLessThan(1e-12);
  }
  expect(last.length).toBeGreaterThan(20);
}
