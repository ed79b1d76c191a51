import type { Address, MarketBlock, PoolListing } from "@millrace/core";
import type { ChainLog, Hex } from "@millrace/protocols";
import { encodeReserves, protocols } from "@millrace/protocols";
import { beforeEach, describe, expect, it } from "vitest";
import { Admissions } from "../../src/follow/Admissions.ts";
import type { BlockContent } from "../../src/follow/BlockContent.ts";
import { Dexes } from "../../src/follow/Dexes.ts";
import type { Header } from "../../src/follow/Header.ts";
import { Mirror } from "../../src/follow/Mirror.ts";
import { Refusals } from "../../src/follow/Refusals.ts";
import type { CreatedPool } from "../../src/reading/creations.ts";

/** First topic of `Sync(uint112,uint112)`. */
const SYNC: Hex = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";
/** `Swap(address,uint256,uint256,uint256,uint256,address)`. */
const SWAP: Hex = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822";
const POOL = address(0xaa);
const LATE = address(0xbb);
const TOKENS = [address(1), address(2), address(3)].map((token) => ({
  address: token,
  decimals: 18,
  symbol: "T",
  name: "Token",
}));

const NO_PAST = { keptTo: -1, checkpoints: [] };

let mirror: Mirror;
let admissions: Admissions;

const DEX = {
  id: "TEST_V2",
  name: "Test V2",
  protocol: "constant-product",
  factory: address(0xfa),
  feePips: 3_000,
  startBlock: 0,
};
const DEXES = new Dexes([DEX], protocols);

beforeEach(() => {
  admissions = new Admissions(1_000, [POOL]);
  mirror = new Mirror({ dexes: DEXES, admissions, journalDepth: 3 });
  mirror.reset(
    {
      header: header(100),
      discovered: [{ listing: listing(POOL), createdBlock: 1 }],
      refusals: new Refusals(),
      tokens: TOKENS,
      states: [{ pool: POOL, state: encodeReserves([1_000n, 1_000n]) }],
    },
    NO_PAST,
  );
});

