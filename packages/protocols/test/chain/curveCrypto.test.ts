import { openMarket, type PoolListing, REFUSED } from "@millrace/core";
import { curves, type Hex, IMPOSSIBLE } from "@millrace/protocols";
import { law, RandomSource } from "@millrace/testing";
import {
  type CryptoKind,
  cryptoShape,
  cryptoStateOf,
  drawCrypto,
  type PlainCrypto,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { brokenShapes, hexOf } from "./chainFixture.ts";
import {
  askCrypto,
  CRYPTO_POOL,
  CRYPTO_TOKENS,
  cryptoCreation,
  cryptoListing,
  curveCrypto,
  NaiveCrypto,
} from "./NaiveCrypto.ts";

const KINDS: ReadonlyArray<CryptoKind> = ["triNG", "two20", "two21", "two21b"];

function modelOf(kind: CryptoKind, seed = 1): NaiveCrypto {
  const pool = drawCrypto(new RandomSource(seed), kind);
  // Not ramping: that is the model's to say.
  return new NaiveCrypto({ ...pool, virtualPrice: pool.virtualPrice || 10n ** 18n });
}

const readOf = (model: NaiveCrypto, listing: PoolListing = cryptoListing(model)) =>
  askCrypto(curveCrypto.read(listing), model.answer);

describe.each(KINDS)("a pool of Curve's crypto contract %s", (kind) => {
  it("is listed as its factory's log and the pool itself tell", () => {
    const model = modelOf(kind);
    const { constants, parameter, feePips } = cryptoShape(model.pool);
    expect(cryptoCreation(model)).toEqual({
      created: undefined,
      listing: {
        ...{ address: CRYPTO_POOL, dexId: "CURVE_CRYPTO", curve: "crypto-swap" },
        ...{ tokens: CRYPTO_TOKENS.slice(0, model.pool.balances.length) },
        ...{ feePips, parameter, constants },
      },
    });
    // The pool stands in the log before its name, whatever that is.
    expect(curveCrypto.decodeCreation(model.created("")) !== undefined).toBe(true);
  });

  it("is read as it is", () => {
    for (const [, random] of law(`crypto pools of ${kind} read`, 40).sources()) {
      const model = modelOf(kind, random.integer(2 ** 31));
      const state = readOf(model);
      if (state === undefined || "refused" in state) throw new Error(JSON.stringify(state));
      expect([...state.words]).toEqual([...cryptoStateOf(model.pool).words]);
      const after = curveCrypto.eachBlock!.apply(
        cryptoListing(model),
        state,
        curveCrypto.eachBlock!.calls(cryptoListing(model)).map(model.answer),
      );
      expect(after).toBe(state);
    }
  });

  it("has during a ramp the D of A and gamma of now, and none to keep of its virtual price", () => {
    const model = modelOf(kind);
    const listing = cryptoListing(model);
    const before = model.pool;
    const eachBlock = curveCrypto.eachBlock!;
    let state = readOf(model, listing);
    const wordsOf = (pool: PlainCrypto) => [...cryptoStateOf(pool).words];
    const ramped = (A: bigint, gamma: bigint) => {
      model.pool = { ...model.pool, A, gamma };
      if (state === undefined || "refused" in state) throw new Error(JSON.stringify(state));
      state = eachBlock.apply(listing, state, eachBlock.calls(listing).map(model.answer));
      if (state === undefined || "refused" in state) throw new Error(JSON.stringify(state));
      return [...state.words];
    };
    model.future = { A: before.A + 100n, gamma: before.gamma - 10n ** 6n };
    state = readOf(model, listing);
    expect(ramped(before.A + 7n, before.gamma - 5n)).toEqual(
      wordsOf({ ...model.pool, D: model.newD(), virtualPrice: 0n }),
    );
    expect(ramped(before.A + 50n, before.gamma - 5n)).toEqual(
      wordsOf({ ...model.pool, D: model.newD(), virtualPrice: 0n }),
    );
    // At the end the contract keeps the D of the last swap.
    model.pool = { ...model.pool, D: before.D + 1n };
    expect(ramped(model.future.A, model.future.gamma)).toEqual(wordsOf(model.pool));
    expect(readOf(model, listing)).toEqual(state);
  });

  it("tells of swaps by position", () => {
    const listing = cryptoListing(modelOf(kind));
    const model = modelOf(kind);
    const last = model.tokens.length - 1;
    expect(curveCrypto.decodeSwap(listing, model.swapped(last, 7n, 0, 5n), undefined)).toEqual({
      ...{ positionIn: last, positionOut: 0, amountIn: 7n, amountOut: 5n, priceAfter: 0 },
    });
    for (const log of [
      ...brokenShapes(model.swapped(0, 7n, 1, 5n)).filter(({ topics }) => topics.length === 2),
      model.swapped(0, 7n, 0, 5n),
      model.swapped(0, 7n, last + 1, 5n),
      model.swapped(0, 0n, 1, 5n),
      model.swapped(0, 7n, 1, 0n),
      model.created(),
    ]) {
      const told = curveCrypto.decodeSwap(listing, log, undefined);
      if (told !== undefined) expect(log.data.length).toBe(2 + 6 * 64);
      expect(told === undefined || log.topics[1]?.length !== 66).toBe(true);
    }
  });

  it("is read again after each of its logs", () => {
    const model = modelOf(kind);
    const log = model.swapped(0, 7n, 1, 5n);
    expect(curveCrypto.readsAgain!(log)).toBe(true);
    expect(curveCrypto.poolTopics).toContain(log.topics[0]);
    const state = readOf(model);
    if (state === undefined || "refused" in state) throw new Error("no state");
    expect(curveCrypto.applyLog(cryptoListing(model), state, log)).toBe(IMPOSSIBLE);
  });

  it("is asked for an output by the contract's own function", () => {
    const listing = cryptoListing(modelOf(kind));
    const { call, amountOut } = curveCrypto.quoteCall!(listing, 1, 0, 99n)!;
    expect(call).toEqual({ to: CRYPTO_POOL, data: `0x556d6e9f${hexOf(1, 0, 99).slice(2)}` });
    expect(amountOut(modelOf(kind).answer(call))).toBe(12_345n);
    expect(amountOut(undefined)).toBe(REFUSED);
    expect(amountOut("0x01")).toBeUndefined();
  });

  it("has a depth and a price by a glance that are those of the whole state", () => {
    for (const [, random] of law(`crypto pools of ${kind} at a glance`, 20).sources()) {
      const model = modelOf(kind, random.integer(2 ** 31));
      const listing = cryptoListing(model);
      const glance = curveCrypto.shallowRead(listing).map(model.answer);
      const virtual = curveCrypto.virtualReserves(listing, glance);
      const state = readOf(model, listing);
      if (state === undefined || "refused" in state) throw new Error("no state");
      const { open, index, family } = openListed(listing, model, state.words);
      expect(open.graph.livePoolCount).toBe(1);
      const price = family.midPrice(index, 0, 1);
      if (virtual === undefined) {
        expect(price).toBe(0);
        continue;
      }
      expect(virtual).toHaveLength(model.tokens.length);
      // Of few units each counts.
      if (virtual.some((amount) => amount < 10n ** 6n)) continue;
      expect(Number(virtual[1]) / Number(virtual[0]) / price).toBeCloseTo(1, 5);
    }
  });

  it("is refused where it answers what no such contract would, and passed over without answers", () => {
    const model = modelOf(kind);
    const listing = cryptoListing(model);
    const isSilent = (data: Hex) =>
      askCrypto(curveCrypto.read(listing), (call) =>
        call.data === data ? undefined : model.answer(call),
      );
    const calls = curveCrypto.read(listing).next().value as ReadonlyArray<{ readonly data: Hex }>;
    for (const { data } of calls) expect(isSilent(data)).toBeUndefined();
    const wide = (data: Hex) =>
      askCrypto(curveCrypto.read(listing), (call) =>
        call.data === data ? hexOf(2n ** 200n) : model.answer(call),
      );
    for (const { data } of calls.slice(0, -1)) {
      expect(wide(data)).toEqual({ refused: expect.stringMatching(/128 bits|cannot have/) });
    }
    const eachBlock = curveCrypto.eachBlock!;
    const state = readOf(model, listing);
    if (state === undefined || "refused" in state) throw new Error("no state");
    expect(eachBlock.apply(listing, state, [undefined, hexOf(1), hexOf(1)])).toBeUndefined();
    expect(eachBlock.apply(listing, state, [hexOf(2n ** 64n), hexOf(1), hexOf(1)])).toEqual({
      refused: "parameters that its contract cannot have",
    });
  });
});

describe("pools of Curve's crypto factories", () => {
  it("are refused, by reason, where they are of no known version", () => {
    const spoiled: ReadonlyArray<readonly [refused: string, spoil: (model: NaiveCrypto) => void]> =
      [
        ["an unknown version", (model) => (model.version = "v3.0.0")],
        ["an unknown version", (model) => (model.version = "")],
        ["an unknown version", (model) => (model.mathVersion = "v0.1.0")],
        ["a fee that no known version charges", (model) => (model.oddFee = 1n)],
        ["a fee that no known version charges", (model) => (model.hasDonations = true)],
        [
          "precisions that its factory does not give",
          (model) => (model.pool = { ...model.pool, precisions: [1n, 20n] }),
        ],
      ];
    for (const [refused, spoil] of spoiled) {
      const model = modelOf("two21");
      const fees = { midFee: 3_000_000n, outFee: 45_000_000n, feeGamma: 10n ** 16n };
      model.pool = { ...model.pool, ...fees };
      spoil(model);
      if (model.mathVersion === "v2.1.0") model.mathVersion = model.version;
      expect(cryptoCreation(model)).toEqual({ refused });
    }
  });

  it("are not believed of logs that no factory writes", () => {
    for (const kind of KINDS) {
      const log = modelOf(kind).created();
      const [, tokensAt] = kind === "triNG" ? [3, 4] : [2, 3];
      const withWord = (at: number, word: Hex) => {
        const start = 2 + at * 64;
        return `${log.data.slice(0, start)}${word.slice(2)}${log.data.slice(start + 64)}` as Hex;
      };
      for (const given of [
        { ...log, data: "0x" as Hex },
        { ...log, data: log.data.slice(0, 2 + 13 * 64) as Hex },
        { ...log, address: CRYPTO_POOL },
        { ...log, topics: [...log.topics, hexOf(1)] },
        { ...log, data: withWord(0, hexOf(0)) },
        { ...log, data: withWord(0, hexOf(2n ** 160n)) },
        { ...log, data: withWord(tokensAt, hexOf(0)) },
        { ...log, data: withWord(tokensAt, hexOf(BigInt(CRYPTO_TOKENS[1]!))) },
      ]) {
        expect(curveCrypto.decodeCreation(given)).toBeUndefined();
      }
      expect(curveCrypto.creationTopics).toContain(log.topics[0]);
    }
  });

  it("listen to the swaps that explorers show under this topic", () => {
    const { topics } = modelOf("two20").swapped(0, 1n, 1, 1n);
    expect(topics[0]).toMatch(/^0x143f1f8e/);
  });
});

function openListed(listing: PoolListing, model: NaiveCrypto, words: BigUint64Array) {
  const open = openMarket(1, curves);
  const { decimals } = cryptoShape(model.pool);
  open.writer.applyBlock({
    stamp: { number: 1, hash: `0x${"0".repeat(64)}`, timestampMs: 0 },
    dexes: [{ id: listing.dexId, name: "Curve", protocol: "curve-crypto", factory: CRYPTO_POOL }],
    tokens: model.tokens.map((address, at) => ({
      ...{ address, decimals: decimals[at]!, symbol: "", name: "" },
    })),
    pools: [listing],
    removedPools: [],
    states: [{ pool: listing.address, state: { words } }],
    swaps: [],
    supplies: [],
  });
  const index = open.graph.findPool(listing.address)!;
  return { open, index, family: open.families[open.graph.poolCurve[index]!]! };
}
