import type { Address } from "@millrace/core";
import type {
  Asking,
  Creation,
  FollowedDex,
  NewPool,
  PoolRefusal,
  Resolved,
} from "@millrace/protocols";
import { Effect } from "effect";
import type { RpcError } from "../rpc/RpcError.ts";
import { askAll } from "./askAll.ts";
import type { BlockReader } from "./callAll.ts";
import type { RefusedCreation } from "./DiscoveredPool.ts";

/** A factory's log: what it tells, whose it is, and where it stands. */
export interface LoggedCreation {
  readonly dex: FollowedDex;
  readonly creation: Creation;
  readonly block: number;
  readonly logIndex: number;
}

/** Creations by outcome, each kind in the order of the chain. */
export interface SortedCreations {
  readonly pools: ReadonlyArray<CreatedPool>;
  readonly refused: ReadonlyArray<RefusedCreation>;
  /** Creations about which the chain has to be asked. */
  readonly unresolved: ReadonlyArray<UnresolvedCreation>;
}

export interface CreatedPool extends NewPool {
  readonly block: number;
  readonly logIndex: number;
}

interface UnresolvedCreation {
  readonly dex: FollowedDex;
  readonly resolve: () => Asking<Resolved>;
  readonly block: number;
  readonly logIndex: number;
}

/** The pools that are configured for some of these blocks. */
export function configuredCreations(
  followed: ReadonlyArray<FollowedDex>,
  fromBlock: number,
  toBlock: number,
): LoggedCreation[] {
  return followed.flatMap((dex) => {
    const block = dex.dex.startBlock;
    if (dex.configured === undefined || block < fromBlock || block > toBlock) return [];
    return dex.configured.map((creation) => ({ dex, creation, block, logIndex: BEFORE_LOGS }));
  });
}

const BEFORE_LOGS = -1;

export function sortCreations(logged: ReadonlyArray<LoggedCreation>): SortedCreations {
  const pools: CreatedPool[] = [];
  const refused: RefusedCreation[] = [];
  const unresolved: UnresolvedCreation[] = [];
  for (const { dex, creation, block, logIndex } of logged) {
    if ("listing" in creation) pools.push({ ...creation, block, logIndex });
    else if ("refused" in creation) refused.push(refusedAt(dex, creation, block));
    else unresolved.push({ dex, resolve: creation.resolve, block, logIndex });
  }
  return { pools, refused, unresolved };
}

/**
 * Asks the chain, at a block after all of them, about unresolved creations, and sorts the results
 * in. A creation that makes no sense even then is no pool.
 */
export const resolveCreations = Effect.fnUntraced(function* (
  reader: Effect.Effect<BlockReader, RpcError>,
  { pools, refused, unresolved }: SortedCreations,
): Effect.fn.Return<SortedCreations & { readonly skipped: number }, RpcError> {
  if (unresolved.length === 0) return { pools, refused, unresolved, skipped: 0 };
  const answers = yield* askAll(
    yield* reader,
    unresolved.map(({ resolve }) => resolve),
  );
  const logged = unresolved.flatMap(({ dex, block, logIndex }, index) => {
    return resolutionsOf(answers[index]).map((creation) => ({ dex, creation, block, logIndex }));
  });
  const resolved = sortCreations(logged);
  const inOrder = [...pools, ...resolved.pools].sort(
    (left, right) => left.block - right.block || left.logIndex - right.logIndex,
  );
  const seen = new Set<Address>();
  return {
    // Several logs may lead to one pool.
    pools: inOrder.filter(
      ({ listing: { address } }) => !seen.has(address) && seen.add(address) !== undefined,
    ),
    refused: [...refused, ...resolved.refused].sort((left, right) => left.block - right.block),
    unresolved: [],
    skipped: answers.filter((answer) => answer === undefined).length,
  };
});

function resolutionsOf(resolved: Resolved): ReadonlyArray<NewPool | PoolRefusal> {
  if (resolved === undefined) return [];
  return "length" in resolved ? resolved : [resolved];
}

function refusedAt({ dex }: FollowedDex, { refused }: PoolRefusal, block: number): RefusedCreation {
  return { dexId: dex.id, reason: refused, block };
}
