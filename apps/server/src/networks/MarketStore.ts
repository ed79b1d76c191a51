import { createHash } from "node:crypto";
import type { Disk, DiskError, KnownRange } from "@millrace/chain";
import { Effect, Random } from "effect";

/** A market's windows, trades and candles. */
export interface SavedMarket {
  /** As `MarketData.save` gave them. */
  readonly bytes: Uint8Array;
  /** The blocks whose swaps are all among them. */
  readonly ranges: ReadonlyArray<KnownRange>;
}

/**
 * Keeps the last two saves of a market (windows, trades, candles) on the disk of its chain's
 * snapshots. A file's name tells chain and generation: `market-8453-17.saved`.
 */
export interface MarketStore {
  /**
   * Writes a generation, and when it is safe removes all but the one before. When it fails, the
   * former generations are as they were. Not to be called again before it has ended.
   */
  readonly save: (market: SavedMarket) => Effect.Effect<void, DiskError>;
  /** The newest save that is sound; those that are not are named in the log and skipped. */
  readonly load: Effect.Effect<SavedMarket | undefined>;
}

interface MarketStoreOptions {
  readonly disk: Disk;
  readonly chainId: number;
  /** Why a market cannot go on from these bytes; undefined when it can. */
  readonly check: (bytes: Uint8Array) => string | undefined;
}

/**
 * A save is written under another name and renamed when all is synced. In the file: eight bytes of
 * what it is, the SHA-256 of all that follows, four bytes with the length of the ranges' JSON text
 * (little-endian), that text, the market's bytes.
 */
export function makeMarketStore({ disk, chainId, check }: MarketStoreOptions): MarketStore {
  const prefix = `market-${chainId}-`;
  // Names of files that loading found to be of no use.
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
      // A full disk must not stay full for it.
      Effect.onError(() => Effect.ignore(disk.remove(torn))),
    );
    yield* disk.syncNames;
    const kept = former.find((each) => !useless.has(each.name))?.name;
    const leftovers = names.filter((each) => each.startsWith(prefix) && each.endsWith(TORN_SUFFIX));
    yield* Effect.forEach(
      [...former.map((each) => each.name), ...leftovers].filter((each) => each !== kept),
      // The new generation is safe: what cannot be removed now can be by the next save.
      (each) => Effect.ignore(disk.remove(each)),
    );
  });

  const load = Effect.gen(function* () {
    for (const { name } of generationsIn(yield* disk.list, prefix)) {
      const market = yield* Effect.flatMap(disk.read(name), opened).pipe(
        Effect.catch(({ detail }) => skipped(name, `cannot be read (${detail})`)),
      );
      if (market === undefined) continue;
      const problem = market === "damaged" ? market : check(market.bytes);
      if (market !== "damaged" && problem === undefined) return market;
      yield* skipped(name, `is left aside (${problem})`);
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

  function skipped(name: string, why: string): Effect.Effect<undefined> {
    useless.add(name);
    return Effect.as(Effect.logWarning(`Saved market data ${name} ${why}: skipped`), undefined);
  }

  return { save, load };
}

const SUFFIX = ".saved";
const TORN_SUFFIX = ".writing";
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

function opened(file: Uint8Array): Effect.Effect<SavedMarket | "damaged"> {
  const sealedPart = file.subarray(HEADER_BYTES);
  if (sealedPart.length < LENGTH_BYTES || !isSame(file.subarray(0, MAGIC.length), MAGIC)) {
    return Effect.succeed("damaged");
  }
  const hash = file.subarray(MAGIC.length, HEADER_BYTES);
  return Effect.map(hashOf(sealedPart), (found) => {
    if (!isSame(hash, found)) return "damaged";
    // What has its hash is what was written.
    const view = new DataView(sealedPart.buffer, sealedPart.byteOffset);
    const end = LENGTH_BYTES + view.getUint32(0, true);
    const text = new TextDecoder().decode(sealedPart.subarray(LENGTH_BYTES, end));
    const ranges = JSON.parse(text) as ReadonlyArray<KnownRange>;
    return { bytes: sealedPart.subarray(end), ranges };
  });
}

const hashOf = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.suspend(() => {
    const hash = createHash("sha256");
    const hashed = inSlices(bytes, (slice) => hash.update(slice));
    return Effect.map(hashed, () => new Uint8Array(hash.digest()));
  });

/** Milliseconds of work at a time: the event loop has others to serve. */
const SLICE_BYTES = 1_048_576;

const inSlices = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  work: (slice: Uint8Array, at: number) => void,
) {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    work(bytes.subarray(at, at + SLICE_BYTES), at);
    yield* Effect.yieldNow;
  }
});

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
