import type { Address } from "@millrace/core";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import type { BlockId } from "./Header.ts";

/**
 * What is known of a chain's pools in blocks that are hardly reverted any more. It grows while it
 * is found out, so that a failure loses nothing, and knows at which blocks it was complete, so that
 * it can go back when they are reverted after all.
 */
export class Discovery {
  readonly pools = new Map<Address, DiscoveredPool>();
  /** Up to each of these blocks all pools are known; ascending. */
  readonly checkpoints: BlockId[];
  /** No pool is older. */
  readonly #startBlock: number;

  constructor(
    startBlock: number,
    checkpoints: ReadonlyArray<BlockId> = [],
    pools: Iterable<DiscoveredPool> = [],
  ) {
    this.#startBlock = startBlock;
    this.checkpoints = [...checkpoints];
    for (const pool of pools) this.pools.set(pool.listing.address, pool);
  }

  /** All pools that were created up to this block are known. */
  get toBlock(): number {
    return this.checkpoints.at(-1)?.number ?? this.#startBlock - 1;
  }

  /** True when the chain is long past its first pool, so that looking back finds contracts. */
  isLongBefore(block: number, blocks: number): boolean {
    return block - blocks > this.#startBlock;
  }

  /** Takes on what blocks up to this one brought to light. */
  extend(to: BlockId, pools: ReadonlyArray<DiscoveredPool>): void {
    for (const pool of pools) this.pools.set(pool.listing.address, pool);
    while (this.toBlock >= to.number && this.checkpoints.length > 0) this.checkpoints.pop();
    this.checkpoints.push(to);
  }

  /** Forgets the newest checkpoint, and all pools since the one before. */
  retreat(): void {
    this.checkpoints.pop();
    for (const [address, { createdBlock }] of this.pools) {
      if (createdBlock > this.toBlock) this.pools.delete(address);
    }
  }
}
