import type { MarketBlock, MarketSource } from "@millrace/core";
import { Clock, Effect, Stream } from "effect";
import { GeneratedTraffic } from "./GeneratedTraffic.ts";
import { type GeneratorOptions, generateMarketBlock } from "./generateMarketBlock.ts";
import { MixedTraffic } from "./MixedTraffic.ts";

export interface GeneratedMarketOptions extends GeneratorOptions {
  /** A block of swaps every so many ms, at least 1. Without it the market stands still. */
  readonly blockEveryMs?: number;
  /** Swaps of each such block; default 12. */
  readonly swapsPerBlock?: number;
}

const SWAPS_PER_BLOCK = 12;

/**
 * A market from `generateMarketBlock` as a source: all of it in the first block, then, where asked
 * for, blocks of swaps without end. What they hold depends on the seed alone; they are stamped with
 * the time at which they come. Throws a RangeError for options out of range.
 */
export function generatedMarket(options: GeneratedMarketOptions): MarketSource {
  const { blockEveryMs, swapsPerBlock = SWAPS_PER_BLOCK, seed, chainId = 1 } = options;
  const { familyShares } = options;
  checkCount("blockEveryMs", blockEveryMs ?? 1);
  checkCount("swapsPerBlock", swapsPerBlock);
  const blocks = Effect.sync(() => {
    const first = generateMarketBlock(options);
    if (blockEveryMs === undefined) return Stream.fromEffect(stampedNow(first));
    const traffic =
      familyShares === undefined
        ? new GeneratedTraffic(first, seed)
        : new MixedTraffic(chainId, first, seed);
    const next = Effect.suspend(() => stampedNow(traffic.nextBlock(swapsPerBlock)));
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
