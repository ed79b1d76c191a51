import {
  type PoolShape,
  type PoolState,
  REFUSED,
  readWords2,
  writeWords,
} from "@millrace/core/pure";
import { CRYPTO_CONTRACTS, LEAST_GAMMA } from "./contracts.ts";
import { type CryptoPool, constantProductOf, scaledBalance } from "./math.ts";
import { newtonD } from "./newton.ts";
import { MOST_D } from "./solveY.ts";

/** The part of a pool that changes. */
export type CryptoState = Omit<CryptoPool, "contract" | "aMultiplier" | "precisions">;

/**
 * Constants, a word each: the contract's place in `CRYPTO_CONTRACTS`, A_MULTIPLIER, and the
 * precision of each token.
 */
const PRECISIONS_AT = 2;
const E18 = 10n ** 18n;
const FEE_MOST = 10n ** 10n;

/**
 * State, amounts of two words: balances, price scales, D; A, gamma, the three numbers of the fee, a
 * word each; the shares, the virtual price.
 */
export const cryptoStateWords = (tokenCount: number): number => 4 * tokenCount + 9;

/** The constants of a pool, without what a protocol adds. */
export function encodeCryptoConstants(
  contract: number,
  aMultiplier: bigint,
  precisions: ReadonlyArray<bigint>,
): BigUint64Array {
  return BigUint64Array.of(BigInt(contract), aMultiplier, ...precisions);
}

/** Throws a RangeError for amounts from 2^128 up. */
export function encodeCrypto(state: CryptoState): PoolState {
  const { balances, priceScale, d, totalSupply, virtualPrice } = state;
  const words = new BigUint64Array(cryptoStateWords(balances.length));
  let at = 0;
  for (const amount of [...balances, ...priceScale, d]) {
    writeWords(words, at, 2, amount);
    at += 2;
  }
  for (const small of [state.a, state.gamma, state.midFee, state.outFee, state.feeGamma]) {
    writeWords(words, at++, 1, small);
  }
  writeWords(words, at, 2, totalSupply);
  writeWords(words, at + 2, 2, virtualPrice);
  return { words };
}

/** A pool from its constants and its state's words; the contract says how many tokens it has. */
export function decodeCrypto(
  constants: BigUint64Array,
  words: BigUint64Array,
  start: number,
): CryptoPool {
  const contract = CRYPTO_CONTRACTS[Number(constants[0]!)]!;
  const n = contract.tokenCount;
  const amount = (place: number) => readWords2(words, start + 2 * place);
  const amounts = (from: number, count: number) =>
    Array.from({ length: count }, (_, each) => amount(from + each));
  const small = start + 4 * n;
  return {
    contract,
    aMultiplier: constants[1]!,
    precisions: [...constants.subarray(PRECISIONS_AT, PRECISIONS_AT + n)],
    balances: amounts(0, n),
    priceScale: amounts(n, n - 1),
    d: amount(2 * n - 1),
    a: words[small]!,
    gamma: words[small + 1]!,
    midFee: words[small + 2]!,
    outFee: words[small + 3]!,
    feeGamma: words[small + 4]!,
    totalSupply: readWords2(words, small + 5),
    virtualPrice: readWords2(words, small + 7),
  };
}

/** Why a pool or a state is impossible; see `Curve.check`. */
export function checkCrypto(
  { decimals, constants }: PoolShape,
  state: PoolState | undefined,
): string | undefined {
  const contract = CRYPTO_CONTRACTS[Number(constants[0] ?? -1n)];
  if (contract === undefined) return "an unknown contract";
  const n = contract.tokenCount;
  if (decimals.length !== n) return `${decimals.length} tokens`;
  if (constants.length < PRECISIONS_AT + n) return `${constants.length} words of constants`;
  const aMultiplier = constants[1]!;
  if (![1n, 100n, 10_000n].includes(aMultiplier)) return `a multiplier of ${aMultiplier}`;
  if (contract.isAnalytic && aMultiplier !== 10_000n) return `a multiplier of ${aMultiplier}`;
  for (const precision of constants.subarray(PRECISIONS_AT, PRECISIONS_AT + n)) {
    if (precision === 0n || precision > E18) return `a precision of ${precision}`;
  }
  if (state === undefined) return undefined;
  const pool = decodeCrypto(constants, state.words, 0);
  const leastA = contract.leastA(aMultiplier);
  if (pool.a < 1n || pool.a < leastA || pool.a > contract.mostA(aMultiplier))
    return `A of ${pool.a}`;
  if (pool.gamma < LEAST_GAMMA || pool.gamma > contract.mostGamma) return `gamma of ${pool.gamma}`;
  if (pool.midFee > pool.outFee || pool.outFee > FEE_MOST) return `a fee of ${pool.outFee}`;
  if (pool.feeGamma === 0n || pool.feeGamma > E18) return `a fee's gamma of ${pool.feeGamma}`;
  if (pool.priceScale.includes(0n)) return "no price scale";
  return pool.d > MOST_D ? `D of ${pool.d}` : undefined;
}

/** The parts of a state where D and the shares are not known. */
export type NewCryptoPool = Omit<CryptoPool, "d" | "totalSupply" | "virtualPrice">;

/** D of a pool's balances, as `newton_D` finds it without a start; REFUSED where it reverts. */
export function invariantOf(pool: NewCryptoPool): bigint {
  const { contract, aMultiplier, a, gamma, balances } = pool;
  const x = balances.map((balance, at) => scaledBalance(pool, at, balance));
  return newtonD(contract.isAnalytic, aMultiplier, a, gamma, x, 0n);
}

/**
 * Shares and virtual price of a pool that has neither gained nor lost: as many shares as possible,
 * so that a swap by which such a pool gains enough is enough for a pool that has gained, too.
 */
export function sharesAtPar(
  pool: NewCryptoPool,
  d: bigint,
): Pick<CryptoPool, "totalSupply" | "virtualPrice"> {
  const supply = constantProductOf(pool, d);
  return { totalSupply: supply === REFUSED ? 0n : supply, virtualPrice: E18 };
}
