import { type Address, FEE_IN_STATE, NO_HASH, openMarket, type PoolListing } from "@millrace/core";
import { type Asking, type ChainLog, curves } from "@millrace/protocols";
import { TestProcess } from "@millrace/testing";
import { describeCurve, type FamilyUnderTest, positions } from "@millrace/testing/conformance";
import fc from "fast-check";
import {
  encodeAbiParameters,
  type Hex,
  parseAbiParameters,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { describe, expect, it } from "vitest";
import { dodo } from "../src/families/dodo/index.ts";
import { dodoTarget } from "../src/families/dodo/math.ts";
import { dodoState } from "../src/families/dodo/pool.ts";
import { type VendingMachine, vended } from "./families/vendingMachine.ts";

// The family of docs/adding-a-family.md, held against what every family is held against.

const [curve] = dodo.curves;
const E18 = 10n ** 18n;
const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const TOKENS = [address("a"), address("b")] as const;
const FACTORY = address("f");

const width = (bits: number) =>
  fc.integer({ min: 0, max: bits }).chain((most) => fc.bigInt(0n, 1n << BigInt(most)));
const rate = fc.constantFrom(0n, 1n, E18 / 1_000n, E18 / 333n, E18 / 3n);
/** Of reserves that have met: quote is what was sold to the pool, about its price. */
const machine: fc.Arbitrary<VendingMachine> = fc
  .record({
    base: width(100),
    share: fc.constantFrom(0n, 1n, 1_000n, 300_000n, 2_000_000n),
    k: fc.oneof(
      fc.constantFrom(10n ** 12n, 10n ** 14n, E18 / 10n),
      fc.bigInt(10n ** 12n, E18 - 10n ** 12n),
    ),
    i: fc.integer({ min: 0, max: 30 }).map((digits) => 3n * 10n ** BigInt(digits)),
    ...{ lpRate: rate, mtRate: rate, dust: fc.bigInt(0n, 10n ** 6n) },
  })
  .map(({ base, share, i, dust, ...rest }) => {
    const quote = (base * i * share) / E18 / 1_000_000n + dust;
    const fits = quote >> 112n === 0n ? quote : dust;
    return { ...rest, base, i, quote: fits, address: address("c") };
  });

function listingOf({ address: pool, i, k }: VendingMachine): PoolListing {
  const constants = BigUint64Array.of(i & (2n ** 64n - 1n), i >> 64n, k);
  return {
    ...{ address: pool, dexId: "DODO", tokens: TOKENS, feePips: FEE_IN_STATE },
    ...{ parameter: 0, constants },
  };
}

function openMachine(pool: VendingMachine) {
  const open = openMarket(1, [...curves, ...dodo.curves]);
  const { rejected } = open.writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [{ id: "DODO", name: "DODO", protocol: dodo.name, factory: FACTORY }],
    tokens: TOKENS.map((token) => ({ address: token, decimals: 18, symbol: "", name: "" })),
    pools: [listingOf(pool)],
    removedPools: [],
    states: [{ pool: pool.address, state: dodoState(pool) }],
    ...{ swaps: [], supplies: [] },
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  const index = open.graph.findPool(pool.address)!;
  return { open, index, family: open.families[open.graph.poolCurve[index]!]! };
}

const sound: VendingMachine = {
  ...{ address: address("c"), base: 900n * E18, quote: 320_000n * 10n ** 6n },
  ...{ i: 3n * 10n ** 9n, k: E18 / 10n, lpRate: E18 / 1_000n, mtRate: 0n },
};

const family: FamilyUnderTest<VendingMachine> = {
  pool: machine,
  open: openMachine,
  shapeOf: (pool) => ({ decimals: [18, 18], constants: new BigUint64Array(0), ...listingOf(pool) }),
  stateOf: dodoState,
  after: vended,
  limitsOf: (pool, sellsBase) => {
    const room = dodoTarget(pool) - pool.base - 1n;
    const most = (1n << 112n) - 1n - (sellsBase ? pool.base : pool.quote);
    const taken = sellsBase && room < most ? room : most;
    return [taken, (taken > 0n && vended(pool, sellsBase, "exactIn", taken)?.amountOut) || 0n];
  },
  slack: () => undefined,
  cheap: (pool) => ({ ...pool, lpRate: E18 / 1_000n, mtRate: 0n }),
  impossible: [
    ["a constant price", { ...sound, k: 0n }],
    ["no price", { ...sound, i: 0n }],
    ["a fee of all", { ...sound, mtRate: E18 }],
    ["a reserve of more than 112 bits", { ...sound, base: 1n << 112n }],
  ],
  isSmooth: true,
  /** The contract's price is rounded to 18 decimals before it is multiplied with the amount. */
  unevenness: ({ i }, sellsBase) => (sellsBase ? 2 + Number(i) * 2 ** 112 * 1e-36 : 0),
};

/** The log of an event without indexed words. */
const log = (event: string, values: ReadonlyArray<unknown>): ChainLog => ({
  address: event.startsWith("NewDVM") ? FACTORY : sound.address,
  topics: [toEventSelector(event)],
  data: encodeAbiParameters(parseAbiParameters(event.slice(event.indexOf("(") + 1, -1)), values),
  transactionHash: NO_HASH,
  logIndex: 0,
});

/** What the pool's contract answers, with a maintainer's rate and a side of its own choosing. */
function answer(pool: VendingMachine, data: Hex, side = 1n): Hex {
  const words = data.startsWith(toFunctionSelector("getPMMStateForCall()"))
    ? [pool.i, pool.k, pool.base, pool.quote, pool.k > 0n ? dodoTarget(pool) : 0n, 0n, side]
    : [pool.lpRate, pool.mtRate];
  return `0x${words.map((word) => word.toString(16).padStart(64, "0")).join("")}`;
}

function asked<A>(asking: Asking<A>, pool: VendingMachine, side?: bigint): A {
  let step = asking.next();
  while (!step.done) step = asking.next(step.value.map(({ data }) => answer(pool, data, side)));
  return step.value;
}

describe("a family that the page adds", () => {
  describeCurve(curve!, family);

  it("take the root of 2 that the contract takes, and give nothing for a unit", () => {
    const pool: VendingMachine = {
      ...{ ...sound, base: 2n, quote: 606n, lpRate: 1n, mtRate: 1n },
      ...{ i: 3n * 10n ** 23n, k: 841_728_752_740_419_620n },
    };
    const { family: quotes, index } = openMachine(pool);
    expect(vended(pool, false, "exactIn", 1n)?.amountOut).toBe(0n);
    expect(quotes.quoteExactIn(index, ...positions(false), 1n)).toBe(0n);
  });

  const dex = { id: "DODO", name: "DODO", protocol: dodo.name, factory: FACTORY, startBlock: 0 };
  const followed = dodo.chain.open(dex);
  const created = (base: Hex, quote: Hex) =>
    log("NewDVM(address,address,address,address)", [base, quote, FACTORY, sound.address]);
  const resolved = (pool: VendingMachine) => {
    const creation = followed.decodeCreation(created(...TOKENS));
    if (creation === undefined || !("resolve" in creation)) throw new Error("not resolved");
    return asked(creation.resolve(), pool);
  };

  it("finds its pools by the factory's log, and their price by asking them", () => {
    expect(resolved(sound)).toEqual({ listing: listingOf(sound), created: undefined });
    expect(resolved({ ...sound, k: 0n })).toEqual({ refused: "a price without a curve" });
    const creation = created(...TOKENS);
    for (const other of [
      { ...creation, address: sound.address },
      { ...creation, topics: [NO_HASH] },
      { ...creation, data: creation.data.slice(0, -2) as Hex },
      created(TOKENS[0], TOKENS[0]),
    ])
      expect(followed.decodeCreation(other)).toBeUndefined();
  });

  it("is read again after each log, and left out where the answers are another pool's", () => {
    const listing = listingOf(sound);
    const swapped = log("DODOSwap(address,address,uint256,uint256,address,address)", [
      ...[TOKENS[1], TOKENS[0], 3_000n, 1n],
      ...[FACTORY, FACTORY],
    ]);
    expect(followed.poolTopics).toContain(swapped.topics[0]);
    expect(followed.readsAgain?.(swapped)).toBe(true);
    expect(followed.decodeSwap(listing, swapped, undefined)).toMatchObject({
      ...{ positionIn: 1, positionOut: 0, amountIn: 3_000n, amountOut: 1n },
    });
    expect(asked(followed.read(listing), sound)).toEqual(dodoState(sound));
    for (const other of [
      { ...sound, i: 1n },
      { ...sound, k: E18 / 3n },
      { ...sound, lpRate: E18 },
    ])
      expect(asked(followed.read(listing), other)).toBeUndefined();
    expect(asked(followed.read(listing), sound, 2n)).toBeUndefined();
    const depths = followed.virtualReserves(
      listing,
      followed.shallowRead(listing).map(({ data }) => answer(sound, data)),
    )!;
    const { family: quotes, index } = openMachine(sound);
    const price = quotes.midPrice(index, 0, 1);
    expect(Number(depths[1]) / Number(depths[0]) / price).toBeCloseTo(1);
  });

  it("gives routes through its pools, as the page's program does", async () => {
    const program = new TestProcess(new URL("../src/addedFamily.ts", import.meta.url));
    const [, amountOut] = await program.line(/amountOut: (\d+)n/);
    const sold = vended(sound, true, "exactIn", E18)!.amountOut;
    const after = (sold * 997n * 10n ** 24n) / (10n ** 12n * 1_000n + sold * 997n);
    expect(BigInt(amountOut!)).toBe(after);
  });
});
