import type { AppliedBlock } from "./graph/AppliedBlock.ts";

type Listener = (block: AppliedBlock) => void;

/** Passes applied changes to listeners: each part as it comes, and each block once. */
export class AppliedBlocks {
  readonly #parts = new Set<Listener>();
  readonly #blocks = new Set<Listener>();
  readonly #publish: Listener;
  #last: AppliedBlock["stamp"] | undefined;
  // Parts that came after the last block, of that block or of earlier ones.
  #late: AppliedBlock[] = [];

  /** `publish` is called for a block after the listeners. */
  constructor(publish: Listener) {
    this.#publish = publish;
  }

  onPart(listener: Listener): () => void {
    this.#parts.add(listener);
    return () => this.#parts.delete(listener);
  }

  onApplied(listener: Listener): () => void {
    this.#blocks.add(listener);
    return () => this.#blocks.delete(listener);
  }

  take(part: AppliedBlock): void {
    for (const listener of this.#parts) listener(part);
    const { number, hash } = part.stamp;
    if (number === this.#last?.number && hash === this.#last.hash) {
      // A part that only has past swaps need not be kept.
      if (part.changedPools.length > 0 || part.topologyChanged) this.#late.push(part);
      return;
    }
    this.#last = part.stamp;
    const block = withLate(this.#late, part);
    this.#late = [];
    for (const listener of this.#blocks) listener(block);
    this.#publish(block);
  }
}

/** A pool may stand twice, as in any block. */
function withLate(late: ReadonlyArray<AppliedBlock>, block: AppliedBlock): AppliedBlock {
  if (late.length === 0) return block;
  return {
    ...block,
    changedPools: [...late, block].flatMap(({ changedPools }) => changedPools),
    topologyChanged: block.topologyChanged || late.some(({ topologyChanged }) => topologyChanged),
  };
}
