import type { Address, BlockStamp } from "@millrace/core";
import type { HistoryBlock, HistoryChange, HistorySwap } from "@millrace/history";
import type { RandomSource } from "@millrace/testing";

interface StoryPool {
  readonly address: Address;
  readonly tokens: ReadonlyArray<Address>;
}

const FIRST_BLOCK = 3_000;
const FIRST_MS = 1_700_000_000_000;
/** Deeper than what a store keeps apart from its indexes. */
const DEEPEST = 90;

/** The clock of a later block may be behind by so much. */
const BACKWARDS_MS = 30_000;
const AMOUNT_MAX = 2n ** 256n - 1n;

/**
 * What befalls the history of a small market: blocks that come, are taken back and come again; the
 * past, in parts, newest first; blocks that are said twice, or replaced before they are taken back;
 * states; days that are forgotten. Some pools have the address of a token, or a maker.
 */
export class HistoryStory {
  readonly tokens: ReadonlyArray<Address>;
  readonly pools: ReadonlyArray<StoryPool>;
  readonly makers: ReadonlyArray<Address>;
  readonly #random: RandomSource;
  readonly #isEmbedded: boolean;
  readonly #secondsOfBlock: number;
  /** Of the chain as it is; index: number less the first one's. */
  readonly #chain: HistoryBlock[] = [];
  #pastFrom = FIRST_BLOCK;

  /** Not all stores forget by days, or know log indexes that are equal. */
  constructor(random: RandomSource, isEmbedded = false) {
    this.#random = random;
    this.#isEmbedded = isEmbedded;
    this.#secondsOfBlock = random.pick([1, 2, 12, 60, 900]);
    this.tokens = Array.from({ length: 6 }, () => random.hex(20));
    this.makers = Array.from({ length: 4 }, () => random.hex(20));
    this.pools = Array.from({ length: 8 }, () => ({
      address: random.chance(0.2) ? random.pick([...this.tokens, ...this.makers]) : random.hex(20),
      tokens: random.shuffled(this.tokens).slice(0, random.chance(0.2) ? 4 : 2),
    }));
  }

  /** All that may be asked about. */
  get addresses(): ReadonlyArray<Address> {
    return [...this.tokens, ...this.makers, ...this.pools.map(({ address }) => address)];
  }

  get blocks(): ReadonlyArray<HistoryBlock> {
    return this.#chain;
  }

