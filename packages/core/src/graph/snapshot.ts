import { createHash } from "node:crypto";
import type { Curve } from "../Curve.ts";
import { ADDRESS_BYTES } from "./address.ts";
import { bookOf } from "./books.ts";
import { allocate } from "./buffers.ts";
import {
  BOOK_WORDS,
  type Dex,
  POOL_TOKENS_MAX,
  POOL_TOKENS_MIN,
  PoolGraph,
  type PoolIndex,
} from "./PoolGraph.ts";
import { concatenate, gather } from "./sections.ts";

/**
 * A graph as bytes, in canonical form: DEXes by id, tokens and pools by address, only what live
 * pools use, no slack and no history, so that equal markets have equal bytes. Numbers are
 * little-endian, as on every platform that Node runs on.
 *
 * Layout: magic (8 bytes), version and length of the header's text (uint32 each), length of the
 * whole (float64), SHA-256 of all other bytes (32), the header as JSON, then the sections that
 * `SECTIONS` lists; header and sections are padded to 8 bytes.
 */
const MAGIC = 0x6870_7267_6372_6c6dn; // "mlrcgrph", read as a little-endian uint64
const VERSION = 2;
const CHECKSUM_AT = 24;
const CHECKSUM_BYTES = 32;
const HEADER_AT = CHECKSUM_AT + CHECKSUM_BYTES;

interface Header {
  readonly chainId: number;
  readonly blockNumber: number;
  readonly blockHash: `0x${string}`;
  readonly blockTimestampMs: number;
  readonly curves: ReadonlyArray<string>;
  readonly dexes: ReadonlyArray<Dex>;
  /** Elements of each section, in order. */
  readonly lengths: ReadonlyArray<number>;
}

// The type of each section, in order, with the array that it fills.
const SECTIONS = [
  { kind: Uint8Array, field: "tokenAddresses" },
  { kind: Uint8Array, field: "tokenDecimals" },
  { kind: Uint8Array, field: "poolAddresses" },
  { kind: Uint8Array, field: "poolCurve" },
  { kind: Uint16Array, field: "poolDex" },
  { kind: Uint32Array, field: "poolFeePips" },
  { kind: Int32Array, field: "poolParameter" },
  { kind: Uint8Array, field: "poolTokenCount" },
  { kind: Uint32Array, field: "poolTokens" },
  { kind: Uint8Array, field: "poolConstantCount" },
  { kind: BigUint64Array, field: "constantWords" },
  { kind: BigUint64Array, field: "stateWords" },
  { kind: Uint32Array, field: "poolBookLength" },
  { kind: Int32Array, field: "bookKeys" },
  { kind: BigInt64Array, field: "bookWords" },
] as const;

type CurveWords = Pick<Curve, "name" | "stateWords">;
type Section = Uint8Array | Uint16Array | Uint32Array | Int32Array | BigUint64Array | BigInt64Array;

/** Why bytes are not a valid snapshot. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
  readonly reason: "NotASnapshot" | "UnknownVersion" | "Damaged" | "Inconsistent";

  constructor(reason: SnapshotError["reason"], detail: string) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
  }
}

/** The snapshot of a graph with these curves. */
export function encodeSnapshot(graph: PoolGraph, curves: ReadonlyArray<CurveWords>): Uint8Array {
  const pools = livePools(graph);
  const dexes = usedDexes(graph, pools);
  const used = usedCurves(graph, pools);
  const sections = canonicalSections(graph, pools, dexes, used, curves);
  const { chainId, stamp } = graph;
  const header: Header = {
    chainId,
    blockNumber: stamp.number,
    blockHash: stamp.hash,
    blockTimestampMs: stamp.timestampMs,
    curves: used.map((curve) => graph.curveNames[curve]!),
    dexes: dexes.map((dex) => graph.dexes[dex]!),
    lengths: sections.map(({ length }) => length),
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bodyAt = padded(HEADER_AT + text.length);
  const length = sections.reduce((sum, { byteLength }) => sum + padded(byteLength), bodyAt);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, MAGIC, true);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, text.length, true);
  view.setFloat64(16, length, true);
  bytes.set(text, HEADER_AT);
  let at = bodyAt;
  for (const section of sections) {
    bytes.set(new Uint8Array(section.buffer, section.byteOffset, section.byteLength), at);
    at += padded(section.byteLength);
  }
  bytes.set(checksum(bytes), CHECKSUM_AT);
  return bytes;
}

/**
 * The graph of a snapshot, with the given curves, as `openSnapshot` needs it; without adjacency and
 * estimates. Throws SnapshotError for altered, missing or added bytes, for a curve that is not
 * given, and for indexes out of range.
 */
