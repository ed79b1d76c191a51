import type { Address, Dex, PoolListing } from "@millrace/core";
import {
  type ChainDex,
  type ChainLog,
  EVERY_POOL,
  type FollowedDex,
  type Hex,
} from "@millrace/protocols";
import type { FollowedProtocol } from "../ChainOptions.ts";
import { configuredCreations, type LoggedCreation } from "../reading/creations.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";

/** The subject of a log: a discovered pool, or all pools of a DEX. */
export type LogSubject =
  | { readonly dex: FollowedDex; readonly listing: PoolListing }
  | { readonly dex: FollowedDex; readonly listing: undefined };

/** The configured DEXes, and how they appear on the chain. */
export class Dexes {
  readonly followed: ReadonlyArray<FollowedDex>;
  readonly #byId: ReadonlyMap<string, FollowedDex>;
  readonly #byFactory: ReadonlyMap<Address, ReadonlyArray<FollowedDex>>;
  /** DEXes whose pools share a contract that writes their logs. */
  readonly #byContract = new Map<Address, FollowedDex[]>();

  /** Throws for a DEX whose protocol is not among these, or that lacks what its protocol needs. */
  constructor(
    dexes: ReadonlyArray<ChainDex>,
    protocols: ReadonlyArray<FollowedProtocol>,
    wrappedNative?: Address,
  ) {
    const chains = new Map(protocols.map(({ chain }) => [chain.name, chain]));
    this.followed = dexes.map((dex) => {
      const chain = chains.get(dex.protocol);
      if (chain === undefined) throw new RangeError(`${dex.id}: no protocol ${dex.protocol}`);
      return chain.open(dex, wrappedNative);
    });
    this.#byId = new Map(this.followed.map((followed) => [followed.dex.id, followed]));
    this.#byFactory = Map.groupBy(this.followed, ({ dex }) => dex.factory);
    for (const dex of this.followed) {
      for (const contract of dex.sharedLogs?.contracts ?? []) {
        const known = this.#byContract.get(contract);
        if (known === undefined) this.#byContract.set(contract, [dex]);
        else known.push(dex);
      }
    }
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

  /** No pool of any of the DEXes is older. */
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

  /**
   * New pools of a block, in order: those configured for it, then those its logs create. Logs of
   * strangers that imitate a factory are ignored.
   */
  creations(logs: ReadonlyArray<ChainLog>, block: number): LoggedCreation[] {
    const logged = logs.flatMap((log) => {
      for (const dex of this.#byFactory.get(log.address) ?? []) {
        const creation = dex.decodeCreation(log);
        if (creation !== undefined) return [{ dex, creation, block, logIndex: log.logIndex }];
      }
      return [];
    });
    return [...configuredCreations(this.followed, block, block), ...logged];
  }

  /** The subjects of a log; none for a stranger's log, whatever it imitates. */
  subjectsOf(
    log: ChainLog,
    discovered: Pick<ReadonlyMap<Address, DiscoveredPool>, "get">,
  ): ReadonlyArray<LogSubject> {
    const own = discovered.get(log.address)?.listing;
    const shared = this.#byContract.get(log.address);
    if (shared === undefined) {
      return own === undefined ? NOBODY : [{ dex: this.of(own), listing: own }];
    }
    const subjects: LogSubject[] = own === undefined ? [] : [{ dex: this.of(own), listing: own }];
    for (const dex of shared) {
      const key = dex.sharedLogs!.keyOf(log);
      if (key === undefined) continue;
      if (key === EVERY_POOL) subjects.push({ dex, listing: undefined });
      else {
        const listing = discovered.get(key)?.listing;
        if (listing?.dexId === dex.dex.id && listing !== own) subjects.push({ dex, listing });
      }
    }
    return subjects;
  }
}

const NOBODY: ReadonlyArray<LogSubject> = [];
