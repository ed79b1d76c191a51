import { isUtf8 } from "node:buffer";
import { ADDRESS_BYTES, type Address, BOOK_WORDS, type TokenListing } from "@millrace/core";
import type { FollowedState } from "@millrace/protocols";
import { Effect } from "effect";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import type { ChainSnapshot } from "./ChainSnapshot.ts";
import { ChainSnapshotError } from "./ChainSnapshotError.ts";
import { findInconsistency } from "./findInconsistency.ts";
import { forEachIndex, inSlices, type Sliced } from "./inSlices.ts";
import {
  type Columns,
  type Content,
  inconsistent,
  LEDGER_WORDS,
  STATE_KIND,
  UNNAMED_CURVE,
  unpack,
} from "./layout.ts";

/**
 * Decodes the bytes that `encodeChainSnapshot` wrote, with everything by address; the result shares
 * no memory with the bytes. Works in slices between which other work runs. Bytes with any flip, cut
 * or addition are refused before anything is allocated for them.
 */
export function decodeChainSnapshot(
  bytes: Uint8Array,
): Effect.Effect<ChainSnapshot, ChainSnapshotError> {
  return Effect.flatMap(
    inSlices(() => decode(bytes)),
    (decoded) =>
      decoded instanceof ChainSnapshotError ? Effect.fail(decoded) : Effect.succeed(decoded),
  );
}

function* decode(bytes: Uint8Array): Sliced<ChainSnapshot | ChainSnapshotError> {
  const content = yield* unpack(bytes);
  if (content instanceof ChainSnapshotError) return content;
  const problem = yield* findInconsistency(content);
  if (problem !== undefined) return inconsistent(problem);
  const { header, columns } = content;
  const tokenAddresses = yield* formatAddresses(columns.tokenAddresses);
  const poolAddresses = yield* formatAddresses(columns.poolAddresses);
  const tokens = yield* readListings(columns, tokenAddresses);
  if (tokens === undefined) return inconsistent("a text is not UTF-8");
  return {
    chainId: header.chainId,
    dexes: header.venues,
    stamp: {
      number: header.blockNumber,
      hash: header.blockHash,
      timestampMs: header.blockTimestampMs,
    },
    refusals: header.refusals,
    discovered: yield* readPools(content, poolAddresses, tokenAddresses),
    tokens,
    states: yield* readStates(columns, poolAddresses),
  };
}

function* formatAddresses(bytes: Uint8Array): Sliced<Address[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const addresses: Address[] = [];
  yield* forEachIndex(bytes.length / ADDRESS_BYTES, (index) => {
    const start = index * ADDRESS_BYTES;
    addresses.push(`0x${buffer.toString("hex", start, start + ADDRESS_BYTES)}`);
  });
  return addresses;
}

function* readListings(
  columns: Columns,
  tokenAddresses: ReadonlyArray<Address>,
): Sliced<TokenListing[] | undefined> {
  const { listingToken, listingDecimals, listingTextLengths, listingTexts } = columns;
  const texts = Buffer.from(listingTexts.buffer, listingTexts.byteOffset, listingTexts.length);
  let at = 0;
  let sound = true;
  const nextText = (length: number): string => {
    const bytes = texts.subarray(at, at + length);
    at += length;
    sound &&= isUtf8(bytes);
    return bytes.toString();
  };
  const listings: TokenListing[] = [];
  yield* forEachIndex(listingToken.length, (index) => {
    listings.push({
      address: tokenAddresses[listingToken[index]!]!,
      decimals: listingDecimals[index]!,
      symbol: nextText(listingTextLengths[2 * index]!),
      name: nextText(listingTextLengths[2 * index + 1]!),
    });
  });
  return sound ? listings : undefined;
}

function* readPools(
  { header, columns }: Content,
  poolAddresses: ReadonlyArray<Address>,
  tokenAddresses: ReadonlyArray<Address>,
): Sliced<DiscoveredPool[]> {
  const pools: DiscoveredPool[] = [];
  let tokensAt = 0;
  let constantsAt = 0;
  yield* forEachIndex(poolAddresses.length, (pool) => {
    const tokens: Address[] = [];
    for (let position = 0; position < columns.poolTokenCount[pool]!; position++) {
      tokens.push(tokenAddresses[columns.poolTokens[tokensAt++]!]!);
    }
    const curve = header.curves[columns.poolCurve[pool]!]!;
    const constantsStart = constantsAt;
    constantsAt += columns.poolConstantCount[pool]!;
    const constants = columns.poolConstants.slice(constantsStart, constantsAt);
    pools.push({
      listing: {
        address: poolAddresses[pool]!,
        dexId: header.dexIds[columns.poolDex[pool]!]!,
        ...(curve !== UNNAMED_CURVE && { curve }),
        tokens,
        feePips: columns.poolFeePips[pool]!,
        parameter: columns.poolParameter[pool]!,
        ...(constants.length > 0 && { constants }),
      },
      createdBlock: columns.poolCreatedBlock[pool]!,
    });
  });
  return pools;
}

function* readStates(
  columns: Columns,
  poolAddresses: ReadonlyArray<Address>,
): Sliced<{ pool: Address; state: FollowedState }[]> {
  const states: { pool: Address; state: FollowedState }[] = [];
  let wordsAt = 0;
  let keysAt = 0;
  let ledgerAt = 0;
  let notesAt = 0;
  yield* forEachIndex(columns.statePool.length, (index) => {
    const pool = poolAddresses[columns.statePool[index]!]!;
    const kind = columns.stateKind[index]!;
    // Copies: a view would keep all bytes of the snapshot alive.
    const words = columns.stateWords.slice(wordsAt, wordsAt + columns.stateWordCount[index]!);
    wordsAt += words.length;
    const notes = columns.noteWords.slice(notesAt, notesAt + columns.stateNoteCount[index]!);
    notesAt += notes.length;
    const own = notes.length > 0 ? { words, notes } : { words };
    if (kind === STATE_KIND.words) {
      states.push({ pool, state: own });
      return;
    }
    const keys = columns.bookKeys.slice(keysAt, keysAt + columns.stateBookLength[index]!);
    const wordsStart = keysAt * BOOK_WORDS;
    keysAt += keys.length;
    const book = { keys, words: columns.bookWords.slice(wordsStart, keysAt * BOOK_WORDS) };
    if (kind === STATE_KIND.book) {
      states.push({ pool, state: { ...own, book } });
      return;
    }
    const ledger = columns.ledgerWords.slice(ledgerAt, ledgerAt + keys.length * LEDGER_WORDS);
    ledgerAt += ledger.length;
    states.push({ pool, state: { ...own, book, ledger } });
  });
  return states;
}
