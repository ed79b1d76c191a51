import type { Address, PoolListing } from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import type { CallAnswer, ChainCall } from "../ChainProtocol.ts";
import { callOfWords, wordsOf } from "../chainWords.ts";

/**
 * Where the rates of a pool come from. In a listing's constants, A's precision, which the curve
 * reads, is followed by
 *
 * - flags: 1 where the first coin is the native token itself;
 * - for each coin its kind, its decimals, and those of a vault's asset;
 * - for a metapool its base pool, in three words.
 */
export interface RateSource {
  readonly kind: RateKind;
  readonly decimals: number;
  readonly assetDecimals: number;
}

/** As contracts number the types of coins; the token of a base pool has no number there. */
type RateKind = typeof PLAIN | typeof ORACLE | typeof VAULT | typeof BASE_POOL;
export const PLAIN = 0;
export const ORACLE = 1;
export const REBASING = 2;
export const VAULT = 3;
export const BASE_POOL = 4;

/** By coin: the call for its rate, where that comes from an oracle. */
export type Oracles = ReadonlyMap<Address, ChainCall>;

const CONVERT_TO_ASSETS = toFunctionSelector("convertToAssets(uint256)");
const VIRTUAL_PRICE = toFunctionSelector("get_virtual_price()");

const FLAGS_AT = 1;
const SOURCES_AT = 2;
const BASE_WORDS = 3;
const WORD_BITS = 64n;
const E18 = 10n ** 18n;

type Constants = PoolListing["constants"];

export function encodeRateSources(
  aPrecision: bigint,
  holdsNative: boolean,
  sources: ReadonlyArray<RateSource>,
  basePool: Address | undefined,
): BigUint64Array {
  const words = sources.map(
    ({ kind, decimals, assetDecimals }) => kind + (decimals << 8) + (assetDecimals << 16),
  );
  const base = basePool === undefined ? [] : [0n, 1n, 2n].map((at) => wordOf(basePool, at));
  return BigUint64Array.of(aPrecision, holdsNative ? 1n : 0n, ...words.map(BigInt), ...base);
}

export const holdsNativeCoin = (constants: Constants): boolean => constants?.[FLAGS_AT] === 1n;

/** The calls for the rates that move; each returns one word. */
export function rateCalls(pool: PoolListing, oracles: Oracles): ReadonlyArray<ChainCall> {
  return pool.tokens.flatMap((coin, position) => {
    const { kind, decimals } = sourceAt(pool, position);
    switch (kind) {
      case VAULT:
        return [callOfWords(coin, CONVERT_TO_ASSETS, [10n ** BigInt(decimals)])];
      case ORACLE:
        return [oracles.get(coin)!];
      case BASE_POOL:
        return [{ to: basePoolOf(pool), data: VIRTUAL_PRICE }];
      default:
        return [];
    }
  });
}

/** The rates by those answers; undefined where one is missing. */
export function ratesOf(
  pool: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
): ReadonlyArray<bigint> | undefined {
  let next = 0;
  const rates = pool.tokens.map((_, position) => {
    const source = sourceAt(pool, position);
    const multiplier = 10n ** BigInt(36 - source.decimals);
    if (source.kind === PLAIN) return multiplier;
    const rate = wordsOf(answers[next++], 1)?.[0];
    if (rate === undefined || source.kind === BASE_POOL) return rate;
    const scale = source.kind === VAULT ? 10n ** BigInt(18 - source.assetDecimals) : 1n;
    return (multiplier * rate * scale) / E18;
  });
  return rates.every((rate) => rate !== undefined) ? rates : undefined;
}

function sourceAt({ constants }: PoolListing, position: number): RateSource {
  const word = Number(constants?.[SOURCES_AT + position] ?? 0n);
  return {
    kind: (word & 0xff) as RateKind,
    decimals: (word >> 8) & 0xff,
    assetDecimals: (word >> 16) & 0xff,
  };
}

function basePoolOf({ constants, tokens }: PoolListing): Address {
  let value = 0n;
  for (let at = BASE_WORDS - 1; at >= 0; at--) {
    value = (value << WORD_BITS) | (constants?.[SOURCES_AT + tokens.length + at] ?? 0n);
  }
  return `0x${value.toString(16).padStart(40, "0")}`;
}

const wordOf = (address: Address, at: bigint): bigint =>
  BigInt.asUintN(64, BigInt(address) >> (WORD_BITS * at));
