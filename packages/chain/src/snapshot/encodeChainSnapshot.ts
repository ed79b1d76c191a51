import {
  ADDRESS_BYTES,
  type Address,
  BOOK_WORDS,
  NO_CONSTANTS,
  type TokenListing,
} from "@millrace/core";
import type { Effect } from "effect";
import type { ChainSnapshot, RefusalCount } from "./ChainSnapshot.ts";
import { findInconsistency } from "./findInconsistency.ts";
import { forEachIndex, inSlices, type Sliced } from "./inSlices.ts";
import { type Columns, LEDGER_WORDS, pack, STATE_KIND, UNNAMED_CURVE } from "./layout.ts";
import { compareAddresses, copyAddress, parseAddresses, sortAddresses } from "./sortAddresses.ts";

/**
 * The bytes of a snapshot, made in slices of a millisecond or two between which other work runs;
 * the snapshot's arrays must not change meanwhile. Canonical: equal snapshots give equal bytes,
 * whatever the order of their arrays and the case of their addresses.
 *
 * Dies with a RangeError for anything that is not a valid snapshot: a duplicate pool, token or
 * state, a state of a pool that is not discovered, a book whose arrays differ in their number of
 * keys, a number that does not fit.
 */
export function encodeChainSnapshot(snapshot: ChainSnapshot): Effect.Effect<Uint8Array> {
  return inSlices(() => encode(snapshot));
}

function* encode(snapshot: ChainSnapshot): Sliced<Uint8Array> {
  const { chainId, dexes, stamp, discovered, refusals } = snapshot;
  const usedDexes = new Set<string>();
  const usedCurves = new Set<string>();
  yield* forEachIndex(discovered.length, (at) => {
    const { dexId, curve = UNNAMED_CURVE } = discovered[at]!.listing;
    usedDexes.add(dexId);
    usedCurves.add(curve);
  });
  const dexIds = [...usedDexes].sort();
  const curves = [...usedCurves].sort();
  const pools = yield* sortUnique(
    "pool",
    discovered.length,
    (at) => discovered[at]!.listing.address,
  );
  const columns: Columns = {
    ...(yield* tokenColumns(snapshot, pools.order)),
    ...(yield* poolColumns(snapshot, pools, dexIds, curves)),
    ...(yield* stateColumns(snapshot, pools.addresses)),
  };
  const header = {
    chainId,
    venues: dexes,
    blockNumber: stamp.number,
    blockHash: stamp.hash,
    blockTimestampMs: stamp.timestampMs,
    dexIds,
    curves,
    refusals: refusals
      .map(({ dexId, reason, count }) => ({ dexId, reason, count }))
      .sort(compareRefusals),
  };
  // What decoding would refuse must not be written.
  const problem = yield* findInconsistency({ header, columns });
  if (problem !== undefined) throw new RangeError(problem);
  return yield* pack({ header, columns });
}

type TokenColumns = Pick<
  Columns,
  | "tokenAddresses"
  | "poolTokens"
  | "listingToken"
  | "listingDecimals"
  | "listingTextLengths"
  | "listingTexts"
>;

/** The token table, and the columns that point into it. */
function* tokenColumns(snapshot: ChainSnapshot, poolOrder: Uint32Array): Sliced<TokenColumns> {
  // All mentions of tokens: by pools, in their order, then by listings.
  const mentions: Address[] = [];
  yield* forEachIndex(poolOrder.length, (position) => {
    for (const token of snapshot.discovered[poolOrder[position]!]!.listing.tokens)
      mentions.push(token);
  });
  const listingStart = mentions.length;
  const count = listingStart + snapshot.tokens.length;
  const addresses = yield* parseAddresses(count, (index) =>
    index < listingStart ? mentions[index]! : snapshot.tokens[index - listingStart]!.address,
  );
  const order = yield* sortAddresses(addresses);
  const tokenOf = new Uint32Array(count); // index: mention
  const tokenAddresses = new Uint8Array(addresses.length);
  const listings: TokenListing[] = [];
  const listingToken: number[] = [];
  let tokenCount = 0;
  yield* forEachIndex(count, (position) => {
    const mention = order[position]!;
    if (
      position === 0 ||
      compareAddresses(addresses, mention, addresses, order[position - 1]!) !== 0
    ) {
      copyAddress(addresses, mention, tokenAddresses, tokenCount++);
    }
    const token = tokenCount - 1;
    tokenOf[mention] = token;
    if (mention < listingStart) return;
    const listing = snapshot.tokens[mention - listingStart]!;
    if (listingToken.at(-1) === token) throw new RangeError(`token ${listing.address} twice`);
    listingToken.push(token);
    listings.push(listing);
  });
  return {
    tokenAddresses: tokenAddresses.subarray(0, tokenCount * ADDRESS_BYTES),
    poolTokens: tokenOf.subarray(0, listingStart),
    listingToken: Uint32Array.from(listingToken),
    ...(yield* listingColumns(listings)),
  };
}

