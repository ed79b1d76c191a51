import { ADDRESS_BYTES, BOOK_WORDS } from "@millrace/core";
import { forEachIndex, type Sliced } from "./inSlices.ts";
import { type Columns, type Content, LEDGER_WORDS, STATE_KIND } from "./layout.ts";
import { compareAddresses } from "./sortAddresses.ts";

const POOL_TOKENS_MIN = 2;
const POOL_TOKENS_MAX = 8;
/** Number of keys and indexes that one slice checks. */
const SLICE_LENGTH = 65_536;

/**
 * Why columns do not fit together; undefined when they do: then every index points to something,
 * and everything sorted is sorted without duplicates.
 */
export function* findInconsistency({ header, columns }: Content): Sliced<string | undefined> {
  return (
    (yield* lengthProblem(columns)) ??
    (yield* tokenProblem(columns)) ??
    (yield* poolProblem(columns, header)) ??
    (yield* stateProblem(columns))
  );
}

function* lengthProblem(columns: Columns): Sliced<string | undefined> {
  const pools = columns.poolDex.length;
  const listings = columns.listingToken.length;
  const states = columns.statePool.length;
  const poolColumns = [
    "poolFeePips",
    "poolParameter",
    "poolCurve",
    "poolConstantCount",
    "poolCreatedBlock",
    "poolTokenCount",
  ] as const;
  const stateColumns = [
    "stateKind",
    "stateWordCount",
    "stateBookLength",
    "stateNoteCount",
  ] as const;
  let ledgerKeys = 0;
  yield* forEachIndex(states, (index) => {
    if (columns.stateKind[index] !== STATE_KIND.ledger) return;
    ledgerKeys += columns.stateBookLength[index]!;
  });
  const keys = columns.bookKeys.length;
  const fits =
    columns.tokenAddresses.length % ADDRESS_BYTES === 0 &&
    columns.poolAddresses.length === pools * ADDRESS_BYTES &&
    poolColumns.every((name) => columns[name].length === pools) &&
    columns.poolTokens.length === (yield* sum(columns.poolTokenCount)) &&
    columns.poolConstants.length === (yield* sum(columns.poolConstantCount)) &&
    columns.listingDecimals.length === listings &&
    columns.listingTextLengths.length === 2 * listings &&
    columns.listingTexts.length === (yield* sum(columns.listingTextLengths)) &&
    stateColumns.every((name) => columns[name].length === states) &&
    columns.stateWords.length === (yield* sum(columns.stateWordCount)) &&
    columns.noteWords.length === (yield* sum(columns.stateNoteCount)) &&
    keys === (yield* sum(columns.stateBookLength)) &&
    columns.bookWords.length === keys * BOOK_WORDS &&
    columns.ledgerWords.length === ledgerKeys * LEDGER_WORDS;
  return fits ? undefined : "columns have not the same number of elements";
}

function* tokenProblem(columns: Columns): Sliced<string | undefined> {
  const { tokenAddresses, listingToken } = columns;
  if (!(yield* addressesAscend(tokenAddresses))) return "tokens are not sorted";
  if (!(yield* ascendBelow(listingToken, tokenAddresses.length / ADDRESS_BYTES))) {
    return "listings are not sorted, or of no token";
  }
  return undefined;
}

function* poolProblem(
  columns: Columns,
  { dexIds, curves }: Content["header"],
): Sliced<string | undefined> {
  const { poolAddresses, poolCurve, poolDex, poolCreatedBlock, poolTokenCount, poolTokens } =
    columns;
  if (!(yield* addressesAscend(poolAddresses))) return "pools are not sorted";
  const tokenCount = columns.tokenAddresses.length / ADDRESS_BYTES;
  let problem: string | undefined;
  let tokensAt = 0;
  yield* forEachIndex(poolDex.length, (pool) => {
    const count = poolTokenCount[pool]!;
    const tokens = poolTokens.subarray(tokensAt, tokensAt + count);
    tokensAt += count;
    const sound =
      count >= POOL_TOKENS_MIN &&
      count <= POOL_TOKENS_MAX &&
      tokens.every((token, at) => token < tokenCount && tokens.indexOf(token) === at) &&
      poolDex[pool]! < dexIds.length &&
      poolCurve[pool]! < curves.length &&
      Number.isSafeInteger(poolCreatedBlock[pool]) &&
      poolCreatedBlock[pool]! >= 0;
    if (!sound) problem = `pool ${pool}: its tokens, DEX, curve or block are none`;
  });
  return problem;
}

function* stateProblem(columns: Columns): Sliced<string | undefined> {
  const { statePool, stateKind, stateBookLength, bookKeys } = columns;
  if (!(yield* ascendBelow(statePool, columns.poolDex.length))) {
    return "states are not sorted, or of no pool";
  }
  const starts = new Uint8Array(bookKeys.length + 1); // 1: the first key of a book
  let problem: string | undefined;
  let keysAt = 0;
  yield* forEachIndex(statePool.length, (index) => {
    const kind = stateKind[index]!;
    if (kind > STATE_KIND.ledger || (kind === STATE_KIND.words && stateBookLength[index]! > 0)) {
      problem = `state ${index}: its kind has no such book`;
    }
    starts[keysAt] = 1;
    keysAt += stateBookLength[index]!;
  });
  yield* forEachIndex(
    bookKeys.length,
    (at) => {
      if (starts[at] === 0 && bookKeys[at]! <= bookKeys[at - 1]!) problem = "a book is not sorted";
    },
    SLICE_LENGTH,
  );
  return problem;
}

function* addressesAscend(addresses: Uint8Array): Sliced<boolean> {
  let ascend = true;
  yield* forEachIndex(addresses.length / ADDRESS_BYTES - 1, (index) => {
    if (compareAddresses(addresses, index, addresses, index + 1) >= 0) ascend = false;
  });
  return ascend;
}

/** Whether indexes ascend without duplicates, all below an end. */
function* ascendBelow(indexes: Uint32Array, end: number): Sliced<boolean> {
  let sound = true;
  yield* forEachIndex(
    indexes.length,
    (at) => {
      if (indexes[at]! >= end || (at > 0 && indexes[at]! <= indexes[at - 1]!)) sound = false;
    },
    SLICE_LENGTH,
  );
  return sound;
}

function* sum(numbers: Uint8Array | Uint32Array): Sliced<number> {
  let total = 0;
  yield* forEachIndex(
    numbers.length,
    (index) => {
      total += numbers[index]!;
    },
    SLICE_LENGTH,
  );
  return total;
}
