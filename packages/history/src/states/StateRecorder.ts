import {
  type Address,
  type AppliedBlock,
  Background,
  type BlockStamp,
  type MarketBlock,
} from "@millrace/core";
import { DraftWriter, writeDraft } from "./draftBytes.ts";
import { EngineView, type RecordedMarketOptions } from "./EngineView.ts";
import { MarketScan } from "./MarketScan.ts";
import { StateDraft } from "./StateDraft.ts";

export interface StateRecorderOptions extends RecordedMarketOptions {
  /** A checkpoint is recorded when this many blocks have passed since the last one. */
  readonly everyBlocks: number;
  /** Takes records in the order in which they must be written. */
  readonly onRecord: (record: StateRecord) => void;
}

export type StateRecord =
  | {
      readonly kind: "checkpoint" | "delta";
      readonly stamp: BlockStamp;
      /** A draft's bytes, not compressed yet. */
      readonly chunks: ReadonlyArray<Uint8Array>;
    }
  | { readonly kind: "revert"; readonly hashes: ReadonlyArray<string> };

/** A recorded block, and what it touched. */
interface RecordedBlock {
  readonly stamp: BlockStamp;
  readonly before: BlockStamp | undefined;
  /** Everything published of it; of an old block, only which pools it touched. */
  readonly draft: StateDraft;
  isWaiting: boolean;
  isOrphaned: boolean;
}

/** Deeper reorganisations break the record: it begins anew. */
const DEPTH = 1_024;
const RETRY_BLOCKS = 16;
/** This many newest blocks keep their states. */
const WHOLE = 64;

/**
 * Records an engine's market: a checkpoint at first and every `everyBlocks` blocks, and the changes
 * of each block. A block costs only the time to note its changes; bytes are made in slices.
 */
export class StateRecorder {
  readonly #view: EngineView;
  readonly #everyBlocks: number;
  readonly #onRecord: StateRecorderOptions["onRecord"];
  readonly #unsubscribe: () => void;
  /** The newest recorded blocks, ascending. */
  readonly #line: RecordedBlock[];
  #waiting: RecordedBlock[] = [];
  /** The excluded tokens as last noted. */
  #excluded: ReadonlySet<Address> = new Set();
  #writing: RecordedBlock | undefined;
  #scan: MarketScan | undefined;
  #isScanWanted = true;
  #scannedBlock: number;
  /** Hash of the block of the newest checkpoint. */
  #checkpoint: string | undefined;
  readonly #work = new Background(
    "history",
    () => (this.#waiting.length > 0 ? this.#writeDelta() : this.#writeCheckpoint()),
    () => this.#waiting.length > 0 || this.#isScanWanted,
  );

  constructor(options: StateRecorderOptions) {
    this.#view = new EngineView(options);
    this.#everyBlocks = options.everyBlocks;
    this.#onRecord = options.onRecord;
    const { graph, onPart } = options.engine;
    this.#line = [began(graph.stamp, undefined)];
    this.#scannedBlock = graph.stamp.number;
    this.#unsubscribe = onPart((part) => this.#take(part));
    this.#work.startLater();
  }

  /**
   * A record was not written: later ones are useless without a checkpoint, which follows in a
   * while.
   */
  startAnew(): void {
    const { number } = this.#view.engine.graph.stamp;
    this.#scannedBlock = Math.min(this.#scannedBlock, number - this.#everyBlocks + RETRY_BLOCKS);
  }

  /** Records what is left, without pauses, and ends. */
  close(): void {
    this.#unsubscribe();
    this.#noteExclusions(this.#line.at(-1));
    this.#isScanWanted = false;
    this.#work.finish();
  }

  #take({ block }: AppliedBlock): void {
    const { number, hash } = block.stamp;
    const orphans = this.#revert(block.orphaned ?? []);
    let recorded = this.#line.at(-1);
    // Exclusions change between blocks, when a token is tested; the block before counts as of its
    // end.
    this.#noteExclusions(recorded);
    const isMore = recorded?.stamp.hash === hash && recorded.stamp.number === number;
    if (!isMore || recorded === undefined) {
      recorded = this.#begin(block.stamp);
      if (number >= this.#scannedBlock + this.#everyBlocks) this.#isScanWanted = true;
    } else if (isEmpty(block)) return;
    this.#note(block, recorded.draft);
    for (const { draft } of orphans) this.#undo(draft, recorded.draft);
    if (orphans.length > 0) recorded.draft.excluded = this.#view.excluded();
    this.#queue(recorded);
  }

