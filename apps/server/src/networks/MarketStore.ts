import { createHash } from "node:crypto";
import type { Disk, DiskError, KnownRange } from "@millrace/chain";
import { holding } from "@millrace/core";
import { Effect, Random, Schema } from "effect";

/** A market's windows, trades and candles. */
export interface SavedMarket {
  /** As `MarketData.save` gave them. */
  readonly bytes: Uint8Array;
  /** The blocks whose swaps are all among them. */
  readonly ranges: ReadonlyArray<KnownRange>;
}

/**
 * Keeps the last two saves of a market (windows, trades, candles) on the disk of its chain's
 * snapshots. A file's name has chain and generation: `market-8453-17.saved`.
 */
export interface MarketStore {
  /**
   * Writes a generation; once it is safe, removes all older ones but the one before. After a
   * failure the former generations are unchanged. Not to be called again before it has ended.
   */
  readonly save: (market: SavedMarket) => Effect.Effect<void, DiskError>;
  /**
   * The newest sound save; unsound ones are logged and skipped. The next save renames the newest
   * unsound one to `market-8453-left-aside`, where only another one replaces it: its disk may be
   * mended, its version come back.
   */
  readonly load: Effect.Effect<SavedMarket | undefined>;
}

interface MarketStoreOptions {
  readonly disk: Disk;
  readonly chainId: number;
  /** Why a market cannot go on from these bytes; undefined when it can. */
  readonly check: (bytes: Uint8Array) => string | undefined;
}

/**
 * A save is written under another name, and renamed when all is synced. Format: eight magic bytes;
 * the SHA-256 of all that follows; the length of the ranges' JSON text in four bytes
 * (little-endian); that text; the market's bytes.
 */
export function makeMarketStore({ disk, chainId, check }: MarketStoreOptions): MarketStore {
  const prefix = `market-${chainId}-`;
  // Names of the unsound files that `load` found.
  const useless = new Set<string>();

  const save = Effect.fnUntraced(function* (market: SavedMarket) {
    const file = yield* sealed(market);
    const names = yield* disk.list;
    const former = generationsIn(names, prefix);
    const generation = (former[0]?.number ?? 0) + 1;
    const name = `${prefix}${generation}${SUFFIX}`;
    const tag = yield* Random.nextIntBetween(0, 2 ** 32 - 1);
    const torn = `${prefix}${generation}-${tag}${TORN_SUFFIX}`;
    yield* disk.write(torn, file).pipe(
      Effect.andThen(disk.sync(torn)),
      Effect.andThen(disk.rename(torn, name)),
      // A torn file must not keep a disk full.
      Effect.onError(() => Effect.ignore(disk.remove(torn))),
    );
    yield* disk.syncNames;
    useless.delete(name);
    const kept = former.find((each) => !useless.has(each.name))?.name;
    const aside = former.find((each) => useless.has(each.name))?.name;
    const leftovers = names.filter((each) => each.startsWith(prefix) && each.endsWith(TORN_SUFFIX));
    const removed = [...former.map((each) => each.name), ...leftovers].filter(
      (each) => each !== kept && each !== aside,
    );
    // The new generation is safe: what fails here, the next save does.
    if (aside !== undefined) yield* Effect.ignore(disk.rename(aside, `${prefix}${ASIDE}`));
    yield* Effect.forEach(removed, (each) => Effect.ignore(disk.remove(each)));
  });

  const load = Effect.gen(function* () {
    for (const { name } of generationsIn(yield* disk.list, prefix)) {
      const found = yield* Effect.flatMap(disk.read(name), opened).pipe(
        Effect.map((market) =>
          typeof market === "string" ? market : (check(market.bytes) ?? market),
        ),
        Effect.catch(({ detail }) => Effect.succeed(`cannot be read: ${detail}`)),
        // Whatever a file contains, it never makes a start fail.
        Effect.catchDefect((defect) => Effect.succeed(`cannot be gone on from: ${defect}`)),
      );
      if (typeof found !== "string") return found;
      useless.add(name);
      yield* Effect.logWarning(`Saved market data ${name} is left aside (${found})`);
    }
    return undefined;
  }).pipe(
    Effect.catch(({ detail }) =>
      Effect.as(
        Effect.logWarning(`Market data that was saved cannot be listed (${detail})`),
        undefined,
      ),
    ),
  );

  return { save, load };
}

