import type { Address, BlockStamp, MarketBlock, PastBlock, SwapEvent } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { KnownRange } from "../../src/index.ts";
import { POOLS } from "./contracts.ts";
import type { SimulatedBlock, SimulatedChain } from "./SimulatedChain.ts";

/** A source's output differs from the simulated chain. */
export class Verdict extends Error {
  override readonly name = "Verdict";
}

/**
 * A reader's data for its next life: the blocks that it counts, and the ranges that it has whole.
 */
export interface KeptSwaps {
  readonly blocks: ReadonlyArray<SimulatedBlock>;
  readonly ranges: ReadonlyArray<KnownRange>;
}

/**
 * The swaps that one reader received, live and as history, without the reverted ones. Throws a
 * Verdict for a swap that is not the chain's, comes twice, or stays after a reorganisation.
 */
export class PublishedSwaps {
  /** Blocks that were published as history. */
  pastBlocks = 0;
  /** Blocks of an earlier life that counted when this one began. */
  keptBlocks = 0;
  readonly #chain: SimulatedChain;
  /** Blocks of an earlier life that were not published anew; by number, as a market keeps them. */
  readonly #kept = new Map<number, SimulatedBlock>();
  /** Hashes of blocks that the source knows to be kept. */
  readonly #keptHashes = new Set<string>();
  /** All blocks that the reader has heard of and that were not reverted, by hash. */
  readonly #heard = new Map<string, SimulatedBlock>();
  /** Hashes of the heard blocks whose swaps were published. */
  readonly #told = new Set<string>();

  constructor(chain: SimulatedChain) {
    this.#chain = chain;
  }

  /** Continues from the kept blocks, up to the block that the source confirms. */
  restore({ blocks, ranges }: KeptSwaps, confirmedTo: number): void {
    for (const { hash } of ranges.flatMap((range) => range.blocks ?? [])) {
      this.#keptHashes.add(hash);
    }
    for (const block of blocks) {
      if (block.number > confirmedTo) continue;
      this.#kept.set(block.number, block);
      this.keptBlocks++;
    }
  }

