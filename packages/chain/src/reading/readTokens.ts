import type { Address, TokenListing } from "@millrace/core";
import { type CallAnswer, type ChainCall, NATIVE_ADDRESS } from "@millrace/protocols";
import { Effect } from "effect";
import { toFunctionSelector } from "viem/utils";
import { type BlockReader, callAll } from "./callAll.ts";
import { readText } from "./readText.ts";

/** A token that cannot be listed, and why. */
export interface TokenProblem {
  readonly address: Address;
  readonly problem: string;
}

/** Symbol and name of the chain's native token, which has no contract. */
export interface NativeToken {
  readonly symbol: string;
  readonly name: string;
}

/** The same on every chain. */
const NATIVE_DECIMALS = 18;

const SELECTORS = ["decimals()", "symbol()", "name()"].map(toFunctionSelector);
const TOTAL_SUPPLY = toFunctionSelector("totalSupply()");
/** More decimals than any serious token has; a price in such units still fits a double. */
const DECIMALS_MAX = 36;
const WORD_DIGITS = 64;

/**
 * What tokens say about themselves at the reader's block, in the order of the addresses; texts are
 * safe to show. A token without a symbol gets its shortened address, one without a name its symbol;
 * one without usable decimals is a problem. The native token, at the address 0, gets `native`.
 */
export const readTokens = Effect.fnUntraced(function* (
  reader: BlockReader,
  addresses: ReadonlyArray<Address>,
  native: NativeToken,
) {
  const contracts = addresses.filter((address) => address !== NATIVE_ADDRESS);
  const calls = contracts.flatMap((to) => SELECTORS.map((data): ChainCall => ({ to, data })));
  const answers = yield* callAll(reader, calls);
  const listed = contracts.map((address, index): TokenListing | TokenProblem => {
    const at = index * SELECTORS.length;
    const [decimals, symbol, name] = answers.slice(at, at + SELECTORS.length);
    return listToken(address, decimals, symbol, name);
  });
  if (listed.length === addresses.length) return listed;
  const others = listed.values();
  return addresses.map((address): TokenListing | TokenProblem =>
    address === NATIVE_ADDRESS
      ? { address, decimals: NATIVE_DECIMALS, ...native }
      : others.next().value!,
  );
});

/**
 * Total supplies of tokens, in the order of the addresses; undefined where a token does not tell
 * it.
 */
export const readSupplies = Effect.fnUntraced(function* (
  reader: BlockReader,
  addresses: ReadonlyArray<Address>,
) {
  const answers = yield* callAll(
    reader,
    addresses.map((to) => ({ to, data: TOTAL_SUPPLY })),
  );
  return answers.map(firstWord);
});

function listToken(
  address: Address,
  decimalsAnswer: CallAnswer,
  symbolAnswer: CallAnswer,
  nameAnswer: CallAnswer,
): TokenListing | TokenProblem {
  const decimals = firstWord(decimalsAnswer);
  if (decimals === undefined) return { address, problem: "it tells no decimals" };
  if (decimals > DECIMALS_MAX) return { address, problem: `more than ${DECIMALS_MAX} decimals` };
  const symbol = readText(symbolAnswer) || `${address.slice(0, 6)}…${address.slice(-4)}`;
  const name = readText(nameAnswer) || symbol;
  return { address, decimals: Number(decimals), symbol, name };
}

/** The number in the first word of an answer; undefined when there is none. */
function firstWord(answer: CallAnswer): bigint | undefined {
  if (answer === undefined || answer.length < 2 + WORD_DIGITS) return undefined;
  return BigInt(answer.slice(0, 2 + WORD_DIGITS));
}
