import { NO_CONSTANTS, type PoolListing } from "@millrace/core";
import type { CalldataLeg, ManagedPoolKey } from "../CalldataLeg.ts";
import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";
import {
  addressWord,
  arrayWords,
  bytesWords,
  flagWord,
  WORD_BYTES,
  word,
} from "../calldataWords.ts";
import type { RouterCommand, RouterLeg } from "../RouterCommand.ts";

/** The kind of a leg of the executor contract. */
const MANAGED = 4;
const FEE_BYTES = 3;
const TICK_SPACING_BYTES = 3;

/** Of `Commands.sol`. */
const V4_SWAP = "10";
// Of `Actions.sol` of v4-periphery.
const SWAP_EXACT_IN = "07";
const SWAP_EXACT_OUT = "09";
const SETTLE = "0b";
const TAKE = "0e";
/** As an amount: all that is owed, or that is due (`ActionConstants.OPEN_DELTA`). */
const OPEN_DELTA = 0n;
/** The manager keeps accounts in int128. */
const AMOUNT_END = 1n << 127n;

/**
 * Pools of Uniswap V4: an exact input is paid first, and all of what was paid is swapped, so that
 * nothing of it can stay behind; an exact output is paid when its price is known.
 */
const universalRouter: RouterCommand = {
  dexKey: "v4DexId",
  entrance: "router",
  weighsOutput: false,
  amountEnd: AMOUNT_END,
  exactIn: ({ legs, recipient, amountIn, amountOutMin, isPaidBySender }) => {
    const { tokenIn } = legs[0]!;
    return commandOf([
      [SETTLE, settleWords(tokenIn, amountIn, isPaidBySender)],
      [
        SWAP_EXACT_IN,
        swapWords(tokenIn, legs, ({ tokenOut }) => tokenOut, OPEN_DELTA, amountOutMin),
      ],
      [TAKE, takeWords(legs.at(-1)!.tokenOut, recipient)],
    ]);
  },
  exactOut: ({ legs, recipient, amountOut, amountInMax, isPaidBySender }) => {
    const { tokenOut } = legs.at(-1)!;
    return commandOf([
      [SWAP_EXACT_OUT, swapWords(tokenOut, legs, ({ tokenIn }) => tokenIn, amountOut, amountInMax)],
      [SETTLE, settleWords(legs[0]!.tokenIn, OPEN_DELTA, isPaidBySender)],
      [TAKE, takeWords(tokenOut, recipient)],
    ]);
  },
};

/** Pools of Uniswap V4 in transactions, by their manager and their key. */
export const uniswapV4Calldata: CalldataProtocol = {
  name: "uniswap-v4",
  poolKey: (pool) => (saysKey(pool) ? readPoolKey(pool) : undefined),
  holdsNative,
  executorLeg: (leg) => {
    const { manager, fee, tickSpacing, hooks } = keyOf(leg);
    const data =
      uintDigits(fee, FEE_BYTES) + uintDigits(tickSpacing, TICK_SPACING_BYTES) + hooks.slice(2);
    return legDigits(MANAGED, { ...leg, pool: manager }, data);
  },
  givesExactOutput: true,
  universalRouter,
};

function commandOf(actions: ReadonlyArray<readonly [code: string, words: string]>) {
  const codes = bytesWords(actions.map(([code]) => code).join(""));
  const params = arrayWords(actions.map(([, words]) => bytesWords(words)));
  const codesAt = 2 * WORD_BYTES;
  return {
    code: V4_SWAP,
    input: word(codesAt) + word(codesAt + codes.length / 2) + codes + params,
  };
}

const settleWords = (token: `0x${string}`, amount: bigint, isPaidBySender: boolean): string =>
  addressWord(token) + word(amount) + flagWord(isPaidBySender);

const takeWords = (token: `0x${string}`, recipient: `0x${string}`): string =>
  addressWord(token) + addressWord(recipient) + word(OPEN_DELTA);

/** `ExactInputParams`, or `ExactOutputParams`, which have the same shape. */
function swapWords(
  token: `0x${string}`,
  legs: ReadonlyArray<RouterLeg>,
  otherToken: (leg: RouterLeg) => `0x${string}`,
  amount: bigint,
  limit: bigint,
): string {
  const path = legs.map((leg) => pathKeyWords(otherToken(leg), keyOf(leg)));
  return (
    word(WORD_BYTES) +
    addressWord(token) +
    word(4 * WORD_BYTES) +
    word(amount) +
    word(limit) +
    arrayWords(path)
  );
}

/** A `PathKey`, without data for hooks. */
function pathKeyWords(
  token: `0x${string}`,
  { fee, tickSpacing, hooks }: Omit<ManagedPoolKey, "manager">,
): string {
  const key = addressWord(token) + word(fee) + word(tickSpacing) + addressWord(hooks);
  return key + word(5 * WORD_BYTES) + bytesWords("");
}

function keyOf({ pool, key }: Pick<CalldataLeg, "pool" | "key">): ManagedPoolKey {
  if (key === undefined || !("hooks" in key)) throw new Error(`no key of the pool ${pool}`);
  return key;
}

/**
 * In a pool's constants the rule of steps is followed by its key's fee and hooks. The bit above the
 * hooks' 160 bits says whether its first token is the native one, though it is listed as the
 * wrapped one.
 */
const FEE_AT = 1;
const HOOKS_AT = 2;
const HOOKS_WORDS = 3;
const HOOKS_BITS = 160;
const HOOKS_DIGITS = 40;
const ID_WORDS = 4;

/** The constants of a pool before its id. */
export function encodePoolKey(
  steps: bigint,
  fee: bigint,
  hooks: bigint,
  isNativeWrapped = false,
): BigUint64Array {
  const upper = isNativeWrapped ? 1n << BigInt(HOOKS_BITS) : 0n;
  const words = new BigUint64Array(HOOKS_AT + HOOKS_WORDS);
  words[0] = steps;
  words[FEE_AT] = fee;
  for (let word = 0; word < HOOKS_WORDS; word++) {
    words[HOOKS_AT + word] = BigInt.asUintN(64, (upper | hooks) >> BigInt(64 * word));
  }
  return words;
}

/** A pool's key without its tokens, by its listing. */
export function readPoolKey({
  parameter: tickSpacing,
  constants = NO_CONSTANTS,
}: Pick<PoolListing, "parameter" | "constants">): Omit<ManagedPoolKey, "manager"> {
  const digits = BigInt.asUintN(HOOKS_BITS, upperWords(constants)).toString(16);
  const hooks: `0x${string}` = `0x${digits.padStart(HOOKS_DIGITS, "0")}`;
  return { fee: Number(constants[FEE_AT] ?? 0n), tickSpacing, hooks };
}

/** Whether the key stands before the pool's id. */
function saysKey({ constants = NO_CONSTANTS }: Pick<PoolListing, "constants">): boolean {
  return constants.length === HOOKS_AT + HOOKS_WORDS + ID_WORDS;
}

/** See `CalldataProtocol.holdsNative`. */
export function holdsNative(pool: Pick<PoolListing, "constants">): boolean {
  const { constants = NO_CONSTANTS } = pool;
  return saysKey(pool) && upperWords(constants) >> BigInt(HOOKS_BITS) === 1n;
}

function upperWords(constants: BigUint64Array): bigint {
  let words = 0n;
  for (let word = HOOKS_WORDS - 1; word >= 0; word--) {
    words = (words << 64n) | (constants[HOOKS_AT + word] ?? 0n);
  }
  return words;
}
