import type { Address, BlockStamp, PoolIndex } from "@millrace/core";
import { DraftWriter } from "./draftBytes.ts";
import type { EngineView } from "./EngineView.ts";
import { StateDraft } from "./StateDraft.ts";

export interface ScannedMarket {
  readonly stamp: BlockStamp;
  readonly chunks: ReadonlyArray<Uint8Array>;
}

/** This many pools that changed meanwhile are written again without a pause: some milliseconds. */
const LAST_MAX = 256;
/** Where more keep changing, they are written without a pause after this many rounds. */
const ROUNDS_MAX = 8;

/**
 * Writes a whole market in slices between which blocks may come. Pools that a block changes are
 * written again, in rounds, until few enough are left for one slice. The result is the market as of
 * the newest block at the end.
 */
export class MarketScan {
  /** Pools removed and tokens updated since the scan began; others add to these. */
  readonly removedPools = new Set<Address>();
  readonly updatedTokens = new Set<Address>();
  readonly #view: EngineView;
  readonly #writer = new DraftWriter(undefined);
  readonly #dexes = new Set<string>();
  readonly #tokens = new Set<Address>();
  /** By pool: its version in the graph when it was written, plus 1. */
  readonly #versions: number[] = [];

  constructor(view: EngineView) {
    this.#view = view;
  }

  *run(): Generator<void, ScannedMarket> {
    // In the market's order, which decides searches between equal paths.
    for (const token of this.#view.tokens()) yield this.#writeToken(token);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      let written = 0;
      for (const pool of this.#stale()) {
        this.#write(pool);
        written++;
        yield;
      }
      if (written <= LAST_MAX) break;
    }
    // No pause from here on.
    const { graph } = this.#view.engine;
    for (const pool of this.#stale()) this.#write(pool);
    for (const address of this.removedPools) {
      if (graph.findPool(address) === undefined) this.#writer.removal(address);
    }
    for (const token of this.updatedTokens) if (this.#tokens.has(token)) this.#writeToken(token);
    this.#writer.exclusions(this.#view.excluded());
    return { stamp: graph.stamp, chunks: this.#writer.end() };
  }

  /** Pools whose newest state is not written, tested one by one as they are asked for. */
  *#stale(): Generator<PoolIndex> {
    const { graph } = this.#view.engine;
    for (const pool of this.#view.pools()) {
      if (this.#versions[pool] !== graph.poolVersion[pool]! + 1) yield pool;
    }
  }

  #write(pool: PoolIndex): void {
    const { graph } = this.#view.engine;
    this.#versions[pool] = graph.poolVersion[pool]! + 1;
    if (!graph.isLive(pool)) return;
    const listing = this.#view.listing(pool);
    if (!this.#dexes.has(listing.dexId)) {
      this.#dexes.add(listing.dexId);
      this.#writer.dex(graph.dexes[graph.poolDex[pool]!]!);
    }
    for (const token of listing.tokens) if (!this.#tokens.has(token)) this.#writeToken(token);
    this.#writer.pool(listing);
    this.#writer.state(listing.address, this.#view.state(pool));
  }

  #writeToken(token: Address): void {
    this.#tokens.add(token);
    const draft = new StateDraft();
    this.#view.addTokenTo(draft, token);
    for (const listing of draft.tokens.values()) this.#writer.token(listing);
    for (const [address, supply] of draft.supplies) this.#writer.supply(address, supply);
  }
}
