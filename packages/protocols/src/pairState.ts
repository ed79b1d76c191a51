import {
  type PoolGraph,
  type PoolIndex,
  type PoolState,
  readWords2,
  type TokenPosition,
  wordsToNumber2,
  writeWords,
} from "@millrace/core/pure";

/** State of a pool of two reserves: reserve0 and reserve1, two words each, and a fee. */
const RESERVE_WORDS = 2;
const FEE_AT = 2 * RESERVE_WORDS;
export const PAIR_STATE_WORDS = FEE_AT + 1;

/**
 * The state of a pool with two reserves, and with a fee where the pool has FEE_IN_STATE. Throws for
 * a reserve below 0 or from 2^128 up.
 */
export function encodeReserves(reserves: ReadonlyArray<bigint>, feePips = 0): PoolState {
  const [reserve0, reserve1] = reserves;
  if (reserve0 === undefined || reserve1 === undefined || reserves.length !== 2) {
    throw new RangeError(`${reserves.length} reserves`);
  }
  if (reserve0 < 0n || reserve1 < 0n) throw new RangeError("a negative reserve");
  const words = new BigUint64Array(PAIR_STATE_WORDS);
  writeWords(words, 0, RESERVE_WORDS, reserve0);
  writeWords(words, RESERVE_WORDS, RESERVE_WORDS, reserve1);
  words[FEE_AT] = BigInt(feePips);
  return { words };
}

/** The two reserves of a state. */
export function readReserves({ words }: PoolState): readonly [bigint, bigint] {
  return [readWords2(words, 0), readWords2(words, RESERVE_WORDS)];
}

/** The fee of a state, which may be any 64 bits. */
export function readFeePips({ words }: PoolState): bigint {
  return words[FEE_AT]!;
}

export function reserveOf(graph: PoolGraph, pool: PoolIndex, position: TokenPosition): bigint {
  return readWords2(graph.stateWords, graph.poolStateStart[pool]! + position * RESERVE_WORDS);
}

export function reserveFloatOf(graph: PoolGraph, pool: PoolIndex, position: TokenPosition): number {
  return wordsToNumber2(graph.stateWords, graph.poolStateStart[pool]! + position * RESERVE_WORDS);
}

/** The fee in a pool's state, in pips. */
export function stateFeeOf(graph: PoolGraph, pool: PoolIndex): number {
  return Number(graph.stateWords[graph.poolStateStart[pool]! + FEE_AT]!);
}
