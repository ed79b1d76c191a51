import type { TokenIndex } from "@millrace/core";
import { type PriceChanges, priceChanges } from "../activity/priceChanges.ts";
import type { ReadSums, TokenSumField } from "../activity/sumFields.ts";
import { WINDOWS } from "../activity/TradedBlock.ts";
import { enlarged } from "../enlarged.ts";
import type { ListSources } from "./ListSources.ts";

const TOKEN_FIELDS = [
  "volume24h",
  "volume6h",
  "volume1h",
  "volume5m",
  "txns24h",
  "buys24h",
  "sells24h",
] as const satisfies ReadonlyArray<TokenSumField>;
const ENTRIES_A_SLICE = 8_192;
/** Once a minute each takes a microsecond or two, much more than a sum. */
const CLOSES_A_SLICE = 256 * WINDOWS.length;

/**
 * Number of cached answers for one snapshot, each with at most 500 entries, the interface's limit.
 */
const PAGES_MAX = 256;

/**
 * What lists of one block show beside its valuation, read at one moment. Lists are sorted and
 * filtered by it, too. So whatever changes meanwhile, a page agrees with itself and with the other
 * pages of its block.
 */
export class ListSnapshot {
  // Index: token. As `ListSources` gives them.
  volume24h = new Float64Array(0);
  volume6h = new Float64Array(0);
  volume1h = new Float64Array(0);
  volume5m = new Float64Array(0);
  txns24h = new Float64Array(0);
  buys24h = new Float64Array(0);
  sells24h = new Float64Array(0);
  tokenUpdatedMs = new Float64Array(0);
  /** Index: `WINDOWS.length` × token + window. */
  earlierCloses = new Float64Array(0);
  // Index: pool.
  poolVolume24h = new Float64Array(0);

  /** `graph.version` when it was read. */
  graphVersion = -1;
  readonly #pages = new Map<string, unknown>();
  /** Cache of `routableTokens`. */
  routable: ReadonlyArray<TokenIndex> | undefined;

  /** Reads everything as it is now, in slices: a change meanwhile leaves a mixture. */
  *read(sources: ListSources): Generator<void> {
    const { version, tokenCount, poolCount, stamp } = sources.graph;
    this.graphVersion = version;
    this.forget();
    this.tokenUpdatedMs = enlarged(this.tokenUpdatedMs, tokenCount);
    this.tokenUpdatedMs.set(sources.tokenUpdatedMs().subarray(0, tokenCount));
    yield;
    for (const field of TOKEN_FIELDS) {
      this[field] = enlarged(this[field], tokenCount);
      yield* inParts(this[field], sources.tokenSums(field));
    }
    this.poolVolume24h = enlarged(this.poolVolume24h, poolCount);
    yield* inParts(this.poolVolume24h, sources.poolSums("volume24h"));
    this.earlierCloses = enlarged(this.earlierCloses, WINDOWS.length * tokenCount);
    const closes = sources.earlierCloses(stamp.timestampMs);
    yield* inParts(this.earlierCloses, closes, CLOSES_A_SLICE);
  }

  /** By how much a token's price has changed since each window began. */
  priceChanges(token: number, priceUsd: number): PriceChanges {
    const first = WINDOWS.length * token;
    return priceChanges(priceUsd, this.earlierCloses.subarray(first, first + WINDOWS.length));
  }

  /** Drops the cached answers, since something else that they depend on has changed. */
  forget(): void {
    this.#pages.clear();
    this.routable = undefined;
  }

  /**
   * The cached value of a name, worked out now if there is none. The one unasked for the longest is
   * dropped.
   */
  kept<A>(name: string, make: () => A): A {
    const known = this.#pages.get(name) as A | undefined;
    const value = known ?? make();
    this.#pages.delete(name);
    if (this.#pages.size >= PAGES_MAX) this.#pages.delete(this.#pages.keys().next().value!);
    this.#pages.set(name, value);
    return value;
  }
}

function* inParts(into: Float64Array, readSums: ReadSums, size = ENTRIES_A_SLICE): Generator<void> {
  for (let first = 0; first < into.length; first += size) {
    yield;
    readSums(into.subarray(first, first + size), first);
  }
}
