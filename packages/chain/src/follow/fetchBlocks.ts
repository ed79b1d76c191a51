import type { Address, Dex, PoolListing, TokenListing } from "@millrace/core";
import type { ChainDex, ChainLog, ChainProtocol } from "@millrace/protocols";
import { Effect } from "effect";
import { readTokens, type TokenProblem } from "../reading/readTokens.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { BlockLogs } from "./BlockLogs.ts";
import type { Header } from "./Header.ts";
import type { BlockContent } from "./Mirror.ts";

const CONCURRENT_BLOCKS = 4;

/** What fetching blocks goes by. */
export interface BlockFetching {
  readonly blockLogs: BlockLogs;
  readonly venues: Venues;
  readonly multicall: Address;
  /** True when a new pool is loaded in the block that creates it: its tokens are then asked for. */
  readonly loadsAtOnce: (pool: Address) => boolean;
}

/**
 * All that blocks tell, each later one the child of the one before. Tokens are asked at `newest`,
 * the end of their branch: of older blocks nodes have no state any more. `knows` tells of which
 * nothing needs to be asked.
 */
export const fetchBlocks = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  { blockLogs, venues, multicall, loadsAtOnce }: BlockFetching,
  headers: ReadonlyArray<Header>,
  newest: Header,
  knows: (token: Address) => boolean,
): Effect.fn.Return<ReadonlyArray<BlockContent>, RpcError> {
  const logsOfBlocks = yield* Effect.forEach(headers, (header) => blockLogs(endpoint, header), {
    concurrency: CONCURRENT_BLOCKS,
  });
  const contents: BlockContent[] = [];
  const asked = new Set<Address>();
  for (const [place, header] of headers.entries()) {
    const logs = logsOfBlocks[place]!;
    const creations = venues.creations(logs);
    const unknown = new Set(
      creations
        .filter(({ address }) => loadsAtOnce(address))
        .flatMap(({ tokens }) => tokens)
        .filter((token) => !knows(token) && !asked.has(token)),
    );
    for (const token of unknown) asked.add(token);
    const tokens: ReadonlyArray<TokenListing | TokenProblem> =
      unknown.size === 0
        ? []
        : yield* readTokens({ endpoint, blockHash: newest.hash, multicall }, [...unknown]);
    contents.push({ header, logs, creations, tokens });
  }
  return contents;
});

/** The configured venues, and how their logs are read. */
export class Venues {
  readonly dexes: ReadonlyArray<ChainDex>;
  readonly #chainByDex: ReadonlyMap<string, ChainProtocol>;
  readonly #byFactory: ReadonlyMap<Address, ReadonlyArray<ChainDex>>;

  constructor(dexes: ReadonlyArray<ChainDex>, chains: ReadonlyMap<string, ChainProtocol>) {
    this.dexes = dexes;
    this.#byFactory = Map.groupBy(dexes, ({ factory }) => factory);
    this.#chainByDex = new Map(dexes.map(({ id, protocol }) => [id, chains.get(protocol)!]));
  }

  /** As the market lists them. */
  get listings(): Dex[] {
    return this.dexes.map(({ id, name, protocol, factory }) => ({ id, name, protocol, factory }));
  }

  /** The family of a pool, as it shows itself on the chain. */
  chainOf({ dexId }: PoolListing): ChainProtocol {
    return this.#chainByDex.get(dexId)!;
  }

  /** The pools that these logs tell of, in order; what a stranger imitates is passed over. */
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
