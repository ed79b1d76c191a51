import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import type { LedgerBlock } from "../reference/marketLedger.ts";
import { type Account, allDifferences } from "../reference/marketLedgerDifferences.ts";
import { RestartableMarket } from "./RestartableMarket.ts";
import {
  BlockMaker,
  GENERATED_TERMS,
  type GeneratedBlock,
  historyBlock,
  OUTSIDE_POOLS,
  openingBlock,
  toldBlock,
} from "./tradedChain.ts";

/** Time of the first block: some minutes before midnight, so that a day ends early on. */
const START_MS = 1_780_271_400_000;
const START_NUMBER = 20_000_000;
/** Seconds between blocks: 0, some, and rarely hours. */
const PACES = [0, 1, 1, 2, 9, 10, 11, 12, 12, 12, 12, 13, 30, 59, 60, 61, 120, 290, 310];
const LEAPS = [600, 3_590, 3_610, 21_590, 21_610, 50_000, 86_390, 86_410, 200_000];
const DAY_MS = 86_400_000;
const REORGANISED_MAX = 20;
const PAST_BLOCKS = 60;
const ENTERING = OUTSIDE_POOLS.at(-1)!;

/** A market's save, and its expected content. */
interface Save {
  readonly bytes: Uint8Array;
  readonly told: ReadonlySet<Hex>;
  readonly prices: ReadonlyMap<Hex, ReadonlyMap<Address, number>>;
}

/** Events of a market that follows a chain. */
const TURNS = ["live", "history", "reorganise", "return", "repeat", "restart", "enter"] as const;
type Turn = (typeof TURNS)[number];
const WEIGHTS: Readonly<Record<Turn, number>> = {
  live: 60,
  history: 14,
  reorganise: 10,
  return: 4,
  repeat: 6,
  restart: 5,
  enter: 1,
};

/**
 * A generated chain, published to a market with everything that a source may do: history in any
 * portions, blocks reverted and restored, blocks published twice, restarts with the latest or an
 * earlier save. It tracks what the market must show.
 */
export class TradedStory {
  readonly market: RestartableMarket;
  readonly #random: RandomSource;
  readonly #maker: BlockMaker;
  readonly #transactionsMost: number;
  /** The current chain, ascending. */
  #chain: GeneratedBlock[] = [];
  /** Hashes of blocks that the market has received and must count. */
  #told = new Set<Hex>();
  #saves: Save[] = [];
  #orphans: GeneratedBlock[] = [];
  #hasEntered = false;
  /** Prices of tokens when a block was published live. */
  #prices = new Map<Hex, ReadonlyMap<Address, number>>();

  constructor(random: RandomSource, transactionsMost: number) {
    this.#random = random;
    this.#transactionsMost = transactionsMost;
    this.#maker = new BlockMaker(random);
    this.market = new RestartableMarket({ anchors: GENERATED_TERMS.anchors });
    for (let count = 0; count < PAST_BLOCKS; count++) this.#chain.push(this.#next());
    this.market.start(openingBlock(this.#head));
  }

  /** Takes one turn; gives its description. */
  turn(): string {
    const total = TURNS.reduce((sum, turn) => sum + WEIGHTS[turn], 0);
    let place = this.#random.integer(total);
    const turn = TURNS.find((candidate) => {
      place -= WEIGHTS[candidate];
      return place < 0;
    })!;
    const detail = this.#act(turn);
    return `${turn} ${detail}`;
  }

  /** Publishes all of the remaining history. */
  complete(): void {
    while (this.#untold().length > 0) this.#act("history");
  }

  differences(): ReadonlyArray<string> {
    const blocks = this.#chain.filter(({ stamp }) => this.#told.has(stamp.hash));
    const account: Account = {
      blocks,
      headMs: this.#head.stamp.timestampMs,
      terms: GENERATED_TERMS,
      priceUsd: (token: Address, { stamp }: LedgerBlock) =>
        this.#prices.get(stamp.hash)?.get(token),
    };
    const { graph, data } = this.market;
    return allDifferences({ graph, data }, account);
  }

  #act(turn: Turn): string {
    switch (turn) {
      case "live":
        return this.#live();
      case "history":
        return this.#history();
      case "reorganise":
        return this.#reorganise(1 + this.#random.integer(REORGANISED_MAX));
      case "return":
        return this.#return();
      case "repeat":
        return this.#repeat();
      case "restart":
        return this.#restart();
      case "enter":
        return this.#enter();
    }
  }

  get #head(): GeneratedBlock {
    return this.#chain.at(-1)!;
  }

  #next(): GeneratedBlock {
    const random = this.#random;
    const parent = this.#chain.at(-1);
    const seconds = random.integer(25) === 0 ? random.pick(LEAPS) : random.pick(PACES);
    const number = parent === undefined ? START_NUMBER : parent.stamp.number + 1;
    const timestampMs = (parent?.stamp.timestampMs ?? START_MS) + 1_000 * seconds;
    return this.#maker.make(parent, number, timestampMs, this.#transactionsMost);
  }