  #queue(recorded: RecordedBlock): void {
    if (!recorded.isWaiting) this.#waiting.push(recorded);
    recorded.isWaiting = true;
    this.#work.startLater();
  }

  #noteExclusions(recorded: RecordedBlock | undefined): void {
    const excluded = this.#view.excluded();
    const isKnown =
      excluded.size === this.#excluded.size &&
      [...excluded].every((token) => this.#excluded.has(token));
    if (isKnown || recorded === undefined) return;
    this.#excluded = excluded;
    recorded.draft.excluded = excluded;
    this.#queue(recorded);
  }

  #begin(stamp: BlockStamp): RecordedBlock {
    const recorded = began(stamp, this.#line.at(-1)?.stamp);
    this.#line.push(recorded);
    if (this.#line.length > DEPTH) this.#line.shift();
    const old = this.#line.at(-WHOLE);
    if (old !== undefined && old !== this.#writing && !old.isWaiting) {
      for (const pool of old.draft.states.keys()) old.draft.states.set(pool, NO_STATE);
    }
    return recorded;
  }

  /** Removes blocks that a reorganisation took back. */
  #revert(hashes: ReadonlyArray<string>): RecordedBlock[] {
    if (hashes.length === 0) return [];
    const orphaned = new Set(hashes);
    const orphans: RecordedBlock[] = [];
    while (this.#line.length > 0 && orphaned.has(this.#line.at(-1)!.stamp.hash)) {
      orphans.push(this.#line.pop()!);
    }
    for (const orphan of orphans) orphan.isOrphaned = true;
    this.#waiting = this.#waiting.filter((each) => !orphans.includes(each));
    this.#onRecord({ kind: "revert", hashes });
    const isBaseless = this.#line.length === 0 || orphaned.has(this.#checkpoint ?? "");
    if (isBaseless) this.#isScanWanted = true;
    return orphans;
  }

  #note(block: MarketBlock, draft: StateDraft): void {
    const view = this.#view;
    // First, in the order in which the market took them: it decides searches between equal paths.
    const tokens = [...block.tokens.map(({ address }) => address), ...block.supplies.map(tokenOf)];
    for (const address of tokens.map(lowered)) {
      if (!view.hasToken(address)) continue;
      view.addTokenTo(draft, address);
      this.#scan?.updatedTokens.add(address);
    }
    for (const address of block.removedPools.map(lowered)) {
      if (!view.isChosen(address)) continue;
      draft.remove(address);
      this.#scan?.removedPools.add(address);
    }
    for (const pool of block.pools) {
      const address = lowered(pool.address);
      if (view.isChosen(address)) view.addListingTo(draft, address);
    }
    for (const { pool, state } of block.states) {
      const address = lowered(pool);
      if (view.isChosen(address)) draft.setState(address, state);
    }
  }

  /**
   * Adds everything that an orphaned block touched, as it is now; the block's own record is gone.
   */
  #undo(orphan: StateDraft, draft: StateDraft): void {
    for (const token of [...orphan.tokens.keys(), ...orphan.supplies.keys()]) {
      this.#view.addTokenTo(draft, token);
    }
    const { removedPools, pools, states } = orphan;
    for (const pool of new Set([...removedPools, ...pools.keys(), ...states.keys()])) {
      this.#view.addTo(draft, pool);
    }
  }

  *#writeDelta(): Generator<void> {
    const recorded = this.#waiting.shift()!;
    recorded.isWaiting = false;
    this.#writing = recorded;
    const { stamp, before, draft } = recorded;
    const writer = new DraftWriter(before);
    // Changes to the block that come while it is written cause a second record of it.
    yield* writeDraft(draft, writer);
    this.#writing = undefined;
    if (!recorded.isOrphaned) this.#onRecord({ kind: "delta", stamp, chunks: writer.end() });
  }

  *#writeCheckpoint(): Generator<void> {
    this.#isScanWanted = false;
    this.#scannedBlock = this.#view.engine.graph.stamp.number;
    this.#scan = new MarketScan(this.#view);
    const { stamp, chunks } = yield* this.#scan.run();
    this.#scan = undefined;
    this.#checkpoint = stamp.hash;
    this.#onRecord({ kind: "checkpoint", stamp, chunks });
  }
}

const NO_STATE = { words: new BigUint64Array(0) };

const began = (stamp: BlockStamp, before: BlockStamp | undefined): RecordedBlock => ({
  ...{ stamp, before, draft: new StateDraft(), isWaiting: false, isOrphaned: false },
});

/** The block tells only of the past. */
const isEmpty = ({ dexes, tokens, pools, removedPools, states, supplies }: MarketBlock): boolean =>
  [dexes, tokens, pools, removedPools, states, supplies].every(({ length }) => length === 0);

const lowered = (address: Address): Address => address.toLowerCase() as Address;
const tokenOf = ({ token }: { readonly token: Address }): Address => token;
