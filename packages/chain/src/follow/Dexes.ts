import type { Address, Dex, PoolListing } from "@millrace/core";
import type { ChainDex, ChainLog, FollowedDex, Hex, NewPool } from "@millrace/protocols";
import type { FollowedProtocol } from "../ChainOptions.ts";

/** The configured dexes, and how they show themselves. */
export class Dexes {
  readonly followed: ReadonlyArray<FollowedDex>;
  readonly #byId: ReadonlyMap<string, FollowedDex>;
  readonly #byFactory: ReadonlyMap<Address, ReadonlyArray<FollowedDex>>;

  /** Throws for a DEX of a protocol that is not among these, or not configured as it needs. */
  constructor(dexes: ReadonlyArray<ChainDex>, protocols: ReadonlyArray<FollowedProtocol>) {
    const chains = new Map(protocols.map(({ chain }) => [chain.name, chain]));
    this.followed = dexes.map((dex) => {
      const chain = chains.get(dex.protocol);
      if (chain === undefined) throw new RangeError(`${dex.id}: no protocol ${dex.protocol}`);
      return chain.open(dex);
    });
    this.#byId = new Map(this.followed.map((followed) => [followed.dex.id, followed]));
    this.#byFactory = Map.groupBy(this.followed, ({ dex }) => dex.factory);
  }

  /** As the market lists them. */
  get listings(): Dex[] {
    return this.followed.map(({ dex: { id, name, protocol, factory } }) => ({
      id,
      name,
      protocol,
      factory,
    }));
  }

  /** No pool of any of them is older. */
  get startBlock(): number {
    return Math.min(...this.followed.map(({ dex }) => dex.startBlock));
  }

  /** First topics of the logs of pools. */
  get poolTopics(): ReadonlySet<Hex> {
    return new Set(this.followed.flatMap(({ poolTopics }) => poolTopics));
  }

  /** First topics of all logs that matter. */
  get topics(): ReadonlySet<Hex> {
    const creations = this.followed.flatMap(({ creationTopics }) => creationTopics);
    return new Set([...creations, ...this.poolTopics]);
  }

  /** The DEX of a pool. */
  of({ dexId }: PoolListing): FollowedDex {
    return this.#byId.get(dexId)!;
  }

  /** The pools that these logs announce, in order; what a stranger imitates is passed over. */
  creations(logs: ReadonlyArray<ChainLog>): NewPool[] {
    return logs.flatMap((log) => {
      for (const dex of this.#byFactory.get(log.address) ?? []) {
        const creation = dex.decodeCreation(log);
        if (creation !== undefined && "listing" in creation) return [creation];
      }
      return [];
    });
  }
}