export function decodeSnapshot(snapshot: Uint8Array, curves: ReadonlyArray<CurveWords>): PoolGraph {
  const bytes = new Uint8Array(snapshot); // aligned, and nobody else's
  const header = readHeader(bytes);
  const graph = new PoolGraph(
    header.chainId,
    curves.map(({ name }) => name),
  );
  graph.stamp = {
    number: header.blockNumber,
    hash: header.blockHash,
    timestampMs: header.blockTimestampMs,
  };
  graph.dexes.push(...header.dexes);
  readSections(graph, bytes, header);
  const curveByName = header.curves.map((name) => graph.curveNames.indexOf(name));
  for (let pool = 0; pool < graph.poolCount; pool++) {
    graph.poolCurve[pool] = curveByName[graph.poolCurve[pool]!] ?? -1;
  }
  layOut(graph, curves);
  return graph;
}

function readHeader(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer);
  if (bytes.length < HEADER_AT || view.getBigUint64(0, true) !== MAGIC) {
    throw new SnapshotError("NotASnapshot", "the first bytes are not those of a snapshot");
  }
  const version = view.getUint32(8, true);
  const damaged =
    view.getFloat64(16, true) !== bytes.length ||
    checksum(bytes).some((byte, index) => byte !== bytes[CHECKSUM_AT + index]);
  if (version !== VERSION) {
    throw new SnapshotError("UnknownVersion", `version ${version}, this engine reads ${VERSION}`);
  }
  if (damaged) throw new SnapshotError("Damaged", "length or checksum are not those of its bytes");
  const text = bytes.subarray(HEADER_AT, HEADER_AT + view.getUint32(12, true));
  return JSON.parse(new TextDecoder().decode(text)) as Header;
}

function readSections(graph: PoolGraph, bytes: Uint8Array, header: Header): void {
  let at = padded(HEADER_AT + new DataView(bytes.buffer).getUint32(12, true));
  SECTIONS.forEach(({ kind, field }, index) => {
    const length = header.lengths[index]!;
    const array = allocate<Section>(kind, length);
    new Uint8Array(array.buffer).set(bytes.subarray(at, at + array.byteLength));
    (graph[field] as Section) = array;
    at += padded(array.byteLength);
  });
  graph.tokenCount = graph.tokenDecimals.length;
  graph.poolCount = graph.poolCurve.length;
  graph.livePoolCount = graph.poolCount;
  graph.poolTokensLength = graph.poolTokens.length;
  graph.stateWordsLength = graph.stateWords.length;
  graph.constantWordsLength = graph.constantWords.length;
  graph.bookLength = graph.bookKeys.length;
}

/** Restores derived fields, pool by pool, and checks that all indexes are in range. */
function layOut(graph: PoolGraph, curves: ReadonlyArray<CurveWords>): void {
  const { poolCount } = graph;
  graph.poolTokenStart = allocate(Uint32Array, poolCount);
  graph.poolStateStart = allocate(Uint32Array, poolCount);
  graph.poolConstantStart = allocate(Uint32Array, poolCount);
  graph.poolBookStart = allocate(Uint32Array, poolCount);
  graph.poolBookCapacity = allocate(Uint32Array, poolCount);
  graph.poolSlotStart = allocate(Uint32Array, poolCount);
  graph.poolVersion = allocate(Uint32Array, poolCount);
  graph.poolUpdatedBlock = allocate(Float64Array, poolCount);
  graph.poolUpdatedBlock.fill(graph.stamp.number);
  let tokens = 0;
  let words = 0;
  let constants = 0;
  let keys = 0;
  for (let pool = 0; pool < poolCount; pool++) {
    const curve = curves[graph.poolCurve[pool]!];
    if (curve === undefined)
      throw new SnapshotError("Inconsistent", `pool ${pool}: its curve is not given`);
    if (graph.dexes[graph.poolDex[pool]!] === undefined)
      throw new SnapshotError("Inconsistent", `pool ${pool}: no DEX`);
    const count = graph.poolTokenCount[pool]!;
    if (count < POOL_TOKENS_MIN || count > POOL_TOKENS_MAX)
      throw new SnapshotError("Inconsistent", `pool ${pool}: ${count} tokens`);
    graph.poolTokenStart[pool] = tokens;
    graph.poolStateStart[pool] = words;
    graph.poolConstantStart[pool] = constants;
    graph.poolBookStart[pool] = keys;
    graph.poolBookCapacity[pool] = graph.poolBookLength[pool]!;
    tokens += count;
    words += curve.stateWords(count);
    constants += graph.poolConstantCount[pool]!;
    keys += graph.poolBookLength[pool]!;
    graph.poolByAddress.add(graph.poolAddresses, pool);
  }
  for (let token = 0; token < graph.tokenCount; token++) {
    graph.tokenByAddress.add(graph.tokenAddresses, token);
  }
  const sound =
    tokens === graph.poolTokensLength &&
    words === graph.stateWordsLength &&
    constants === graph.constantWordsLength &&
    keys === graph.bookLength &&
    graph.bookWords.length === keys * BOOK_WORDS &&
    graph.tokenAddresses.length === graph.tokenCount * ADDRESS_BYTES &&
    graph.poolAddresses.length === poolCount * ADDRESS_BYTES &&
    graph.poolTokens.every((token) => token < graph.tokenCount);
  if (!sound) throw new SnapshotError("Inconsistent", "sections do not fit together");
}