function* listingColumns(
  listings: ReadonlyArray<TokenListing>,
): Sliced<Pick<Columns, "listingDecimals" | "listingTextLengths" | "listingTexts">> {
  const listingDecimals = new Uint8Array(listings.length);
  const listingTextLengths = new Uint32Array(2 * listings.length);
  yield* forEachIndex(listings.length, (index) => {
    const { decimals, symbol, name } = listings[index]!;
    put(listingDecimals, index, decimals);
    listingTextLengths[2 * index] = Buffer.byteLength(symbol);
    listingTextLengths[2 * index + 1] = Buffer.byteLength(name);
  });
  const listingTexts = Buffer.alloc(sum(listingTextLengths));
  let at = 0;
  yield* forEachIndex(listings.length, (index) => {
    at += listingTexts.write(listings[index]!.symbol, at);
    at += listingTexts.write(listings[index]!.name, at);
  });
  return { listingDecimals, listingTextLengths, listingTexts };
}

type PoolColumns = Pick<
  Columns,
  | "poolAddresses"
  | "poolDex"
  | "poolFeePips"
  | "poolParameter"
  | "poolCurve"
  | "poolConstantCount"
  | "poolConstants"
  | "poolCreatedBlock"
  | "poolTokenCount"
>;

function* poolColumns(
  { discovered }: ChainSnapshot,
  { order, addresses }: Sorted,
  dexIds: ReadonlyArray<string>,
  curveNames: ReadonlyArray<string>,
): Sliced<PoolColumns> {
  const count = discovered.length;
  const dexes = new Map(dexIds.map((id, index) => [id, index]));
  const curves = new Map(curveNames.map((name, index) => [name, index]));
  const constants: BigUint64Array[] = [];
  const columns = {
    poolAddresses: addresses,
    poolDex: new Uint32Array(count),
    poolFeePips: new Uint32Array(count),
    poolParameter: new Int32Array(count),
    poolCurve: new Uint8Array(count),
    poolConstantCount: new Uint8Array(count),
    poolCreatedBlock: new Float64Array(count),
    poolTokenCount: new Uint8Array(count),
  };
  yield* forEachIndex(count, (position) => {
    const { listing, createdBlock } = discovered[order[position]!]!;
    columns.poolDex[position] = dexes.get(listing.dexId)!;
    put(columns.poolFeePips, position, listing.feePips);
    put(columns.poolParameter, position, listing.parameter);
    put(columns.poolCurve, position, curves.get(listing.curve ?? UNNAMED_CURVE)!);
    const words = listing.constants ?? NO_CONSTANTS;
    put(columns.poolConstantCount, position, words.length);
    constants.push(words);
    put(columns.poolCreatedBlock, position, createdBlock);
    put(columns.poolTokenCount, position, listing.tokens.length);
  });
  const poolConstants = new BigUint64Array(
    constants.reduce((total, { length }) => total + length, 0),
  );
  let constantsAt = 0;
  yield* forEachIndex(count, (position) => {
    poolConstants.set(constants[position]!, constantsAt);
    constantsAt += constants[position]!.length;
  });
  return { ...columns, poolConstants };
}

type StateColumns = Pick<
  Columns,
  | "statePool"
  | "stateKind"
  | "stateWordCount"
  | "stateBookLength"
  | "stateWords"
  | "bookKeys"
  | "bookWords"
  | "ledgerWords"
  | "stateNoteCount"
  | "noteWords"
>;

