import {
  type Address,
  NO_CONSTANTS,
  type PoolListing,
  readWords,
  type TokenPosition,
  writeWords,
} from "@millrace/core";
import type { BalancerFace } from "./balancerFamily.ts";
import type { VaultPool } from "./balancerVault.ts";
import type { CallAnswer, FollowedState, LoggedSwap } from "./ChainProtocol.ts";
import { addressInWord } from "./chainWords.ts";
import { balancerStableFace } from "./curves/balancerStable/estimates.ts";
import { balancerStable, readStablePool } from "./curves/balancerStable/pool.ts";
import { weightedFace } from "./curves/weighted/estimates.ts";
import { readWeightedPool } from "./curves/weighted/pool.ts";

/** What both of Balancer's Vaults have in common on a chain. */

const WORD_DIGITS = 64;
const WORD_BYTES = 32;
const TOKENS_MAX = 9; // a composable pool's own among them
const DIGITS = /^0x[0-9a-f]*$/;
const DECIMALS_MAX = 18n;
const WIDE = 1n << 128n;

/**
 * The words of an array in an answer or a log's data. The head's word `at` says where the array
 * begins; each element has `width` words.
 */
export function arrayIn(data: CallAnswer, at: number, width = 1): bigint[] | undefined {
  if (data === undefined || !DIGITS.test(data)) return undefined;
  const start = wordIn(data, at);
  if (start === undefined || start % BigInt(WORD_BYTES) !== 0n || start > WIDE) return undefined;
  const first = Number(start) / WORD_BYTES;
  const length = wordIn(data, first);
  if (length === undefined || length > TOKENS_MAX) return undefined;
  const count = Number(length) * width;
  const words = Array.from({ length: count }, (_, n) => wordIn(data, first + 1 + n));
  return words.every((word) => word !== undefined) ? words : undefined;
}

/** The addresses of such an array. */
export function addressesIn(data: CallAnswer, at: number): `0x${string}`[] | undefined {
  const found = arrayIn(data, at)?.map(addressOfWord);
  return found?.every((address) => address !== undefined) ? found : undefined;
}

export const addressOfWord = (word: bigint): `0x${string}` | undefined =>
  addressInWord(`0x${word.toString(16).padStart(WORD_DIGITS, "0")}`);

/** A word of data; undefined past its end. */
function wordIn(data: string, at: number): bigint | undefined {
  const digits = data.slice(2 + at * WORD_DIGITS, 2 + (at + 1) * WORD_DIGITS);
  return digits.length === WORD_DIGITS ? BigInt(`0x${digits}`) : undefined;
}

/** 18 less the decimals that a token reports. */
export function exponentIn(word: bigint | undefined): number | undefined {
  return word === undefined || word > DECIMALS_MAX ? undefined : Number(DECIMALS_MAX - word);
}

/** Whether all values fit the 128 bits of a state. */
export const areNarrow = (values: ReadonlyArray<bigint>): boolean =>
  values.every((value) => value >= 0n && value < WIDE);

const ADDRESS_WORDS = 3;

/** Addresses as constants keep them. */
export function addressWords(addresses: ReadonlyArray<Address>): BigUint64Array {
  const words = new BigUint64Array(ADDRESS_WORDS * addresses.length);
  addresses.forEach((address, at) => {
    writeWords(words, ADDRESS_WORDS * at, ADDRESS_WORDS, BigInt(address));
  });
  return words;
}

/** `count` addresses in constants, from a word on; the zero address where a listing lacks one. */
export function addressesAt(words: BigUint64Array, start: number, count: number): Address[] {
  return Array.from({ length: count }, (_, at): Address => {
    const from = start + ADDRESS_WORDS * at;
    if (from < 0 || from + ADDRESS_WORDS > words.length) return NO_ADDRESS;
    const value = readWords(words, from, ADDRESS_WORDS);
    return `0x${value.toString(16).padStart(40, "0")}`;
  });
}

export const NO_ADDRESS: Address = `0x${"0".repeat(40)}`;
/** Whether there is a rate provider, or a hook. */
export const isContract = (address: Address): boolean => address !== NO_ADDRESS;

function poolIn(
  { curve, tokens, constants = NO_CONSTANTS }: PoolListing,
  { words }: FollowedState,
): { pool: VaultPool; faceOf: (from: number, to: number) => BalancerFace | undefined } {
  if (curve === balancerStable.name) {
    const pool = readStablePool(words, 0, constants, tokens.length);
    return { pool, faceOf: (from, to) => balancerStableFace(pool, from, to) };
  }
  const pool = readWeightedPool(words, 0, constants, tokens.length);
  return { pool, faceOf: (from, to) => weightedFace(pool, from, to) };
}

/** Price of a token in another, in smallest units; 0 where there is none. */
function priceIn(
  pool: PoolListing,
  state: FollowedState,
  positionIn: TokenPosition,
  positionOut: TokenPosition,
): number {
  const found = poolIn(pool, state);
  const price = found.faceOf(positionIn, positionOut)?.price ?? 0;
  const { factorsE18 } = found.pool;
  return (price * Number(factorsE18[positionIn]!)) / Number(factorsE18[positionOut]!);
}

/** A log's swap, with the price of the given state. */
export function pricedSwap(
  pool: PoolListing,
  state: FollowedState,
  swap: Omit<LoggedSwap, "priceAfter">,
): LoggedSwap {
  return { ...swap, priceAfter: priceIn(pool, state, swap.positionIn, swap.positionOut) };
}

/**
 * See `FollowedDex.virtualReserves`: with price p and bend −2p/x, the price of the first token in
 * the second falls as that of x·y = k does.
 */
export function balancerVirtualReserves(
  pool: PoolListing,
  state: FollowedState | undefined,
): ReadonlyArray<bigint> | undefined {
  if (state === undefined) return undefined;
  const { pool: found, faceOf } = poolIn(pool, state);
  const face = faceOf(0, 1);
  if (face === undefined || found.isPaused) return undefined;
  const point = new Float64Array(3);
  face.at(0, point);
  const amount = ((2 * point[1]!) / -point[2]!) * (1e18 / Number(found.factorsE18[0]!));
  const amounts = pool.tokens.map((_, at) =>
    at === 0 ? amount : amount * priceIn(pool, state, 0, at),
  );
  if (!amounts.every((each) => each > 0 && Number.isFinite(each))) return undefined;
  return amounts.map((each) => BigInt(Math.floor(each)));
}
