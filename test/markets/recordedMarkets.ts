import {
  type AppliedBlock,
  type Curve,
  type MarketBlock,
  openMarket,
  type PoolIndex,
  type TokenIndex,
  type TokenListing,
} from "@millrace/core";
import {
  type Anchor,
  type MarketData,
  type MarketDataOptions,
  makeMarketData,
} from "@millrace/market";
import { curves } from "@millrace/protocols";
import { marketFile } from "@millrace/replay";
import { sharedDataPath } from "@millrace/testing";
import { Effect, Stream } from "effect";

export const USDC: Anchor = { address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", priceUsd: 1 };
export const USDT: Anchor = { address: "0xdac17f958d2ee523a2206206994597c13d831ec7", priceUsd: 1 };
export const DAI: Anchor = { address: "0x6b175474e89094c44da98b954eedeac495271d0f", priceUsd: 1 };
export const DOLLARS = [USDC, USDT, DAI];
export const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

export function mockAddress(number: number): `0x${string}` {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

/**
 * A graph, to which blocks are applied as in the engine, and functions that open market data on it.
 */
export function testMarket(first: MarketBlock, known: ReadonlyArray<Curve> = curves) {
  const { graph, families, writer } = openMarket(1, known);
  const listings = new Map<string, TokenListing>();
  const supplies = new Map<string, bigint | undefined>();
  const listeners = new Set<(block: AppliedBlock) => void>();
  const opened: MarketData[] = [];

  function apply(block: MarketBlock): AppliedBlock {
    for (const token of block.tokens) listings.set(token.address.toLowerCase(), token);
    for (const { token, totalSupply } of block.supplies)
      supplies.set(token.toLowerCase(), totalSupply);
    const applied = writer.applyBlock(block);
    for (const listener of listeners) listener(applied);
    return applied;
  }

  apply(first);
  const familyOf = (pool: PoolIndex) => families[graph.poolCurve[pool]!]!;
  return {
    graph,
    familyOf,
    apply,
    /** Settled market data; `close` ends all of them. */
    data: (
      anchors: ReadonlyArray<Anchor> = DOLLARS,
      depthFloorUsd?: number,
      saved?: Uint8Array,
      more?: Partial<MarketDataOptions>,
    ): MarketData => {
      const data = makeMarketData({
        graph,
        familyOf,
        anchors,
        ...(depthFloorUsd !== undefined && { depthFloorUsd }),
        ...(saved !== undefined && { saved }),
        onApplied: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        tokenListing: (token) => listings.get(graph.tokenAddress(token))!,
        supply: (token) => supplies.get(graph.tokenAddress(token)),
        ...more,
      });
      opened.push(data);
      return data;
    },
    close: () => {
      for (const data of opened) data.close();
    },
    listenerCount: () => listeners.size,
  };
}

/** The recorded blocks of a real universe: the market, then its changes. */
export function universeBlocks(
  name: "universe-a" | "universe-b",
): Promise<ReadonlyArray<MarketBlock>> {
  return Effect.runPromise(
    marketFile(sharedDataPath(`ethereum-2026-03/${name}.json`), { replayMs: 1 }).pipe(
      Effect.flatMap((source) => Stream.runCollect(source.blocks)),
    ),
  );
}

/** The whole market at the last recorded block. */
export async function universeAtEnd(name: "universe-a" | "universe-b"): Promise<MarketBlock> {
  const blocks = await Effect.runPromise(
    marketFile(sharedDataPath(`ethereum-2026-03/${name}.json`)).pipe(
      Effect.flatMap((source) => Stream.runCollect(source.blocks)),
    ),
  );
  return blocks[0]!;
}

/** All tokens, ascending. */
export function tokensOf(data: MarketData): TokenIndex[] {
  const { items } = data.tokens({ page: 1, limit: 1_000_000, sort: "address" });
  return items.map(({ index }) => index).sort((a, b) => a - b);
}
