import type { TokenIndex } from "@millrace/core";
import type { TokenSumField } from "../activity/sumFields.ts";
import { enlarged } from "../enlarged.ts";
import type { ListSources } from "./ListSources.ts";

/** Answers that are kept of one snapshot, of at most 500 entries each as the interface asks. */
const PAGES_MAX = 256;

/**
 * What lists of one block show beside its valuation, read at one moment: it is what they are sorted
 * and filtered by too, so that whatever moves meanwhile, a page agrees with itself and with the
 * other pages of its block.
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
  // Index: pool.
  poolVolume24h = new Float64Array(0);

  /** `graph.version` when it was read. */
  graphVersion = -1;
  readonly #pages = new Map<string, unknown>();
  /** Kept by `routableTokens`. */
  routable: ReadonlyArray<TokenIndex> | undefined;

  /** Reads all of it as it is now. */
  read(sources: ListSources): void {
    const { version, tokenCount, poolCount } = sources.graph;
    this.graphVersion = version;
    this.forget();
    const summed = (into: Float64Array<ArrayBuffer>, field: TokenSumField) => {
      const sums = enlarged(into, tokenCount);
      sources.readTokenSums(field, sums);
      return sums;
    };
    this.volume24h = summed(this.volume24h, "volume24h");
    this.volume6h = summed(this.volume6h, "volume6h");
    this.volume1h = summed(this.volume1h, "volume1h");
    this.volume5m = summed(this.volume5m, "volume5m");
    this.txns24h = summed(this.txns24h, "txns24h");
    this.buys24h = summed(this.buys24h, "buys24h");
    this.sells24h = summed(this.sells24h, "sells24h");
    this.tokenUpdatedMs = enlarged(this.tokenUpdatedMs, tokenCount);
    this.tokenUpdatedMs.set(sources.tokenUpdatedMs().subarray(0, tokenCount));
    this.poolVolume24h = enlarged(this.poolVolume24h, poolCount);
    sources.readPoolSums("volume24h", this.poolVolume24h);
  }

  /** Forgets what was worked out of it, since something else that it was made of has changed. */
  forget(): void {
    this.#pages.clear();
    this.routable = undefined;
  }

  /** What a name stands for, worked out now when it is not kept; the longest unasked goes first. */
  kept<A>(name: string, make: () => A): A {
    const known = this.#pages.get(name) as A | undefined;
    const value = known ?? make();
    this.#pages.delete(name);
    if (this.#pages.size >= PAGES_MAX) this.#pages.delete(this.#pages.keys().next().value!);
    this.#pages.set(name, value);
    return value;
  }
}
