import type {
  Address,
  BlockStamp,
  MarketBlock,
  PoolListing,
  PoolStateChange,
} from "@millrace/core";
import { exclusionsDigest, tokenDigest } from "./itemDigest.ts";
import { MarketReplica, type PoolRecord, type ReplicaContent } from "./MarketReplica.ts";

/**
 * The block that turns one market into another. What is equal in both is left out. `isRetold`: the
 * source reports the swaps of the newest blocks again.
 */
export function differenceOf(
  from: ReplicaContent,
  to: ReplicaContent,
  isRetold: boolean,
): MarketBlock {
  const removedPools: Address[] = [];
  const pools: PoolListing[] = [];
  const states: PoolStateChange[] = [];
  for (const [address, former] of from.pools) {
    if (to.pools.get(address)?.listingText !== former.listingText) removedPools.push(address);
  }
  for (const [address, pool] of to.pools) {
    const former = from.pools.get(address);
    const isKnown = former?.listingText === pool.listingText;
    if (!isKnown) pools.push(pool.listing);
    if (isKnown && former.digest === pool.digest) continue;
    states.push({ pool: address, state: stateOf(pool, isKnown ? former : undefined) });
  }
  const tokens = [...to.tokens.values()].filter((token) => {
    const former = from.tokens.get(token.address);
    return former === undefined || tokenDigest(former) !== tokenDigest(token);
  });
  const supplies = [...new Set([...from.supplies.keys(), ...to.supplies.keys()])]
    .filter((token) => from.supplies.get(token) !== to.supplies.get(token))
    .map((token) => ({ token, totalSupply: to.supplies.get(token) }));
  const isExcludedAlike = exclusionsDigest(from.excluded) === exclusionsDigest(to.excluded);
  return {
    stamp: to.stamp,
    orphaned: orphanedIn(from.line, to.line, isRetold),
    dexes: [...to.dexes.values()].filter(({ id }) => !from.dexes.has(id)),
    ...{ tokens, pools, removedPools, states, swaps: [], supplies },
    ...(!isExcludedAlike && { excludedFromTransit: to.excluded ?? new Set<Address>() }),
  };
}

/** The block that builds a market from nothing. */
export const wholeBlock = (content: ReplicaContent): MarketBlock =>
  differenceOf(new MarketReplica(), content, false);

function stateOf(pool: PoolRecord, former: PoolRecord | undefined): PoolStateChange["state"] {
  const { words, book } = pool;
  return former?.bookDigest === pool.bookDigest ? { words } : { words, book };
}

type Line = ReadonlyArray<BlockStamp>;

/** The newest block in both lines; undefined where they share none. */
export function commonBlock(line: Line, other: Line): BlockStamp | undefined {
  const hashes = new Set(other.map(({ hash }) => hash));
  return line.findLast(({ hash }) => hashes.has(hash));
}

/**
 * Hashes of the blocks of `line` that `other` does not continue, newest first: all after the last
 * common block. Without a common block: all, if swaps are reported again; otherwise those at
 * heights where `other` has a block, and those above its head.
 */
function orphanedIn(line: Line, other: Line, isRetold: boolean): ReadonlyArray<`0x${string}`> {
  const common = commonBlock(line, other)?.number ?? (isRetold ? -1 : undefined);
  const head = other.at(-1)?.number ?? Number.POSITIVE_INFINITY;
  const places = new Set(other.map(({ number }) => number));
  return line
    .filter(({ number }) =>
      common === undefined ? number > head || places.has(number) : number > common,
    )
    .map(({ hash }) => hash)
    .reverse();
}