describe("a mirror", () => {
  it("publishes only what a block changed", () => {
    const block = mirror.commit(content(101, [sync(POOL, 900n, 1_200n)]));
    expect(changes(block)).toEqual({ [POOL]: [900n, 1_200n] });
    expect(changes(mirror.commit(content(102)))).toEqual({});
    expect(block.pools).toEqual([]);
  });

  it("publishes with the next block what a reorganisation gave back, and what went", () => {
    mirror.commit(content(101, [sync(POOL, 900n, 1_200n)]));
    mirror.commit(content(102, [sync(POOL, 800n, 1_300n)]));
    mirror.rewind(hash(100));
    const block = mirror.commit(content(101, [], "b"));
    expect(changes(block)).toEqual({ [POOL]: [1_000n, 1_000n] });
    expect(block.orphaned).toEqual([hash(102), hash(101)]);
    expect(block.stamp.hash).toBe(hash(101, "b"));
  });

  it("publishes nothing of a pool that the other branch leaves as it was published last", () => {
    mirror.commit(content(101, [sync(POOL, 900n, 1_200n)]));
    mirror.rewind(hash(100));
    expect(changes(mirror.commit(content(101, [], "b")))).toEqual({ [POOL]: [1_000n, 1_000n] });
    mirror.rewind(hash(100));
    expect(changes(mirror.commit(content(101, [], "c")))).toEqual({});
  });

  it("takes a pool away that only the lost branch had created", () => {
    const creations = [created(listing(address(0xcc)))];
    const block = mirror.commit({ ...content(101), creations });
    expect(block.pools).toEqual([]); // too shallow to be loaded unseen
    expect(mirror.discovered.has(address(0xcc))).toBe(true);
    mirror.rewind(hash(100));
    expect(mirror.discovered.has(address(0xcc))).toBe(false);
  });

  it("brings a pool that was read late to the head by the logs since", () => {
    discoverLate();
    mirror.commit(content(102, [sync(LATE, 50n, 60n)]));
    const block = mirror.load(hash(101), readOf(late(10n, 20n)));
    expect(block?.pools.map((pool) => pool.address)).toEqual([LATE]);
    expect(changes(block)).toEqual({ [LATE]: [50n, 60n] });
  });

  it("goes back to what a late pool was at the block that it was read at, and no further", () => {
    discoverLate();
    mirror.commit(content(102, [sync(LATE, 50n, 60n)]));
    mirror.load(hash(101), readOf(late(10n, 20n)));
    mirror.rewind(hash(101));
    expect(changes(mirror.commit(content(102, [], "b")))).toEqual({ [LATE]: [10n, 20n] });
    mirror.rewind(hash(100));
    const block = mirror.commit({ ...content(101, [], "b"), creations: [created(listing(LATE))] });
    expect(block.removedPools).toEqual([LATE]);
  });

  it("loads nothing that was read at a block that is gone", () => {
    discoverLate();
    mirror.rewind(hash(100));
    mirror.commit({ ...content(101, [], "b"), creations: [created(listing(LATE))] });
    expect(mirror.load(hash(101), readOf(late(10n, 20n)))).toBeUndefined();
    expect(mirror.pools.has(LATE)).toBe(false);
  });

  it("leaves a pool out at once when a log of it is impossible, and what it was before too", () => {
    mirror.commit(content(101, [sync(POOL, 900n, 1_200n)]));
    const broken = { ...sync(POOL, 1n, 1n), data: "0x00" as Hex };
    expect(mirror.commit(content(102, [broken])).removedPools).toEqual([POOL]);
    expect(admissions.next(9)).toEqual([POOL]);
    mirror.rewind(hash(100));
    mirror.commit(content(101, [], "b"));
    expect(mirror.pools.has(POOL)).toBe(false);
    expect(mirror.loaded.driftCount).toBe(1);
  });

  it("publishes the swaps of every discovered pool in the order of the chain, of a late one once", () => {
    discoverLate();
    const logs = [
      ...traded(LATE, [100n, 400n], [5n, 20n], 0),
      ...traded(POOL, [1_000n, 2_000n], [10n, 20n], 2),
      ...traded(address(0xdd), [1n, 1n], [1n, 1n], 4),
      ...traded(LATE, [200n, 200n], [6n, 6n], 6),
    ];
    const block = mirror.commit(content(102, logs));
    expect(block.swaps.map(({ pool, logIndex, amountIn }) => [pool, logIndex, amountIn])).toEqual([
      [LATE, 1, 5n],
      [POOL, 3, 10n],
      [LATE, 7, 6n],
    ]);
    expect(block.swaps.map(({ priceAfter }) => priceAfter)).toEqual([4, 2, 1]);
    expect(mirror.load(hash(101), readOf(late(10n, 20n)))?.swaps).toEqual([]);
    expect(mirror.pools.has(LATE)).toBe(true);
  });

  it("publishes what was swapped in a pool that the log contradicts, as in one that is loaded", () => {
    const wide = { ...sync(POOL, 1n, 1n), data: `0x${"f".repeat(128)}` as Hex };
    const block = mirror.commit(
      content(101, [wide, ...traded(POOL, [1_000n, 2_000n], [10n, 20n], 1)]),
    );
    expect(block.removedPools).toEqual([POOL]);
    expect(block.swaps).toMatchObject([{ pool: POOL, amountOut: 20n, priceAfter: 2 }]);
  });

  it("publishes the past with the stamp of its head, once", () => {
    mirror.commit(content(101));
    const { number, hash: headHash, timestampMs } = header(101);
    const blocks = [100, 99].map((past) => ({
      stamp: { number: past, hash: hash(past), timestampMs: past * 1_000 },
      swaps: [],
    }));
    const range = { fromBlock: 98, toBlock: 100, fromMs: 98_000, parentHash: hash(97) };
    const [message, more] = mirror.publishPast({ range, blocks, logCount: 0 });
    expect(more).toBeUndefined();
    expect(message).toMatchObject({
      stamp: { number, hash: headHash, timestampMs },
      history: blocks,
      swaps: [],
      states: [],
    });
    expect(mirror.published.rangeTo(mirror.head!)?.fromMs).toBe(98_000);
    // The market is read anew below it: the past is reverted too, newest first.
    const anew = mirror.reset(
      { header: header(99, "b"), discovered: [], refusals: new Refusals(), tokens: [], states: [] },
      { keptTo: 98, checkpoints: [] },
    );
    expect(anew.orphaned).toEqual([hash(101), hash(100), hash(99)]);
    expect(mirror.published.gapBelow(mirror.head!, 0)).toEqual({
      fromBlock: 99,
      to: { number: 99, hash: hash(99, "b") },
    });
  });

  it("reverts what its reader knew of the past from an earlier life", () => {
    const anew = new Mirror({ dexes: DEXES, admissions, journalDepth: 3 });
    const range = { fromBlock: 90, toBlock: 99, fromMs: 90_000, parentHash: hash(89) };
    const blocks = [91, 95, 99].map((number) => ({ number, hash: hash(number) }));
    const market = {
      header: header(100),
      discovered: [],
      refusals: new Refusals(),
      tokens: [],
      states: [],
    };
    expect(anew.reset(market, { ...NO_PAST, known: [{ range, blocks }] }).orphaned).toEqual([]);
    expect(anew.published.gapBelow(anew.head!, 90)).toEqual({
      fromBlock: 100,
      to: { number: 100, hash: hash(100) },
    });
    const other = { ...market, header: header(100, "b") };
    const message = anew.reset(other, { keptTo: 91, checkpoints: [] });
    expect(message.orphaned).toEqual([hash(100), hash(99), hash(95)]);
    expect(anew.published.gapBelow(anew.head!, 90)?.fromBlock).toBe(92);
  });

  it("can go back as many blocks as its journal is deep, and not one more", () => {
    for (const number of [101, 102, 103, 104]) mirror.commit(content(number));
    expect(mirror.journal.indexOf(hash(101))).toBe(-1);
    expect(mirror.journal.indexOf(hash(100))).toBeUndefined();
  });

  it("lists a pool again that the other branch creates at the same address with other contents", () => {
    const creation = (feePips: number) => [created({ ...listing(POOL), feePips })];
    const atOnce = new Admissions(0, []);
    const chain = new Mirror({ dexes: DEXES, admissions: atOnce, journalDepth: 3 });
    chain.reset(
      { header: header(100), discovered: [], refusals: new Refusals(), tokens: TOKENS, states: [] },
      NO_PAST,
    );
    chain.commit({ ...content(101), creations: creation(3_000) });
    chain.rewind(hash(100));
    const block = chain.commit({ ...content(101, [], "b"), creations: creation(500) });
    expect(block.removedPools).toEqual([POOL]);
    expect(block.pools.map(({ feePips }) => feePips)).toEqual([500]);
    expect(changes(block)).toEqual({ [POOL]: [0n, 0n] });
  });

  it("brings no pool along blocks whose logs it had and has lost since", () => {
    discoverLate();
    mirror.load(hash(101), readOf(late(10n, 20n)));
    mirror.commit(content(102, [sync(LATE, 50n, 60n)]));
    expect(mirror.unload(LATE).removedPools).toEqual([LATE]);
    mirror.commit(content(103, [sync(LATE, 70n, 80n)]));
    expect(changes(mirror.load(hash(101), readOf(late(10n, 20n))))).toEqual({});
    expect(admissions.next(9)).toEqual([LATE]);
    expect(changes(mirror.load(hash(102), readOf(late(50n, 60n))))).toEqual({ [LATE]: [70n, 80n] });
  });

  it("refuses a block that does not follow its head", () => {
    expect(() => mirror.commit(content(103))).toThrow(/does not follow/);
  });

  it("passes over pools whose tokens cannot be used", () => {
    mirror.reset(
      {
        header: header(100),
        discovered: [{ listing: listing(POOL), createdBlock: 1 }],
        refusals: new Refusals(),
        tokens: [TOKENS[0]!, { address: TOKENS[1]!.address, problem: "it tells no decimals" }],
        states: [{ pool: POOL, state: encodeReserves([1n, 1n]) }],
      },
      NO_PAST,
    );
    expect(mirror.pools.size).toBe(0);
  });
});

