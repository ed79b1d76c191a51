import type { MarketBlock, MarketSource } from "@millrace/core";
import { Clock, Effect, Stream } from "effect";
import { GeneratedTraffic } from "./GeneratedTraffic.ts";
import { type GeneratorOptions, generateMarketBlock } from "./generateMarketBlock.ts";
import { laterPools } from "./laterPools.ts";
import { MixedTraffic } from "./MixedTraffic.ts";

export interface GeneratedMarketOptions extends GeneratorOptions {
  /** Milliseconds between blocks of swaps, at least 1. Without it the market stands still. */
  readonly blockEveryMs?: number;
  /** Swaps per block; default 12. */
  readonly swapsPerBlock?: number;
  /** Pools that come with each block, 4,096 in all; default none. */
  readonly newPoolsPerBlock?: number;
}

const SWAPS_PER_BLOCK = 12;
/** Pools that come later: an hour's worth at one per second. */
const NEW_POOLS_MAX = 4_096;

/**
 * A market from `generateMarketBlock` as a source: the whole market in the first block, then, on
 * request, blocks of swaps without end. Their content depends only on the seed; their stamps have
 * the current time. Throws a RangeError for options out of range.
 */
export function generatedMarket(options: GeneratedMarketOptions): MarketSource {
  const { blockEveryMs, swapsPerBlock = SWAPS_PER_BLOCK, seed, chainId = 1 } = options;
  const { familyShares, newPoolsPerBlock = 0 } = options;
  checkCount("blockEveryMs", blockEveryMs ?? 1);
  checkCount("swapsPerBlock", swapsPerBlock);
  if (newPoolsPerBlock !== 0) checkCount("newPoolsPerBlock", newPoolsPerBlock);
  const blocks = Effect.sync(() => {
    const { poolCount } = options;
    const drawn = poolCount + (newPoolsPerBlock === 0 ? 0 : NEW_POOLS_MAX);
    const { first, next: newPools } = laterPools(
      generateMarketBlock({ ...options, poolCount: drawn }),
      poolCount,
    );
    if (blockEveryMs === undefined) return Stream.fromEffect(stampedNow(first));
    const traffic =
      familyShares === undefined
        ? new GeneratedTraffic(first, seed)
        : new MixedTraffic(chainId, first, seed);
    const next = Effect.suspend(() => {
      const block = traffic.nextBlock(swapsPerBlock);
      const { pools, states, tokens, supplies } = newPools(newPoolsPerBlock);
      const all = { ...block, pools, tokens, supplies, states: [...block.states, ...states] };
      return stampedNow(all);
    });
    const later = Stream.fromEffectRepeat(Effect.delay(next, blockEveryMs));
    return Stream.concat(Stream.fromEffect(stampedNow(first)), later);
  });
  return { chainId, blocks: Stream.unwrap(blocks) };
}

function checkCount(name: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`${name} ${count}`);
}

function stampedNow(block: MarketBlock): Effect.Effect<MarketBlock> {
  return Effect.map(Clock.currentTimeMillis, (timestampMs) => ({
    ...block,
    stamp: { ...block.stamp, timestampMs },
  }));
}
