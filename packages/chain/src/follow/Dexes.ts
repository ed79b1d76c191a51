import type { Address, Dex, PoolListing } from "@millrace/core";
import type { ChainDex, ChainLog, ChainProtocol } from "@millrace/protocols";

/** The configured dexes, and how their logs are read. */
export class Dexes {
  readonly configured: ReadonlyArray<ChainDex>;
  readonly #chainByDex: ReadonlyMap<string, ChainProtocol>;
  readonly #byFactory: ReadonlyMap<Address, ReadonlyArray<ChainDex>>;

  constructor(dexes: ReadonlyArray<ChainDex>, chains: ReadonlyMap<string, ChainProtocol>) {
    this.configured = dexes;
    this.#byFactory = Map.groupBy(dexes, ({ factory }) => factory);
    this.#chainByDex = new Map(dexes.map(({ id, protocol }) => [id, chains.get(protocol)!]));
  }

  /** As the market lists them. */
  get listings(): Dex[] {
    return this.configured.map(({ id, name, protocol, factory }) => ({
      id,
      name,
      protocol,
      factory,
    }));
  }

  /** The family of a pool, as it shows itself on the chain. */
  chainOf({ dexId }: PoolListing): ChainProtocol {
    return this.#chainByDex.get(dexId)!;
  }

  /** The pools that these logs announce, in order; what a stranger imitates is passed over. */
  creations(logs: ReadonlyArray<ChainLog>): PoolListing[] {
    return logs.flatMap((log) => {
      for (const dex of this.#byFactory.get(log.address) ?? []) {
        const listing = this.#chainByDex.get(dex.id)!.decodeCreation(dex, log);
        if (listing !== undefined) return [listing];
      }
      return [];
    });
  }
}
