import type { Address } from "@millrace/core";
import type { SortedCreations } from "../reading/creations.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import type { BlockId } from "./Header.ts";
import { Refusals } from "./Refusals.ts";

/**
 * The known pools of a chain, in blocks that are hardly reverted any more. It grows as discovery
 * proceeds, so that a failure loses nothing. It knows at which blocks it was complete, so that it
 * can go back when they are reverted after all.
 */
export class Discovery {
  readonly pools = new Map<Address, DiscoveredPool>();
  /** The creations that were refused. */
  readonly refusals: Refusals;
  /** All pools up to each of these blocks are known; ascending. */
  readonly checkpoints: BlockId[];
  /** No pool is older. */
  readonly #startBlock: number;

  constructor(
    startBlock: number,
    checkpoints: ReadonlyArray<BlockId> = [],
    pools: Iterable<DiscoveredPool> = [],
    refusals: Refusals = new Refusals(),
  ) {
    this.#startBlock = startBlock;
    this.checkpoints = [...checkpoints];
    this.refusals = refusals;
    for (const pool of pools) this.pools.set(pool.listing.address, pool);
  }

  /** All pools that were created up to this block are known. */
  get toBlock(): number {
    return this.checkpoints.at(-1)?.number ?? this.#startBlock - 1;
  }

  /** True when the chain is far past its first pool, so that looking back finds contracts. */
  isLongBefore(block: number, blocks: number): boolean {
    return block - blocks > this.#startBlock;
  }

  /** Replaces what was known of the blocks from a number up to `to`. */
  extend(
    fromBlock: number,
    to: BlockId,
    { pools, refused }: Pick<SortedCreations, "pools" | "refused">,
  ): void {
    for (const { listing, block } of pools) {
      // A later log may announce the same pool.
      if ((this.pools.get(listing.address)?.createdBlock ?? block) < block) continue;
      this.pools.set(listing.address, { listing, createdBlock: block });
    }
    this.refusals.removeAfter(fromBlock - 1);
    for (const refusal of refused) this.refusals.add(refusal);
    while (this.toBlock >= to.number && this.checkpoints.length > 0) this.checkpoints.pop();
    this.checkpoints.push(to);
  }

  /** Forgets the newest checkpoint, and all pools created after the one before. */
  retreat(): void {
    this.checkpoints.pop();
    for (const [address, { createdBlock }] of this.pools) {
      if (createdBlock > this.toBlock) this.pools.delete(address);
    }
    this.refusals.removeAfter(this.toBlock);
  }
}
