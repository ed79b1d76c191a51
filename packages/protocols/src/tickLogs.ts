import type { ChainLog } from "./ChainProtocol.ts";
import { addressInWord, wordsOf } from "./chainWords.ts";
import {
  headIn,
  isPriced,
  type PositionChange,
  type TickHead,
  type TickSwap,
  tickIn,
} from "./tickState.ts";

/** The logs of pools with ticks that are contracts of their own, which all have V3's layouts. */

/** Of `Initialize(uint160,int24)`. */
export function firstPriceIn({ topics, data }: ChainLog): TickHead | undefined {
  const words = topics.length === 1 ? wordsOf(data, 2) : undefined;
  return words && headIn(words[0]!, words[1]!, 0n);
}

/** Of a Swap of `wordCount` words, of which the first five are V3's. */
export function tickSwapIn({ topics, data }: ChainLog, wordCount: number): TickSwap | undefined {
  const isWhole = topics.length === 3 && topics.slice(1).every(addressInWord);
  const words = isWhole ? wordsOf(data, wordCount) : undefined;
  const after = words && headIn(words[2]!, words[4]!, words[3]!);
  if (words === undefined || !isPriced(after)) return undefined;
  const [amount0, amount1] = [BigInt.asIntN(256, words[0]!), BigInt.asIntN(256, words[1]!)];
  return { after, amount0, amount1 };
}

/** Of a Mint: sender, liquidity and two amounts. */
export function mintIn(log: ChainLog, tickSpacing: number): PositionChange | undefined {
  const words = wordsOf(log.data, 4);
  if (words === undefined || words[0]! >> 160n !== 0n) return undefined;
  return positionIn(log, words[1]!, 1n, tickSpacing);
}

/** Of a Burn of `wordCount` words, of which the first three are V3's: liquidity and two amounts. */
export function burnIn(
  log: ChainLog,
  tickSpacing: number,
  wordCount = 3,
): PositionChange | undefined {
  const words = wordsOf(log.data, wordCount);
  return words && positionIn(log, words[0]!, -1n, tickSpacing);
}

/** The owner and both ticks are indexed. */
function positionIn(
  { topics }: ChainLog,
  liquidity: bigint,
  sign: bigint,
  tickSpacing: number,
): PositionChange | undefined {
  if (topics.length !== 4 || addressInWord(topics[1]!) === undefined) return undefined;
  const lower = tickIn(wordsOf(topics[2], 1)?.[0], tickSpacing);
  const upper = tickIn(wordsOf(topics[3], 1)?.[0], tickSpacing);
  if (lower === undefined || upper === undefined || liquidity >> 128n !== 0n) return undefined;
  return { lower, upper, change: sign * liquidity };
}