  /** Everything that counts now, to be kept. */
  kept(ranges: ReadonlyArray<KnownRange>): KeptSwaps {
    const told = [...this.#told].map((hash) => this.#heard.get(hash)!);
    return { blocks: [...this.#kept.values(), ...told], ranges };
  }

  revert(orphaned: ReadonlyArray<string>): void {
    let above = Number.POSITIVE_INFINITY;
    for (const hash of orphaned) {
      const kept = this.#keptHashes.has(hash) ? this.#chain.blocks.get(hash as Hex) : undefined;
      const block = this.#heard.get(hash) ?? kept;
      if (this.#kept.get(block?.number ?? -1)?.hash === hash) this.#kept.delete(block!.number);
      if (block === undefined) throw new Verdict(`reverts ${hash}, which it never published of`);
      if (block.number >= above) throw new Verdict(`reverts ${hash} out of order`);
      above = block.number;
      this.#heard.delete(hash);
      this.#told.delete(hash);
    }
  }

  /** Takes a message at a block of the chain; call `takeBack` first. */
  hear({ swaps, history = [] }: MarketBlock, truth: SimulatedBlock): void {
    this.#heard.set(truth.hash, truth);
    const rival = this.#kept.get(truth.number);
    // Blocks on top of a block that is not the chain's are not the chain's either.
    if (rival !== undefined && rival !== truth) {
      for (const number of [...this.#kept.keys()]) {
        if (number >= truth.number) this.#kept.delete(number);
      }
    }
    if (swaps.length > 0) this.#tell(truth, swaps);
    let below = Number.POSITIVE_INFINITY;
    for (const past of history) {
      if (past.stamp.number >= below) throw new Verdict(`history is not newest first`);
      below = past.stamp.number;
      this.#hearPast(past, truth);
    }
    const branch = branchOf(truth);
    for (const [hash, { number }] of this.#heard) {
      if (!branch.has(hash)) throw new Verdict(`${number} ${hash} is not before ${truth.number}`);
    }
  }

  /** Checks that every swap of a block's branch since `fromMs` was published. */
  checkWhole(head: SimulatedBlock, fromMs: number): void {
    for (const [hash, block] of branchOf(head)) {
      if (block.timestamp * 1000 < fromMs || swapsOf(block).length === 0) continue;
      if (this.#told.has(hash) || this.#kept.get(block.number) === block) continue;
      throw new Verdict(`block ${block.number} ${hash} was never published`);
    }
  }

  /** Checks that nothing counts outside a block's branch. */
  checkTrue(head: SimulatedBlock): void {
    const branch = branchOf(head);
    for (const { number, hash } of this.#kept.values()) {
      if (!branch.has(hash)) throw new Verdict(`${number} ${hash} of an earlier life still counts`);
    }
  }

  #hearPast({ stamp, swaps }: PastBlock, head: SimulatedBlock): void {
    const block = this.#chain.blocks.get(stamp.hash);
    if (block === undefined) throw new Verdict(`history of no block: ${stamp.hash}`);
    checkStamp(stamp, block);
    if (block.number > head.number) throw new Verdict(`history of ${block.number} before its time`);
    this.#heard.set(block.hash, block);
    this.pastBlocks++;
    this.#tell(block, swaps);
  }

  #tell(block: SimulatedBlock, swaps: ReadonlyArray<SwapEvent>): void {
    checkSwaps(block, swaps);
    // An empty block may end one range, and be empty in the next.
    if (swaps.length === 0) return;
    if (this.#told.has(block.hash)) throw new Verdict(`block ${block.number} was published twice`);
    this.#told.add(block.hash);
    this.#kept.delete(block.number);
  }
}

export function checkStamp(stamp: BlockStamp, truth: SimulatedBlock): void {
  if (stamp.number === truth.number && stamp.timestampMs === truth.timestamp * 1000) return;
  const { number, hash, timestampMs } = stamp;
  throw new Verdict(
    `block ${number} ${hash} of ${timestampMs} ms is ${truth.number} of ${truth.timestamp} s`,
  );
}

/** Checks that the swaps are all of the block's, in order. */
export function checkSwaps(truth: SimulatedBlock, swaps: ReadonlyArray<SwapEvent>): void {
  const heard = swaps.map(swapText).join("; ");
  const truly = swapsOf(truth).map(swapText).join("; ");
  if (heard === truly) return;
  throw new Verdict(`swaps of ${truth.number} ${truth.hash}: [${heard}], not [${truly}]`);
}

function branchOf(head: SimulatedBlock): ReadonlyMap<string, SimulatedBlock> {
  const branch = new Map<string, SimulatedBlock>();
  for (let block: SimulatedBlock | undefined = head; block !== undefined; block = block.parent) {
    branch.set(block.hash, block);
  }
  return branch;
}

/** All swaps of a block, as they have to be published. */
export function swapsOf(block: SimulatedBlock): SwapEvent[] {
  const swaps: SwapEvent[] = [];
  block.logs.forEach(({ address, transactionHash, swap }, logIndex) => {
    if (swap === undefined) return;
    const { zeroForOne, pool = address, ...amounts } = swap;
    const [token0, token1] = tokensOf(pool);
    const [tokenIn, tokenOut] = zeroForOne ? [token0, token1] : [token1, token0];
    swaps.push({ pool, transactionHash, logIndex, tokenIn, tokenOut, ...amounts });
  });
  return swaps;
}

function tokensOf(address: Address): readonly [Address, Address] {
  const { token0, token1 } = POOLS.find((pool) => pool.address === address)!;
  return [token0, token1];
}

function swapText(swap: SwapEvent): string {
  const { pool, transactionHash, logIndex, tokenIn, tokenOut } = swap;
  const numbers = `${swap.amountIn} ${swap.amountOut} ${swap.priceAfter}`;
  return `${logIndex} ${pool} ${transactionHash} ${tokenIn} ${tokenOut} ${numbers}`;
}
