import type { PublishedKnown } from "@millrace/chain";
import type { CoveredBlocks } from "@millrace/history";

interface Claim {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** Number of newest blocks whose hashes are remembered: deeper ones are not reverted one by one. */
const HASHES_MAX = 2_048;

/**
 * The blocks that were reported to a history as complete. Only new ones are reported: the history
 * itself knows what it has lost since.
 */
export class ClaimedBlocks {
  /** Ascending, and disjoint. */
  #claims: ReadonlyArray<Claim> = [];
  readonly #numbers = new Map<string, number>();

  /** The parts of the published ranges that were not claimed yet. */
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

  /** A block was reverted: the one in its place is new. */
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

/** The parts of a range that are in none of the others, which are ascending. */
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