function* stateColumns({ states }: ChainSnapshot, poolAddresses: Uint8Array): Sliced<StateColumns> {
  const { order, addresses } = yield* sortUnique("state", states.length, (at) => states[at]!.pool);
  const statePool = yield* placesIn(poolAddresses, addresses);
  const stateKind = new Uint8Array(states.length);
  const stateWordCount = new Uint32Array(states.length);
  const stateBookLength = new Uint32Array(states.length);
  const stateNoteCount = new Uint32Array(states.length);
  let ledgerKeys = 0;
  yield* forEachIndex(states.length, (position) => {
    const { pool, state } = states[order[position]!]!;
    const { words, book, ledger, notes } = state;
    const keys = book?.keys.length ?? 0;
    const fits =
      (book === undefined || book.words.length === keys * BOOK_WORDS) &&
      (ledger === undefined || (book !== undefined && ledger.length === keys * LEDGER_WORDS));
    if (!fits) throw new RangeError(`pool ${pool}: book and ledger do not fit together`);
    stateWordCount[position] = words.length;
    stateBookLength[position] = keys;
    stateNoteCount[position] = notes?.length ?? 0;
    stateKind[position] = ledger ? STATE_KIND.ledger : book ? STATE_KIND.book : STATE_KIND.words;
    if (ledger) ledgerKeys += keys;
  });
  const keyCount = sum(stateBookLength);
  const stateWords = new BigUint64Array(sum(stateWordCount));
  const bookKeys = new Int32Array(keyCount);
  const bookWords = new BigInt64Array(keyCount * BOOK_WORDS);
  const ledgerWords = new BigUint64Array(ledgerKeys * LEDGER_WORDS);
  const noteWords = new BigUint64Array(sum(stateNoteCount));
  let wordsAt = 0;
  let keysAt = 0;
  let ledgerAt = 0;
  let notesAt = 0;
  yield* forEachIndex(states.length, (position) => {
    const { words, book, ledger, notes = NO_NOTES } = states[order[position]!]!.state;
    stateWords.set(words, wordsAt);
    wordsAt += words.length;
    noteWords.set(notes, notesAt);
    notesAt += notes.length;
    if (book === undefined) return;
    bookKeys.set(book.keys, keysAt);
    bookWords.set(book.words, keysAt * BOOK_WORDS);
    keysAt += book.keys.length;
    if (ledger === undefined) return;
    ledgerWords.set(ledger, ledgerAt);
    ledgerAt += ledger.length;
  });
  const counts = { statePool, stateKind, stateWordCount, stateBookLength, stateNoteCount };
  return { ...counts, stateWords, bookKeys, bookWords, ledgerWords, noteWords };
}

const NO_NOTES = new BigUint64Array(0);

function compareRefusals(left: RefusalCount, right: RefusalCount): number {
  const [one, other] = [left, right].map(({ dexId, reason }) => JSON.stringify([dexId, reason]));
  return one! < other! ? -1 : one! > other! ? 1 : 0;
}

interface Sorted {
  /** Index: position in order of address. Value: position before sorting. */
  readonly order: Uint32Array;
  /** In ascending order. */
  readonly addresses: Uint8Array<ArrayBuffer>;
}

function* sortUnique(
  what: string,
  count: number,
  addressAt: (index: number) => Address,
): Sliced<Sorted> {
  const unsorted = yield* parseAddresses(count, addressAt);
  const order = yield* sortAddresses(unsorted);
  const addresses = new Uint8Array(unsorted.length);
  yield* forEachIndex(count, (position) => {
    copyAddress(unsorted, order[position]!, addresses, position);
    if (position > 0 && compareAddresses(addresses, position - 1, addresses, position) === 0) {
      throw new RangeError(`${what} ${addressAt(order[position]!)} twice`);
    }
  });
  return { order, addresses };
}

/** The places of some sorted addresses among others, which are sorted too. */
function* placesIn(all: Uint8Array, some: Uint8Array): Sliced<Uint32Array<ArrayBuffer>> {
  const positions = new Uint32Array(some.length / ADDRESS_BYTES);
  const count = all.length / ADDRESS_BYTES;
  let next = 0;
  yield* forEachIndex(count, (position) => {
    if (next === positions.length || compareAddresses(all, position, some, next) !== 0) return;
    positions[next++] = position;
  });
  if (next < positions.length) throw new RangeError("a state of a pool that is not discovered");
  return positions;
}

/** Throws where the value does not fit the column's numbers. */
function put(column: { [index: number]: number }, index: number, value: number): void {
  column[index] = value;
  if (column[index] !== value) throw new RangeError(`${value} does not fit its column`);
}

function sum(numbers: Uint32Array): number {
  return numbers.reduce((total, number) => total + number, 0);
}