  #live(): string {
    const block = this.#next();
    this.#chain.push(block);
    // Sometimes a part of the history comes along with it.
    const late = this.#random.integer(6) === 0 ? this.#untold().slice(-3).toReversed() : [];
    this.#tell(block, late);
    return `${block.swaps.length} swaps at ${block.stamp.timestampMs / 1_000}, ${late.length} late`;
  }

  #tell(block: GeneratedBlock, late: ReadonlyArray<GeneratedBlock>, orphaned: Hex[] = []): void {
    const enters = this.#hasEntered && this.market.graph.findPool(ENTERING.address) === undefined;
    const past = late.length === 0 ? {} : { history: historyBlock(block.stamp, late).history };
    this.market.apply({
      ...toldBlock(block, enters ? ENTERING : undefined),
      ...past,
      ...(orphaned.length > 0 && { orphaned }),
    });
    this.#toldLate(late);
    this.#told.add(block.stamp.hash);
    const { data, graph } = this.market;
    this.#prices.set(
      block.stamp.hash,
      new Map(
        [...GENERATED_TERMS.decimals.keys()].map((token) => [
          token,
          data.price(graph.findToken(token)!).priceUsd,
        ]),
      ),
    );
  }

  /** Unpublished blocks of the chain's last day, ascending. */
  #untold(): ReadonlyArray<GeneratedBlock> {
    return this.#ofLastDay().filter(({ stamp }) => !this.#told.has(stamp.hash));
  }

  /** Blocks that a source publishes as history: older ones are in no window. */
  #ofLastDay(): ReadonlyArray<GeneratedBlock> {
    const since = this.#head.stamp.timestampMs - DAY_MS;
    return this.#chain.filter(({ stamp }) => stamp.timestampMs > since);
  }

  #history(): string {
    const past = this.#untold()
      .slice(-1 - this.#random.integer(9))
      .toReversed();
    this.#tellLate(past);
    return `${past.length} blocks`;
  }

  #tellLate(past: ReadonlyArray<GeneratedBlock>): void {
    this.market.apply(historyBlock(this.#head.stamp, past));
    this.#toldLate(past);
  }

  /** A block that was live before it was lost has the prices of a past one now. */
  #toldLate(past: ReadonlyArray<GeneratedBlock>): void {
    for (const { stamp } of past) {
      this.#told.add(stamp.hash);
      this.#prices.delete(stamp.hash);
    }
  }

  #reorganise(depth: number): string {
    const kept = Math.max(1, this.#chain.length - depth);
    const gone = this.#chain.splice(kept).toReversed();
    if (gone.length === 0) return "nothing";
    this.#orphans = gone;
    for (const { stamp } of gone) this.#told.delete(stamp.hash);
    const orphaned = gone.map(({ stamp }) => stamp.hash);
    const kind = this.#random.integer(4);
    if (kind === 0) {
      // The chain is shorter now, without a new block.
      this.market.apply({ ...toldBlock(this.#head), swaps: [], orphaned });
      return `${gone.length} blocks, without another`;
    }
    const next = this.#next();
    // The same transactions, in another block.
    const again = kind === 1 ? { ...next, swaps: this.#random.pick(gone).swaps } : next;
    this.#chain.push(again);
    this.#tell(again, [], orphaned);
    return `${gone.length} blocks, to ${this.#head.stamp.timestampMs / 1_000}`;
  }

  /** Restores the blocks that were reverted last. */
  #return(): string {
    const back = this.#orphans.toReversed();
    const parent = this.#chain.findIndex(
      ({ stamp }) => stamp.number === (back[0]?.stamp.number ?? 0) - 1,
    );
    // They fit only on their own parent.
    if (back.length === 0 || parent < 0 || this.#chain.length - 1 - parent > 40) return "nothing";
    if (this.#parents.get(back[0]!.stamp.hash) !== this.#chain[parent]!.stamp.hash)
      return "nothing";
    const gone = this.#chain.splice(parent + 1).toReversed();
    this.#orphans = gone;
    let orphaned = gone.map(({ stamp }) => stamp.hash);
    for (const hash of orphaned) this.#told.delete(hash);
    for (const block of back) {
      this.#chain.push(block);
      this.#tell(block, [], orphaned);
      orphaned = [];
    }
    return `${back.length} blocks instead of ${gone.length}`;
  }

  /** Publishes twice: live blocks as history, or history once more. */
  #repeat(): string {
    const known = this.#ofLastDay().filter(({ stamp }) => this.#told.has(stamp.hash));
    if (known.length === 0) return "nothing";
    const some = Array.from({ length: 1 + this.#random.integer(4) }, () =>
      this.#random.pick(known),
    );
    this.market.apply(historyBlock(this.#head.stamp, some));
    return `${some.length} blocks`;
  }

  /** Restarts from the latest or an earlier save, and publishes the rest once more. */
  #restart(): string {
    const { bytes, told, prices } = this.#saved();
    this.#prices = new Map(prices);
    const isOnChain = new Set(this.#chain.map(({ stamp }) => stamp.hash));
    const orphaned = [...told].filter((hash) => !isOnChain.has(hash)).toReversed();
    const lost = this.#untoldIn(told);
    const missing = this.#ofLastDay().filter((block) => lost.includes(block));
    this.#told = new Set([...told].filter((hash) => isOnChain.has(hash)));
    const opening = openingBlock(this.#head);
    this.market.start(
      this.#hasEntered ? { ...opening, ...withEntering(opening, this.#head) } : opening,
      bytes,
    );
    if (orphaned.length > 0) this.market.apply({ ...historyBlock(this.#head.stamp, []), orphaned });
    this.#tellLate(missing.toReversed());
    return `${missing.length} missing, ${orphaned.length} orphaned`;
  }

  #saved(): Save {
    const bytes = this.market.data.save();
    const now = { bytes, told: new Set(this.#told), prices: new Map(this.#prices) };
    this.#saves.push(now);
    return this.#random.integer(2) === 0 ? now : this.#random.pick(this.#saves.slice(-3));
  }

  /** Blocks that this market received after the save. */
  #untoldIn(told: ReadonlySet<Hex>): ReadonlyArray<GeneratedBlock> {
    return this.#chain.filter(({ stamp }) => this.#told.has(stamp.hash) && !told.has(stamp.hash));
  }

  #enter(): string {
    const isNew = !this.#hasEntered;
    this.#hasEntered = true;
    return isNew ? "with the next block" : "already";
  }

  /** The parent's hash, by block hash. */
  get #parents(): ReadonlyMap<Hex, Hex> {
    return this.#maker.parents;
  }
}

function withEntering(opening: ReturnType<typeof openingBlock>, head: GeneratedBlock) {
  const { pools, states } = toldBlock(head, ENTERING);
  return { pools: [...opening.pools, ...pools], states };
}