/** Live pools by address. */
function livePools(graph: PoolGraph): PoolIndex[] {
  const live = indexesOf(graph.poolCount).filter((pool) => graph.isLive(pool as PoolIndex));
  return order(graph.poolAddresses, live) as PoolIndex[];
}

/** Indexes of the DEXes that have pools, by id. */
function usedDexes(graph: PoolGraph, pools: ReadonlyArray<PoolIndex>): number[] {
  const used = [...new Set(pools.map((pool) => graph.poolDex[pool]!))];
  return used.sort((a, b) => (graph.dexes[a]!.id < graph.dexes[b]!.id ? -1 : 1));
}

/** Indexes of the curves that pools swap along, by name. */
function usedCurves({ curveNames, poolCurve }: PoolGraph, pools: ReadonlyArray<PoolIndex>) {
  const used = [...new Set(pools.map((pool) => poolCurve[pool]!))];
  return used.sort((a, b) => (curveNames[a]! < curveNames[b]! ? -1 : 1));
}

function canonicalSections(
  graph: PoolGraph,
  pools: ReadonlyArray<PoolIndex>,
  dexes: ReadonlyArray<number>,
  usedCurveIndexes: ReadonlyArray<number>,
  curves: ReadonlyArray<CurveWords>,
): Section[] {
  const used = [...new Set(pools.flatMap((pool) => tokensOf(graph, pool)))];
  const tokens = order(graph.tokenAddresses, used);
  const newToken = inverse(tokens, graph.tokenCount);
  const newDex = inverse(dexes, graph.dexes.length);
  const books = pools.map((pool) => bookOf(graph, pool));
  return [
    gather(Uint8Array, graph.tokenAddresses, tokens, ADDRESS_BYTES),
    gather(Uint8Array, graph.tokenDecimals, tokens, 1),
    gather(Uint8Array, graph.poolAddresses, pools, ADDRESS_BYTES),
    Uint8Array.from(pools, (pool) => usedCurveIndexes.indexOf(graph.poolCurve[pool]!)),
    Uint16Array.from(pools, (pool) => newDex[graph.poolDex[pool]!]!),
    gather(Uint32Array, graph.poolFeePips, pools, 1),
    gather(Int32Array, graph.poolParameter, pools, 1),
    gather(Uint8Array, graph.poolTokenCount, pools, 1),
    Uint32Array.from(
      pools.flatMap((pool) => tokensOf(graph, pool).map((token) => newToken[token]!)),
    ),
    gather(Uint8Array, graph.poolConstantCount, pools, 1),
    concatenate(BigUint64Array, pools.map(graph.poolConstants, graph)),
    concatenate(
      BigUint64Array,
      pools.map((pool) => {
        const start = graph.poolStateStart[pool]!;
        const count = curves[graph.poolCurve[pool]!]!.stateWords(graph.poolTokenCount[pool]!);
        return graph.stateWords.subarray(start, start + count);
      }),
    ),
    gather(Uint32Array, graph.poolBookLength, pools, 1),
    concatenate(
      Int32Array,
      books.map(({ keys }) => keys),
    ),
    concatenate(
      BigInt64Array,
      books.map(({ words }) => words),
    ),
  ];
}

function tokensOf(graph: PoolGraph, pool: PoolIndex): number[] {
  return indexesOf(graph.poolTokenCount[pool]!).map((position) => graph.poolToken(pool, position));
}

function indexesOf(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Indexes in the order of their addresses. */
function order(addresses: Uint8Array, indexes: number[]): number[] {
  const bytes = Buffer.from(addresses.buffer, addresses.byteOffset, addresses.byteLength);
  return indexes.sort((a, b) =>
    bytes.compare(
      bytes,
      b * ADDRESS_BYTES,
      (b + 1) * ADDRESS_BYTES,
      a * ADDRESS_BYTES,
      (a + 1) * ADDRESS_BYTES,
    ),
  );
}

function inverse(indexes: ReadonlyArray<number>, count: number): Uint32Array {
  const places = new Uint32Array(count);
  indexes.forEach((index, place) => {
    places[index] = place;
  });
  return places;
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** SHA-256 of all bytes but its own. */
function checksum(bytes: Uint8Array): Uint8Array {
  return createHash("sha256")
    .update(bytes.subarray(0, CHECKSUM_AT))
    .update(bytes.subarray(CHECKSUM_AT + CHECKSUM_BYTES))
    .digest();
}
