import { type PoolShape, type PoolState, readWords2, writeWords } from "@millrace/core/pure";

/**
 * State of a pool of Balancer's Vaults: balance and rate of each token, two words each; then fees
 * and pause, a word each; then what only stable pools have.
 */
export interface BalancerState {
  /** Raw units of each token, by position; in V3 without the fees that the Vault has taken out. */
  readonly balances: ReadonlyArray<bigint>;
  /** What a unit of each token counts for, apart from the exponents in the constants. */
  readonly ratesE18: ReadonlyArray<bigint>;
  /** Of the input. */
  readonly feeE18: bigint;
  /** The part of the fee that V3's Vault takes out of the pool with each swap. */
  readonly aggregateFeeE18?: bigint;
  readonly isPaused?: boolean;
  readonly stable?: StableState;
}

/** Further state of a stable pool. */
interface StableState {
  /** A·n^(n − 1) × 1000. */
  readonly ampE3: bigint;
  /** Of the hook StableSurge: the imbalance above which a swap pays more, and the highest fee. */
  readonly surgeThresholdE18?: bigint;
  readonly surgeMaxE18?: bigint;
}

/** As it is read back. */
export interface DecodedBalancerState extends Required<Omit<BalancerState, "stable">> {
  readonly stable: Required<StableState> | undefined;
}

export const ONE_E18 = 10n ** 18n;
const NUMBER_WORDS = 2;
const TOKEN_WORDS = 2 * NUMBER_WORDS;
/** Words after those of the tokens. */
const FEE = 0;
const AGGREGATE_FEE = 1;
const PAUSED = 2;
const AMP = 3;
const SURGE_THRESHOLD = 4;
const SURGE_MAX = 5;
const STABLE_END = 6;
/** The Vaults know tokens of at most 18 decimals. */
const EXPONENT_MAX = 18n;

export const weightedStateWords = (tokenCount: number): number => TOKEN_WORDS * tokenCount + AMP;
export const stableStateWords = (tokenCount: number): number =>
  TOKEN_WORDS * tokenCount + STABLE_END;

/** Throws a RangeError for a number that is wider than its words. */
export function encodeBalancerState(state: BalancerState): PoolState {
  const { balances, ratesE18, stable } = state;
  const count = balances.length;
  if (ratesE18.length !== count) throw new RangeError(`${ratesE18.length} rates`);
  const words = new BigUint64Array((stable ? stableStateWords : weightedStateWords)(count));
  for (let at = 0; at < count; at++) {
    writeWords(words, at * TOKEN_WORDS, NUMBER_WORDS, balances[at]!);
    writeWords(words, at * TOKEN_WORDS + NUMBER_WORDS, NUMBER_WORDS, ratesE18[at]!);
  }
  const write = (field: number, value: bigint | undefined) =>
    writeWords(words, count * TOKEN_WORDS + field, 1, value ?? 0n);
  write(FEE, state.feeE18);
  write(AGGREGATE_FEE, state.aggregateFeeE18);
  write(PAUSED, state.isPaused ? 1n : 0n);
  if (stable !== undefined) {
    write(AMP, stable.ampE3);
    write(SURGE_THRESHOLD, stable.surgeThresholdE18);
    write(SURGE_MAX, stable.surgeMaxE18);
  }
  return { words };
}

/** The state of `count` tokens that begins at a word. */
export function decodeBalancerState(
  words: BigUint64Array,
  start: number,
  count: number,
  isStable: boolean,
): DecodedBalancerState {
  const balances: bigint[] = [];
  const ratesE18: bigint[] = [];
  for (let at = start; at < start + count * TOKEN_WORDS; at += TOKEN_WORDS) {
    balances.push(readWords2(words, at));
    ratesE18.push(readWords2(words, at + NUMBER_WORDS));
  }
  const field = (at: number) => words[start + count * TOKEN_WORDS + at]!;
  return {
    balances,
    ratesE18,
    feeE18: field(FEE),
    aggregateFeeE18: field(AGGREGATE_FEE),
    isPaused: field(PAUSED) !== 0n,
    stable: isStable
      ? {
          ampE3: field(AMP),
          surgeThresholdE18: field(SURGE_THRESHOLD),
          surgeMaxE18: field(SURGE_MAX),
        }
      : undefined,
  };
}

/**
 * Constants of all these pools: a rule of the curve's own, then for each token 18 less its
 * decimals, or 0 where the state's rates are whole scaling factors.
 */
export function balancerConstants(
  rule: bigint,
  exponents: ReadonlyArray<number>,
  more: ReadonlyArray<bigint> = [],
): BigUint64Array {
  return BigUint64Array.from([rule, ...exponents.map(BigInt), ...more]);
}

export const ruleOf = (constants: BigUint64Array): bigint => constants[0]!;

export const exponentAt = (constants: BigUint64Array, at: number): bigint => constants[1 + at]!;

/** A constant of the curve's own, counted from 0. */
export const curveConstant = (constants: BigUint64Array, count: number, at: number): bigint =>
  constants[1 + count + at]!;

/** Why a pool or its state is impossible, by the checks that both curves share. */
export function checkBalancer(
  { decimals, constants }: PoolShape,
  state: PoolState | undefined,
  { balanceBits, isStable }: { readonly balanceBits: bigint; readonly isStable: boolean },
): string | undefined {
  const count = decimals.length;
  for (let at = 0; at < count; at++) {
    if (exponentAt(constants, at) > EXPONENT_MAX) return "more than 18 decimals";
  }
  if (state === undefined) return undefined;
  const words = isStable ? stableStateWords(count) : weightedStateWords(count);
  if (state.words.length !== words) return `a state of ${state.words.length} words`;
  const found = decodeBalancerState(state.words, 0, count, isStable);
  if (found.feeE18 >= ONE_E18) return `a fee of ${found.feeE18} / 10^18`;
  if (found.aggregateFeeE18 > ONE_E18)
    return `a part of ${found.aggregateFeeE18} / 10^18 of the fee`;
  if (found.ratesE18.includes(0n)) return "a rate of 0";
  const isWide = found.balances.some((balance) => balance >> balanceBits !== 0n);
  return isWide ? `a balance of more than ${balanceBits} bits` : undefined;
}
