import type { Address } from "@millrace/core";
import { Effect } from "effect";
import { type AnchoredPrices, anchorDepths } from "../reading/anchorDepths.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import { shallowReadAll } from "../reading/shallowReadAll.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { Header } from "./Header.ts";
import type { MarketReading } from "./MarketReading.ts";

/** Measures depths of pools in US dollars. Remembers the prices of tokens that deep pools imply. */
export class Depths {
  readonly #reading: MarketReading;
  #prices: AnchoredPrices = new Map();

  constructor(reading: MarketReading) {
    this.#reading = reading;
  }

  /** Depths of pools as they are at the header's block. */
  readonly at = (header: Header, pools: ReadonlyArray<DiscoveredPool>): DepthsByPool =>
    Effect.suspend(() => this.#measure(header, pools, this.#prices));

  /** As `at`, but token prices come from these pools alone, from then on. */
  readonly learn = (header: Header, pools: ReadonlyArray<DiscoveredPool>): DepthsByPool =>
    this.#measure(header, pools, new Map());

  readonly #measure = (
    header: Header,
    pools: ReadonlyArray<DiscoveredPool>,
    known: AnchoredPrices,
  ): DepthsByPool => {
    const { readerAt, dexes, onProgress, admission } = this.#reading;
    const readable = pools.map(({ listing }) => ({ listing, dex: dexes.of(listing) }));
    return Effect.map(shallowReadAll(readerAt(header.hash), readable, onProgress), (readings) => {
      const { depths, prices } = anchorDepths(admission, readings, known);
      this.#prices = prices;
      return new Map(readings.map(({ listing }, index) => [listing.address, depths[index]!]));
    });
  };
}

type DepthsByPool = Effect.Effect<ReadonlyMap<Address, number>, RpcError>;