const SUFFIX = ".saved";
const TORN_SUFFIX = ".writing";
const ASIDE = "left-aside";
const MAGIC = new TextEncoder().encode("MILLMKT1");
const HASH_BYTES = 32;
const HEADER_BYTES = MAGIC.length + HASH_BYTES;
const LENGTH_BYTES = 4;

interface Generation {
  readonly name: string;
  readonly number: number;
}

/** The generations among names, newest first. */
function generationsIn(names: ReadonlyArray<string>, prefix: string): Generation[] {
  const generations = names.flatMap((name) => {
    if (!name.startsWith(prefix) || !name.endsWith(SUFFIX)) return [];
    const digits = name.slice(prefix.length, -SUFFIX.length);
    return /^[1-9]\d{0,14}$/.test(digits) ? [{ name, number: Number(digits) }] : [];
  });
  return generations.sort((a, b) => b.number - a.number);
}

function sealed({ bytes, ranges }: SavedMarket): Effect.Effect<Uint8Array> {
  const text = new TextEncoder().encode(JSON.stringify(ranges));
  const bytesAt = HEADER_BYTES + LENGTH_BYTES + text.length;
  const file = new Uint8Array(bytesAt + bytes.length);
  new DataView(file.buffer).setUint32(HEADER_BYTES, text.length, true);
  file.set(text, HEADER_BYTES + LENGTH_BYTES);
  const copied = inSlices(bytes, (slice, at) => file.set(slice, bytesAt + at));
  return Effect.map(Effect.andThen(copied, hashOf(file.subarray(HEADER_BYTES))), (hash) => {
    file.set(MAGIC);
    file.set(hash, MAGIC.length);
    return file;
  });
}

/** The content of a file; "damaged" when it is not as it was written. */
function opened(file: Uint8Array): Effect.Effect<SavedMarket | "damaged"> {
  const sealedPart = file.subarray(HEADER_BYTES);
  if (sealedPart.length < LENGTH_BYTES || !isSame(file.subarray(0, MAGIC.length), MAGIC)) {
    return Effect.succeed("damaged");
  }
  const hash = file.subarray(MAGIC.length, HEADER_BYTES);
  return Effect.map(hashOf(sealedPart), (found) => {
    if (!isSame(hash, found)) return "damaged";
    const view = new DataView(sealedPart.buffer, sealedPart.byteOffset);
    const end = LENGTH_BYTES + view.getUint32(0, true);
    const text = new TextDecoder().decode(sealedPart.subarray(LENGTH_BYTES, end));
    return { bytes: sealedPart.subarray(end), ranges: decodeRanges(text) };
  });
}

/** Throws where the text has another format. */
const decodeRanges = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({
        fromBlock: Schema.Int,
        toBlock: Schema.Int,
        toHash: Schema.TemplateLiteral(["0x", Schema.String]),
        blocks: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({
              number: Schema.Int,
              hash: Schema.TemplateLiteral(["0x", Schema.String]),
            }),
          ),
        ),
      }),
    ),
  ),
);

const hashOf = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.suspend(() => {
    const hash = createHash("sha256");
    const hashed = inSlices(bytes, (slice) => hash.update(slice));
    return Effect.map(hashed, () => new Uint8Array(hash.digest()));
  });

/** Half a millisecond of work at a time: the event loop has others to serve. */
const SLICE_BYTES = 262_144;

const inSlices = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  work: (slice: Uint8Array, at: number) => void,
) {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    holding("saving", () => work(bytes.subarray(at, at + SLICE_BYTES), at));
    yield* Effect.yieldNow;
  }
});

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
