import type { PoolListing } from "@millrace/core";
import type { CallAnswer, FollowedState, PoolRefusal } from "../ChainProtocol.ts";
import { wordsOf } from "../chainWords.ts";
import type { CryptoPool } from "../curves/cryptoSwap/math.ts";
import { decodeCrypto, encodeCrypto, invariantOf } from "../curves/cryptoSwap/state.ts";

/** The state of a crypto pool of Curve's new generation, from the pool's answers. */

const HALF_BITS = 128n;
const HALF_MASK = (1n << HALF_BITS) - 1n;
const WORD_BITS = 64n;
const WORD_MASK = (1n << WORD_BITS) - 1n;

const WIDE: PoolRefusal = { refused: "a balance or a price of more than 128 bits" };
const STRANGE: PoolRefusal = { refused: "parameters that its contract cannot have" };

/** The word of each answer; undefined where an answer is not one word. */
function numbersOf(answers: ReadonlyArray<CallAnswer>): bigint[] | undefined {
  const numbers = answers.map((answer) => wordsOf(answer, 1)?.[0]);
  return numbers.every((each) => each !== undefined) ? (numbers as bigint[]) : undefined;
}

/**
 * A pool without fees and shares, of the first answers: balances, price scales, A, gamma and D.
 */
export function poolOfPrices(
  { tokens, constants }: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
): CryptoPool | PoolRefusal | undefined {
  const numbers = numbersOf(answers.slice(0, 2 * tokens.length + 2));
  if (numbers === undefined || constants === undefined) return undefined;
  const n = tokens.length;
  if (numbers.length !== 2 * n + 2) return undefined;
  const [a, gamma, d] = numbers.slice(2 * n - 1) as [bigint, bigint, bigint];
  if (numbers.slice(0, 2 * n - 1).some((each) => each > HALF_MASK)) return WIDE;
  if (a > WORD_MASK || gamma > WORD_MASK || d > HALF_MASK) return STRANGE;
  const noState = new BigUint64Array(4 * n + 9);
  return {
    ...decodeCrypto(constants, noState, 0),
    ...{ balances: numbers.slice(0, n), priceScale: numbers.slice(n, 2 * n - 1), a, gamma, d },
  };
}

/**
 * The state. After those answers come three of the fee, shares, virtual price, and a ramp's end.
 */
export function cryptoStateIn(
  listing: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
): FollowedState | PoolRefusal | undefined {
  const pool = poolOfPrices(listing, answers);
  if (pool === undefined || "refused" in pool) return pool;
  const rest = numbersOf(answers.slice(2 * listing.tokens.length + 2));
  if (rest?.length !== 6) return undefined;
  const [midFee, outFee, feeGamma, totalSupply, virtualPrice, future] = rest as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  if ([midFee, outFee, feeGamma].some((each) => each > WORD_MASK)) return STRANGE;
  if (totalSupply > HALF_MASK || virtualPrice > HALF_MASK) return WIDE;
  const notes = notesOf(future, virtualPrice);
  return rampedState({ ...pool, midFee, outFee, feeGamma, totalSupply }, pool.d, notes);
}

/** Words of notes: A and gamma at a ramp's end, as they are packed, and the virtual price. */
const FUTURE_WORDS = 4;

function notesOf(future: bigint, virtualPrice: bigint): BigUint64Array {
  const whole = future | (virtualPrice << 256n);
  return BigUint64Array.from({ length: FUTURE_WORDS + 2 }, (_, at) =>
    BigInt.asUintN(64, whole >> (BigInt(at) * WORD_BITS)),
  );
}

/**
 * The state at the current A and gamma. During a ramp the contract computes D anew before each
 * swap, and lets the virtual price fall; otherwise D is the stored one.
 */
function rampedState(pool: CryptoPool, keptD: bigint, notes: BigUint64Array): FollowedState {
  const half = (at: number) => notes[at]! | (notes[at + 1]! << WORD_BITS);
  const isRamping = pool.gamma !== half(0) || pool.a !== half(2);
  const found = isRamping && !pool.balances.includes(0n) ? invariantOf(pool) : keptD;
  const virtualPrice = isRamping ? 0n : half(FUTURE_WORDS);
  const { words } = encodeCrypto({ ...pool, d: found < 0n ? 0n : found, virtualPrice });
  return { words, notes };
}

/** The state with newly read A, gamma and D; the same object where nothing has moved. */
export function afterRamp(
  { constants, tokens }: PoolListing,
  state: FollowedState,
  answers: ReadonlyArray<CallAnswer>,
): FollowedState | PoolRefusal | undefined {
  const numbers = numbersOf(answers);
  if (numbers?.length !== 3 || constants === undefined || state.notes === undefined) {
    return undefined;
  }
  const [a, gamma, keptD] = numbers as [bigint, bigint, bigint];
  if (a > WORD_MASK || gamma > WORD_MASK || keptD > HALF_MASK) return STRANGE;
  const before = decodeCrypto(constants, state.words, 0);
  if (before.balances.length !== tokens.length) return undefined;
  const isStill = before.a === a && before.gamma === gamma;
  if (isStill && (before.virtualPrice === 0n || before.d === keptD)) return state;
  return rampedState({ ...before, a, gamma }, keptD, state.notes);
}