  /** The next changes, as somebody who follows the chain would have them written. */
  next(): HistoryChange[] {
    const kind = this.#random.next();
    if (kind < 0.12 && this.#chain.length > 0) return this.#reorganisation();
    if (kind < 0.25 && this.#pastFrom > 400) return this.#past();
    if (kind < 0.3 && this.#chain.length > 0) return this.#again();
    if (kind < 0.33) return this.#stray();
    if (kind < 0.37 && this.#chain.length > 0) return [this.#state()];
    if (kind < 0.38 && this.#chain.length > 0) {
      const hashes = this.#chain.slice(-this.#random.between(1, 40)).map(({ stamp }) => stamp.hash);
      return [{ kind: "revertStates", hashes }];
    }
    if (this.#isEmbedded && kind < 0.43 && this.#chain.length > 0) return this.#replaced();
    if (this.#isEmbedded && kind < 0.46 && this.#chain.length > 0) {
      return [{ kind: "forget", beforeMs: this.#random.pick(this.#chain).stamp.timestampMs }];
    }
    const count = this.#random.pick([1, 1, 3, 40]);
    return Array.from({ length: count }, () => this.follow()).flat();
  }

  /** One block more. */
  follow(): HistoryChange[] {
    const block = this.#block(FIRST_BLOCK + this.#chain.length);
    this.#chain.push(block);
    const changes = this.#said(block);
    return this.#random.chance(0.1) ? changes.reverse() : changes;
  }

  #said(block: HistoryBlock): HistoryChange[] {
    const isSaid = block.swaps.length > 0 || this.#random.chance(0.2);
    return [...(isSaid ? [kept(block)] : []), covered([block])];
  }

  /** Another block in the place of one that nobody took back. */
  #replaced(): HistoryChange[] {
    const at = this.#random.integer(this.#chain.length);
    const block = this.#block(FIRST_BLOCK + at);
    this.#chain[at] = block;
    return this.#said(block);
  }

  #state(): HistoryChange {
    const { stamp } = this.#random.pick(this.#chain);
    const kind = this.#random.pick(["checkpoint", "delta", "delta"] as const);
    const bytes = new Uint8Array(Buffer.from(this.#random.hex(32).slice(2), "hex"));
    return { kind: "state", state: { stamp, kind, bytes } };
  }

  #reorganisation(): HistoryChange[] {
    const depth = this.#random.chance(0.1) ? DEEPEST : this.#random.between(1, 4);
    const reverted = this.#chain.splice(Math.max(0, this.#chain.length - depth)).reverse();
    const hashes = reverted.map(({ stamp }) => stamp.hash);
    const number = FIRST_BLOCK + this.#chain.length - 1;
    const blocks = reverted.flatMap(() => this.follow());
    const isByNumber = this.#random.chance(0.3);
    return [isByNumber ? { kind: "revertAbove", number } : { kind: "revert", hashes }, ...blocks];
  }

  #past(): HistoryChange[] {
    const toBlock = this.#pastFrom - 1;
    this.#pastFrom -= this.#random.between(1, 200);
    const blocks: HistoryBlock[] = [];
    for (let number = toBlock; number >= this.#pastFrom; number--) blocks.push(this.#block(number));
    const isWithSwaps = ({ swaps }: HistoryBlock) => swaps.length > 0;
    return [...blocks.filter(isWithSwaps).map(kept), covered(blocks.reverse())];
  }

  /** A block that was written before; twice in one go, some of the time. */
  #again(): HistoryChange[] {
    const block = this.#random.pick(this.#chain);
    if (block.swaps.length === 0) return [covered([block])];
    return [kept(block), kept(block), covered([block])];
  }

  /** Blocks that nobody said are all there is, which are forgotten with the next change. */
  #stray(): HistoryChange[] {
    const blocks = Array.from({ length: 3 }, (_, at) => this.#block(100 + at));
    const isWithSwaps = ({ swaps }: HistoryBlock) => swaps.length > 0;
    return [...blocks.filter(isWithSwaps).map(kept), { kind: "forgetUncovered" }];
  }

  #block(number: number): HistoryBlock {
    const random = this.#random;
    const seconds = (number - FIRST_BLOCK) * this.#secondsOfBlock;
    const behindMs = this.#isEmbedded && random.chance(0.1) ? random.integer(BACKWARDS_MS) : 0;
    const timestampMs = FIRST_MS + 1_000 * seconds - behindMs;
    const stamp = { number, hash: random.hex(32), timestampMs };
    const swaps: HistorySwap[] = [];
    const count = random.pick([0, 1, 2, 3, 8]);
    let logIndex = 0;
    let transactionHash = random.hex(32);
    for (let at = 0; at < count; at++) {
      const pool = random.pick(this.pools);
      const [tokenIn, tokenOut] = random.shuffled(pool.tokens) as [Address, Address];
      if (random.chance(0.6)) transactionHash = random.hex(32);
      logIndex += random.between(this.#isEmbedded ? 0 : 1, 300);
      swaps.push({
        pool: pool.address,
        tokenIn,
        tokenOut,
        amountIn: random.chance(0.02) ? AMOUNT_MAX : random.amount(256),
        amountOut: random.chance(0.05) ? 0n : random.amount(112),
        priceAfter: random.chance(0.1) ? 0 : 2 ** (20 * random.next() - 10),
        // Ten million dollars at most, so that the sum of no candle is more than a file keeps.
        value: random.chance(0.1) ? 0 : random.integer(1e11),
        transactionHash,
        maker: random.chance(0.8) ? random.pick(this.makers) : undefined,
        logIndex,
      });
    }
    const traded = new Set(swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
    const prices = [...traded]
      .filter(() => random.chance(0.9))
      .map((token) => [token, 2 ** (10 * random.next())] as const);
    return { stamp, swaps, prices: new Map(prices) };
  }
}

const kept = (block: HistoryBlock): HistoryChange => ({ kind: "block", block });

function covered(blocks: ReadonlyArray<HistoryBlock>): HistoryChange {
  const stamps: ReadonlyArray<BlockStamp> = blocks.map(({ stamp }) => stamp);
  const [first, last] = [stamps[0]!, stamps.at(-1)!];
  return {
    kind: "covered",
    range: {
      fromBlock: first.number,
      toBlock: last.number,
      fromMs: first.timestampMs,
      blocks: stamps.map(({ number, hash }) => ({ number, hash })),
    },
  };
}
