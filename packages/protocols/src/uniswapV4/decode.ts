import type { Address } from "@millrace/core";
import { encodeAbiParameters, keccak256, parseAbiParameters } from "viem/utils";
import { DATA_START, type LegDecoder, readHead, readLegAddress, readUint } from "../LegDecoder.ts";
import { Mismatch, must, same } from "../Mismatch.ts";
import type { DecodedRouterHop, DecodedRouterSwap } from "../RouterCommandDecoder.ts";
import type { WordReader } from "../WordReader.ts";

const [FEE, TICK_SPACING, HOOKS] = [DATA_START, DATA_START + 3, DATA_START + 6];

const POOL_KEY = parseAbiParameters("address, address, uint24, int24, address");
/** Hex digits of the first twenty bytes, behind 0x. */
const KEY_END = 42;
const TICK_SPACING_END = 1 << 23;
const FEE_END = 1 << 24;
const WORD_BYTES = 32;
/** Of the actions: all that the router owes, or is due. */
const OPEN = 0n;

/** Pay, swap, take; swap, pay, take. */
const INPUT_ACTIONS = "0b070e";
const OUTPUT_ACTIONS = "090b0e";

/** Legs of Uniswap V4: of the executor's kind 4. The pool is what the leg's own key hashes to. */
export const uniswapV4Decoder: LegDecoder = {
  name: "uniswap-v4",
  byteCount: HOOKS + 20,
  read: (digits, tokenIn) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind !== 4) return undefined;
    const currencies = zeroForOne ? ([tokenIn, tokenOut] as const) : ([tokenOut, tokenIn] as const);
    const fee = readUint(digits, FEE, 3);
    const tickSpacing = readUint(digits, TICK_SPACING, 3);
    const hooks = readLegAddress(digits, HOOKS);
    const pool = hashedPool(currencies, fee, tickSpacing, hooks);
    return pool === undefined ? undefined : { target, pool, tokenOut, zeroForOne };
  },
  routerCommand: {
    codes: ["10"],
    dexKey: "v4DexId",
    isPaidBefore: false,
    weighsOutput: false,
    read: (_code, input) => readManagedSwap(input),
  },
};

/** A V4_SWAP: one swap along a path, paid and taken whole. */
function readManagedSwap(input: WordReader): DecodedRouterSwap {
  input.offset(2 * WORD_BYTES);
  // The actions fill one word, after the word of their count.
  input.offset(4 * WORD_BYTES);
  const actions = input.bytes("actions");
  const isInput = actions === INPUT_ACTIONS;
  if (!isInput && actions !== OUTPUT_ACTIONS) {
    throw new Mismatch(`actions 0x${actions} are not those of a swap`);
  }
  const [first, second, third] = readParts(input, 3) as [WordReader, WordReader, WordReader];
  const swap = readSwap(isInput ? second : first, isInput);
  const { token, amount, payerIsUser } = readSettle(isInput ? first : second);
  const taken = readTake(third);
  same("swap, currency paid", token, swap.hops[0]!.tokenIn);
  same("swap, currency taken", taken.token, swap.hops.at(-1)!.tokenOut);
  const { recipient } = taken;
  // The input or the output is known beforehand; the other side is open.
  const [known, open] = isInput ? [amount, swap.amount] : [swap.amount, amount];
  same("swap, amount that is open", open, OPEN);
  must(known !== OPEN, "swap, amount: none");
  const { limit, hops } = swap;
  return {
    kind: isInput ? "exactIn" : "exactOut",
    ...{ recipient, amount: known, limit, payerIsUser, hops },
  };
}

function readSwap(words: WordReader, isInput: boolean) {
  words.offset(WORD_BYTES);
  const token = words.address("swap, currency");
  words.offset(4 * WORD_BYTES);
  const amount = words.uint();
  const limit = words.uint();
  const hops = isInput ? readPath(words, token) : readPathTurned(words, token);
  words.end();
  return { amount, limit, hops };
}

function readSettle(words: WordReader) {
  const token = words.address("settle, currency");
  const amount = words.uint();
  const payerIsUser = words.boolean("settle, payer");
  words.end();
  return { token, amount, payerIsUser };
}

function readTake(words: WordReader) {
  const token = words.address("take, currency");
  const recipient = words.address("take, to");
  same("take, amount", words.uint(), OPEN);
  words.end();
  return { token, recipient };
}

/** Each element has what comes out of its pool. */
function readPath(words: WordReader, start: Address): DecodedRouterHop[] {
  let tokenIn = start;
  return readPathKeys(words).map((key) => {
    const hop = { tokenIn, tokenOut: key.token, pool: poolOf(tokenIn, key.token, key) };
    tokenIn = key.token;
    return hop;
  });
}

/** Each element has what goes into its pool. */
function readPathTurned(words: WordReader, end: Address): DecodedRouterHop[] {
  const keys = readPathKeys(words);
  return keys.map((key, place) => {
    const tokenOut = keys[place + 1]?.token ?? end;
    return { tokenIn: key.token, tokenOut, pool: poolOf(key.token, tokenOut, key) };
  });
}

interface PathKey {
  readonly token: Address;
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: Address;
}

function readPathKeys(words: WordReader): PathKey[] {
  const count = words.number("pools of a path");
  must(count > 0 && count * WORD_BYTES <= words.bytesLeft, `a path of ${count} pools`);
  const offsets = Array.from({ length: count }, () => words.number("an offset"));
  return offsets.map((offset, place) => {
    // All are of one length: five words, then empty bytes.
    same("an offset", offset, (count + 6 * place) * WORD_BYTES);
    const token = words.address("a path");
    const fee = words.number("a path, fee");
    const tickSpacing = words.number("a path, tick spacing");
    const hooks = words.address("a path, hooks");
    words.offset(5 * WORD_BYTES);
    same("a path, data for hooks", words.bytes("a path, data for hooks"), "");
    return { token, fee, tickSpacing, hooks };
  });
}

function poolOf(tokenIn: Address, tokenOut: Address, { fee, tickSpacing, hooks }: PathKey) {
  const currencies =
    tokenIn < tokenOut ? ([tokenIn, tokenOut] as const) : ([tokenOut, tokenIn] as const);
  const pool = hashedPool(currencies, fee, tickSpacing, hooks);
  if (pool === undefined) throw new Mismatch(`a path: no pool of ${fee} and ${tickSpacing}`);
  return pool;
}

/** The elements of an array of byte strings of whole words, up to the end. */
function readParts(words: WordReader, count: number): ReadonlyArray<WordReader> {
  same("number of parameters", words.number("number of parameters"), count);
  const offsets = Array.from({ length: count }, () => words.number("an offset"));
  let offset = count * WORD_BYTES;
  return offsets.map((found) => {
    same("an offset", found, offset);
    const part = words.part("parameters");
    offset += WORD_BYTES + part.bytesLeft;
    return part;
  });
}

/** The graph's name for the pool of a key; undefined where no contract could read the key. */
function hashedPool(
  currencies: readonly [Address, Address],
  fee: number,
  tickSpacing: number,
  hooks: Address,
): Address | undefined {
  if (fee >= FEE_END || tickSpacing >= TICK_SPACING_END) return undefined;
  const key = encodeAbiParameters(POOL_KEY, [...currencies, fee, tickSpacing, hooks]);
  return keccak256(key).slice(0, KEY_END) as Address;
}
