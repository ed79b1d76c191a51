import type { Address } from "@millrace/core";
import { Effect } from "effect";
import { anchorDepths, type TokenPrices } from "../reading/anchorDepths.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import { glanceAll } from "../reading/glanceAll.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { Header } from "./Header.ts";
import type { MarketReading } from "./MarketReading.ts";

/** How deep pools are, in US dollars. Remembers what the deep ones say that tokens are worth. */
export class Depths {
  readonly #reading: MarketReading;
  #prices: TokenPrices = new Map();

  constructor(reading: MarketReading) {
    this.#reading = reading;
  }

  /** What tokens are worth is what these pools say, and nothing else. */
  readonly learn = (header: Header, pools: ReadonlyArray<DiscoveredPool>) =>
    Effect.suspend(() => {
      this.#prices = new Map();
      return this.at(header, pools);
    });

  /** Depths of pools as they are at the header's block. */
  readonly at = Effect.fnUntraced(function* (
    this: Depths,
    header: Header,
    pools: ReadonlyArray<DiscoveredPool>,
  ): Effect.fn.Return<ReadonlyMap<Address, number>, RpcError> {
    const { readerAt, venues, onProgress, admission } = this.#reading;
    const readable = pools.map(({ listing }) => ({ listing, chain: venues.chainOf(listing) }));
    const glanced = yield* glanceAll(readerAt(header.hash), readable, onProgress);
    const { depths, prices } = anchorDepths(admission, glanced, this.#prices);
    this.#prices = prices;
    return new Map(glanced.map(({ listing }, place) => [listing.address, depths[place]!]));
  });
}
