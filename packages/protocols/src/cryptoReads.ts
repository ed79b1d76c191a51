import type { PoolListing } from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import type { CallAnswer, ChainCall, FollowedState, PoolRefusal } from "./ChainProtocol.ts";
import { callOfWords, wordsOf } from "./chainWords.ts";
import type { CryptoPool } from "./curves/cryptoSwap/math.ts";
import { decodeCrypto, encodeCrypto, invariantOf } from "./curves/cryptoSwap/state.ts";

/** What a crypto pool of Curve's new generation tells of its state. */

const BALANCES = toFunctionSelector("balances(uint256)");
const PRICE_SCALE = toFunctionSelector("price_scale()");
const PRICE_SCALE_OF = toFunctionSelector("price_scale(uint256)");
const D = toFunctionSelector("D()");
const A = toFunctionSelector("A()");
const GAMMA = toFunctionSelector("gamma()");
const MID_FEE = toFunctionSelector("mid_fee()");
const OUT_FEE = toFunctionSelector("out_fee()");
const FEE_GAMMA = toFunctionSelector("fee_gamma()");
const TOTAL_SUPPLY = toFunctionSelector("totalSupply()");
const VIRTUAL_PRICE = toFunctionSelector("virtual_price()");
const FUTURE_A_GAMMA = toFunctionSelector("future_A_gamma()");

const HALF_BITS = 128n;
const HALF_MASK = (1n << HALF_BITS) - 1n;
const WORD_BITS = 64n;
const WORD_MASK = (1n << WORD_BITS) - 1n;

const WIDE: PoolRefusal = { refused: "a balance or a price of more than 128 bits" };
const STRANGE: PoolRefusal = { refused: "parameters that its contract cannot have" };

/** What moves by itself during a ramp; D with it, once the ramp is over. */
export const rampCalls = ({ address }: Pick<PoolListing, "address">): ReadonlyArray<ChainCall> =>
  [A, GAMMA, D].map((data) => ({ to: address, data }));

/** Balances and prices, and what the ramp calls ask. */
export function priceCalls(
  pool: Pick<PoolListing, "address" | "tokens">,
): ReadonlyArray<ChainCall> {
  const { address, tokens } = pool;
  const prices =
    tokens.length === 2
      ? [{ to: address, data: PRICE_SCALE }]
      : tokens.slice(1).map((_, at) => callOfWords(address, PRICE_SCALE_OF, [BigInt(at)]));
  return [
    ...tokens.map((_, at) => callOfWords(address, BALANCES, [BigInt(at)])),
    ...prices,
    ...rampCalls(pool),
  ];
}

/** All of a state. */
export const stateCalls = (pool: PoolListing): ReadonlyArray<ChainCall> => [
  ...priceCalls(pool),
  ...[MID_FEE, OUT_FEE, FEE_GAMMA, TOTAL_SUPPLY, VIRTUAL_PRICE, FUTURE_A_GAMMA].map((data) => ({
    to: pool.address,
    data,
  })),
];

/** The one word of each answer; undefined where one is none. */
function numbersOf(answers: ReadonlyArray<CallAnswer>): bigint[] | undefined {
  const numbers = answers.map((answer) => wordsOf(answer, 1)?.[0]);
  return numbers.every((each) => each !== undefined) ? (numbers as bigint[]) : undefined;
}

/** Without the numbers of the fee. */
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

/** A state of what `stateCalls` were answered. */
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

/** Words of notes: A and gamma at a ramp's end, as the contract packs them, and its virtual price. */
const FUTURE_WORDS = 4;

function notesOf(future: bigint, virtualPrice: bigint): BigUint64Array {
  const whole = future | (virtualPrice << 256n);
  return BigUint64Array.from({ length: FUTURE_WORDS + 2 }, (_, at) =>
    BigInt.asUintN(64, whole >> (BigInt(at) * WORD_BITS)),
  );
}

/**
 * The state at A and gamma of now. Between the ends of a ramp the contract finds D anew before each
 * swap, and lets the virtual price fall; else D is the one that it keeps.
 */
function rampedState(pool: CryptoPool, keptD: bigint, notes: BigUint64Array): FollowedState {
  const half = (at: number) => notes[at]! | (notes[at + 1]! << WORD_BITS);
  const isRamping = pool.gamma !== half(0) || pool.a !== half(2);
  const found = isRamping && !pool.balances.includes(0n) ? invariantOf(pool) : keptD;
  const virtualPrice = isRamping ? 0n : half(FUTURE_WORDS);
  const { words } = encodeCrypto({ ...pool, d: found < 0n ? 0n : found, virtualPrice });
  return { words, notes };
}

/** The state once `rampCalls` were answered: the same one where nothing has moved. */
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
