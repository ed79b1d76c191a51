import type { PublishedKnown } from "@millrace/chain";
import type { CoveredBlocks } from "@millrace/history";

interface Claim {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** Hashes of so many newest blocks are remembered: what is deeper is not reverted one by one. */
const HASHES_MAX = 2_048;

/**
 * Of which blocks a history was told that it has all swaps. Only what is new is told: what the
 * history has lost since, it knows itself.
 */
export class ClaimedBlocks {
  /** Ascending, apart from one another. */
  #claims: ReadonlyArray<Claim> = [];
  readonly #numbers = new Map<string, number>();

  /** What was not claimed yet of the blocks that are published now. */
  claim(published: ReadonlyArray<PublishedKnown>): CoveredBlocks[] {
    const added = published.flatMap((range) =>
      without(range, this.#claims).map(({ fromBlock, toBlock }) => ({
        fromBlock,
        toBlock,
        fromMs: range.fromMs,
        blocks: range.blocks.filter(({ number }) => number >= fromBlock && number <= toBlock),
      })),
    );
    this.#claims = published.map(({ fromBlock, toBlock }) => ({ fromBlock, toBlock }));
    for (const { blocks } of added) {
      for (const { number, hash } of blocks) this.#remember(hash, number);
    }
    return added;
  }

  /** A block was taken back: what comes in its place is new. */
  reverted(hash: string): void {
    const number = this.#numbers.get(hash);
    if (number === undefined) return;
    this.#numbers.delete(hash);
    const gone = [{ fromBlock: number, toBlock: number }];
    this.#claims = this.#claims.flatMap((claim) => without(claim, gone));
  }

  #remember(hash: string, number: number): void {
    this.#numbers.set(hash, number);
    if (this.#numbers.size <= HASHES_MAX) return;
    const [oldest] = this.#numbers.keys();
    this.#numbers.delete(oldest!);
  }
}

/** The parts of a range that no other, of ascending ones, holds. */
function without(range: Claim, others: ReadonlyArray<Claim>): Claim[] {
  const parts: Claim[] = [];
  let { fromBlock } = range;
  for (const other of others) {
    if (other.toBlock < fromBlock || other.fromBlock > range.toBlock) continue;
    if (other.fromBlock > fromBlock) parts.push({ fromBlock, toBlock: other.fromBlock - 1 });
    fromBlock = other.toBlock + 1;
  }
  if (fromBlock <= range.toBlock) parts.push({ fromBlock, toBlock: range.toBlock });
  return parts;
}