/** Block 101 creates a pool that is not loaded. */
function discoverLate(): void {
  mirror.commit({ ...content(101), creations: [created(listing(LATE))] });
}

const late = (reserve0: bigint, reserve1: bigint) => ({
  pool: LATE,
  state: encodeReserves([reserve0, reserve1]),
});

const readOf = (...states: ReadonlyArray<ReturnType<typeof late>>) => ({
  ...{ tokens: [], states, refused: new Map() },
});

/** The reserves that a block sets, by pool. */
function changes(block: MarketBlock | undefined): Record<string, bigint[]> {
  return Object.fromEntries(
    (block?.states ?? []).map(({ pool, state: { words } }) => [pool, [words[0]!, words[2]!]]),
  );
}

function content(number: number, logs: ReadonlyArray<ChainLog> = [], branch = "a"): BlockContent {
  const told = { creations: [], refused: [], tokens: [] };
  const readings = { states: new Map(), answers: new Map() };
  return { header: header(number, branch), logs, ...told, readings };
}

function header(number: number, branch = "a"): Header {
  const parentHash = number === 101 ? hash(100) : hash(number - 1, number === 102 ? "a" : branch);
  return {
    number,
    hash: hash(number, branch),
    parentHash,
    timestampMs: number * 1_000,
    logsBloom: "0x",
    receiptsRoot: undefined,
  };
}

function sync(pool: Address, reserve0: bigint, reserve1: bigint): ChainLog {
  const data: Hex = `0x${word(reserve0)}${word(reserve1)}`;
  return { address: pool, topics: [SYNC], data, transactionHash: hash(7), logIndex: 0 };
}

/** A pair's logs of a swap of token0 for token1, from a log index on. */
function traded(
  pool: Address,
  [reserve0, reserve1]: readonly [bigint, bigint],
  [amountIn, amountOut]: readonly [bigint, bigint],
  logIndex: number,
): ChainLog[] {
  const data: Hex = `0x${[amountIn, 0n, 0n, amountOut].map(word).join("")}`;
  const trader: Hex = `0x${word(7n)}`;
  const swap = { address: pool, topics: [SWAP, trader, trader], data, transactionHash: hash(7) };
  return [
    { ...sync(pool, reserve0, reserve1), logIndex },
    { ...swap, logIndex: logIndex + 1 },
  ];
}

function listing(pool: Address): PoolListing {
  const tokens = TOKENS.slice(0, 2).map((token) => token.address);
  return { address: pool, dexId: "TEST_V2", tokens, feePips: 3_000, parameter: 0 };
}

function created(pool: PoolListing): CreatedPool {
  return { listing: pool, created: encodeReserves([0n, 0n]), block: 101, logIndex: 0 };
}

function hash(number: number, branch = "a"): Hex {
  return `0x${branch}${number.toString(16).padStart(63, "0")}`;
}

function address(byte: number): Address {
  return `0x${byte.toString(16).padStart(40, "0")}`;
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}
