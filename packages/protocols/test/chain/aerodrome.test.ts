import { type Address, FEE_IN_STATE, NO_CONSTANTS, openMarket, REFUSED } from "@millrace/core";
import {
  type CallAnswer,
  type ChainLog,
  constantProduct,
  curves,
  EVERY_POOL,
  encodeReserves,
  FEE_FIRST,
  type FollowedState,
  type Hex,
  IMPOSSIBLE,
  type PoolRefusal,
  solidlyStable,
} from "@millrace/protocols";
import { law, MEETS_EVERY_KIND } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brokenShapes, hexOf } from "./chainFixture.ts";
import {
  AERODROME_DEX,
  AERODROME_EVENTS,
  AERODROME_FACTORY,
  AERODROME_POOL,
  AERODROME_TOKENS,
  aerodrome,
  aerodromeAddress,
  askOf,
  createdBy,
  microAmount,
  NaiveSolidly,
  openAerodrome,
  readOf,
  solidlyBlocks,
} from "./NaiveSolidly.ts";
import { eventLog } from "./realEncodings.ts";

const CLONE_HASH: Hex = `0x${"c1".repeat(32)}`;
const KINDS = [
  { stable: false, decimals: [18, 18] },
  { stable: true, decimals: [6, 18] },
] as const;

describe("the creation of a pool of Aerodrome", () => {
  it("tells of a volatile pool all but its fee, and of a stable one is asked for the decimals", () => {
    const listed = { address: AERODROME_POOL, dexId: "AERODROME", tokens: AERODROME_TOKENS };
    const volatile = new NaiveSolidly(false, [18, 6]);
    expect(createdBy(volatile)).toEqual({
      created: undefined,
      listing: {
        ...{ ...listed, curve: constantProduct.name },
        ...{ feePips: FEE_IN_STATE, parameter: FEE_FIRST },
      },
    });
    const stable = new NaiveSolidly(true, [18, 6]);
    expect(createdBy(stable)).toEqual({
      created: undefined,
      listing: {
        ...{ ...listed, curve: solidlyStable.name },
        ...{ feePips: FEE_IN_STATE, parameter: 0, constants: BigUint64Array.of(18n, 6n) },
      },
    });
    expect(aerodrome.creationNumber?.(stable.created())).toBe(7n);
    expect(stable.created().topics[0]).toMatch(/^0x2128d88d/);
    expect(aerodrome.creationTopics).toEqual([stable.created().topics[0]]);
  });

  it("is believed where the factory's clone would be, and nowhere else", () => {
    for (const stable of [true, false]) {
      const address = aerodromeAddress(AERODROME_TOKENS, stable, CLONE_HASH);
      const at = (pool: Address) =>
        eventLog(
          AERODROME_EVENTS.poolCreated,
          [...AERODROME_TOKENS, stable, pool, 1n],
          AERODROME_FACTORY,
        );
      const derived = openAerodrome({ initCodeHash: CLONE_HASH });
      expect(derived.decodeCreation(at(address))).toBeDefined();
      expect(derived.decodeCreation(at(AERODROME_POOL))).toBeUndefined();
      const other = aerodromeAddress(AERODROME_TOKENS, !stable, CLONE_HASH);
      expect(derived.decodeCreation(at(other))).toBeUndefined();
    }
  });

  it("is not believed of logs that no factory writes, nor of decimals that are none", () => {
    const model = new NaiveSolidly(true, [18, 18]);
    const log = model.created();
    const [topic, token0, token1] = log.topics as [Hex, Hex, Hex];
    const wrong: ChainLog[] = [
      ...brokenShapes(log),
      { ...log, address: AERODROME_POOL },
      { ...log, topics: [topic, token1, token0, hexOf(1)] },
      { ...log, topics: [topic, token0, token0, hexOf(1)] },
      { ...log, topics: [topic, token0, token1, hexOf(2)] },
      { ...log, topics: [topic, token0, token1, hexOf(2n ** 255n)] },
      { ...log, data: hexOf(0n, 1n) },
      { ...log, data: hexOf(2n ** 160n, 1n) },
    ];
    for (const given of wrong) expect(aerodrome.decodeCreation(given)).toBeUndefined();
    const creation = aerodrome.decodeCreation(log)!;
    if (!("resolve" in creation)) throw new Error("nothing is asked");
    const [one, ten] = [10n ** 18n, 10n ** 78n];
    for (const answer of [
      ...[undefined, "0x", hexOf(one), hexOf(one, 0n), hexOf(one, one + 1n)],
      ...[hexOf(ten, one), hexOf(one, 20n)],
    ] as const) {
      expect(askOf(creation.resolve(), () => answer)).toBeUndefined();
    }
  });
});

describe("a pool of Aerodrome", () => {
  const amount = fc.oneof(
    fc.bigInt({ min: 1n, max: 1_000n }),
    fc.bigInt({ min: 1n, max: 10n ** 24n }),
  );
  it.each(KINDS)(
    "is followed through whole blocks to what is read then (stable $stable)",
    ({ stable, decimals }) => {
      const seen = { swaps: 0, customFees: 0, kindFees: 0, pauses: 0 };
      fc.assert(
        fc.property(solidlyBlocks, fc.tuple(microAmount, microAmount), (drawn, reserves) => {
          const model = new NaiveSolidly(stable, decimals);
          const units = decimals.map((each) => 10n ** BigInt(each - 6));
          const whole = ([first, second]: readonly [bigint, bigint]) =>
            [first * units[0]!, second * units[1]!] as const;
          model.sync(whole(reserves));
          const { listing } = createdBy(model)!;
          let state: FollowedState | PoolRefusal | undefined = readOf(model);
          for (const commands of drawn) {
            const logs = commands.flatMap((each): ChainLog[] => {
              switch (each.kind) {
                case "sync":
                  return [model.sync(whole(each.reserves))];
                case "customFee":
                  seen.customFees++;
                  return [model.setCustomFee(each.fee)];
                case "kindFee":
                  // Without a log.
                  seen.kindFees++;
                  model.kindFees[stable ? "stable" : "volatile"] = each.fee;
                  return [];
                case "pause":
                  return model.isPaused === each.isPaused
                    ? []
                    : [model.setPauseState(each.isPaused)];
                default: {
                  const unit = units[each.zeroForOne ? 0 : 1]!;
                  const swap = model.swap(each.zeroForOne, each.amountIn * unit);
                  if (swap === undefined) return [];
                  seen.swaps++;
                  return swap.logs;
                }
              }
            });
            for (const log of logs) {
              if (state === undefined || "refused" in state) continue;
              const effect = aerodrome.applyLog(listing, state, log);
              if (effect === IMPOSSIBLE || effect === undefined) throw new Error(String(effect));
              state = "refused" in effect ? effect : effect.state;
            }
            const calls = aerodrome.eachBlock!.calls(listing);
            expect(calls).toHaveLength(1);
            if (state !== undefined && !("refused" in state)) {
              state = aerodrome.eachBlock!.apply(listing, state, calls.map(model.answer));
            }
            const read = readOf(model);
            if (model.isPaused) {
              seen.pauses++;
              expect(read).toEqual({ refused: "paused" });
            } else if (state !== undefined && "refused" in state) {
              // The market reads a pool again that was left out.
              state = read;
            }
            expect(state).toEqual(read);
          }
        }),
        law(`Aerodrome: followed as read, stable ${stable}`, 24).options,
      );
      if (!MEETS_EVERY_KIND) return;
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
    },
  );

  it.each(KINDS)("keeps its state where nothing has changed (stable $stable)", (kind) => {
    const model = new NaiveSolidly(kind.stable, kind.decimals);
    const sync = model.sync([5n, 7n]);
    const { listing } = createdBy(model)!;
    const state = readOf(model) as FollowedState;
    expect(state).toEqual({
      ...encodeReserves([5n, 7n], kind.stable ? 500 : 3_000),
      notes: BigUint64Array.of(0n),
    });
    expect(aerodrome.applyLog(listing, state, sync)).toEqual({ state });
    expect(aerodrome.applyLog(listing, state, sync)).toMatchObject({ state });
    const answers = aerodrome.eachBlock!.calls(listing).map(model.answer);
    expect(aerodrome.eachBlock!.apply(listing, state, answers)).toBe(state);
    const shape = { decimals: kind.decimals, constants: NO_CONSTANTS, ...listing };
    const curve = kind.stable ? solidlyStable : constantProduct;
    expect(curve.check(shape, state)).toBeUndefined();
  });

  it.each(KINDS)(
    "asks its contract for what our curve gives, at its price (stable $stable)",
    ({ stable, decimals }) => {
      const units = decimals.map((each) => 10n ** BigInt(each));
      const reserve = fc.double({ min: 0.1, max: 1e6, noNaN: true });
      fc.assert(
        fc.property(reserve, reserve, fc.boolean(), amount, (first, second, zeroForOne, part) => {
          const model = new NaiveSolidly(stable, decimals);
          const reserves = [first, second].map(
            (each, place) => (BigInt(Math.round(each * 1e6)) * units[place]!) / 1_000_000n,
          ) as [bigint, bigint];
          model.sync(reserves);
          const { listing } = createdBy(model)!;
          const state = readOf(model) as FollowedState;
          const market = openMarket(1, curves);
          const { rejected } = market.writer.applyBlock({
            stamp: { number: 1, hash: `0x${"1".repeat(64)}`, timestampMs: 1 },
            dexes: [
              {
                id: AERODROME_DEX.id,
                name: AERODROME_DEX.name,
                protocol: AERODROME_DEX.protocol,
                factory: AERODROME_DEX.factory,
              },
            ],
            tokens: AERODROME_TOKENS.map((address, place) => ({
              ...{ address, decimals: decimals[place]!, symbol: "T", name: "T" },
            })),
            pools: [listing],
            removedPools: [],
            states: [{ pool: listing.address, state }],
            swaps: [],
            supplies: [],
          });
          expect(rejected).toEqual([]);
          const pool = market.graph.findPool(listing.address)!;
          const family = market.families[market.graph.poolCurve[pool]!]!;
          const [from, to] = zeroForOne ? [0, 1] : [1, 0];
          const amountIn = 1n + (reserves[from]! * part) / 10n ** 24n;
          const asked = aerodrome.quoteCall!(listing, from, to, amountIn)!;
          expect(asked.call.to).toBe(AERODROME_POOL);
          const answer = asked.amountOut(model.answer(asked.call));
          expect(family.quoteExactIn(pool, from, to, amountIn)).toBe(answer);

          const glance = aerodrome.shallowRead(listing).map(model.answer);
          const virtual = aerodrome.virtualReserves(listing, glance)!;
          // What moves the price by 2 % of x·y = k, and as much worth of the other.
          const depth = Number(virtual[0]) * (1 / Math.sqrt(0.98) - 1);
          // Virtual reserves are whole units: of 0.1 of a token with 6 decimals some 100,000.
          const error = 1e-6 + 1 / Number(virtual[0]) + 1 / Number(virtual[1]);
          expect(Math.abs(depth / family.depth(pool, 0, 1) - 1)).toBeLessThan(error);
          const price = family.midPrice(pool, 0, 1);
          expect(Math.abs(Number(virtual[1]) / Number(virtual[0]) / price - 1)).toBeLessThan(error);
          const swap = model.swap(zeroForOne, reserves[from]! / 7n);
          if (swap === undefined) return;
          const [sync, swapped] = swap.logs as [ChainLog, ChainLog];
          const told = aerodrome.decodeSwap(listing, swapped, sync)!;
          expect(told).toMatchObject({
            ...{ positionIn: from, positionOut: to },
            ...{ amountIn: reserves[from]! / 7n, amountOut: swap.amountOut },
          });
          market.writer.applyBlock({
            stamp: { number: 2, hash: `0x${"2".repeat(64)}`, timestampMs: 2 },
            ...{ dexes: [], tokens: [], pools: [], removedPools: [], swaps: [], supplies: [] },
            states: [{ pool: listing.address, state: readOf(model) as FollowedState }],
          });
          expect(told.priceAfter / family.midPrice(pool, from, to)).toBeCloseTo(1, 9);
        }),
        law(`Aerodrome: asked for quotes, stable ${stable}`, 12).options,
      );
    },
  );

  it("is refused while its factory is paused, has a fee of its own rule or reserves too wide", () => {
    for (const { stable, decimals } of KINDS) {
      const model = new NaiveSolidly(stable, decimals);
      model.sync([10n ** 18n, 10n ** 18n]);
      const { listing } = createdBy(model)!;
      const state = readOf(model) as FollowedState;
      const wide = eventLog(AERODROME_EVENTS.sync, [1n << 128n, 1n], AERODROME_POOL);
      expect(aerodrome.applyLog(listing, state, wide)).toEqual({
        refused: "a reserve of more than 128 bits",
      });
      const other = (name: string, answer: CallAnswer) =>
        readOf(model, (call) => (call.data.startsWith(name) ? answer : model.answer(call)));
      const odd = { refused: "a fee that no rule describes" };
      const [getFee, customFee, isPaused, metadata] = [
        ...["0xcc56b2c5", "0x4d419abc", "0xb187bd26", "0x392f37e9"],
      ] as [string, string, string, string];
      expect(other("none", undefined)).toEqual(state);
      expect(other(getFee, hexOf(31n))).toEqual(odd);
      expect(other(customFee, undefined)).toEqual(odd);
      expect(other(customFee, hexOf(7n))).toEqual(odd);
      expect(other(isPaused, hexOf(1n))).toEqual({ refused: "paused" });
      for (const [name, answer] of [
        [getFee, undefined],
        [getFee, hexOf(30n, 1n)],
        [isPaused, hexOf(2n)],
        [isPaused, undefined],
        [metadata, undefined],
        [metadata, hexOf(1n, 1n, 5n, 5n)],
      ] as const) {
        expect(other(name, answer), `${name} ${answer}`).toBeUndefined();
      }
      const sound = model.answer({ to: AERODROME_POOL, data: metadata as Hex })!;
      for (const place of stable ? [0, 1, 4, 5, 6] : [4, 5, 6]) {
        const words = sound.slice(2).match(/.{64}/g)!;
        words[place] = hexOf(BigInt(`0x${words[place]}`) ^ 1n).slice(2);
        expect(other(metadata, `0x${words.join("")}`), `word ${place}`).toBeUndefined();
      }
    }
  });

  it("takes no log that its contracts do not write", () => {
    const model = new NaiveSolidly(false, [18, 18]);
    const { listing } = createdBy(model)!;
    model.sync([10n ** 20n, 10n ** 20n]);
    const state = readOf(model) as FollowedState;
    const [sync, swapped] = model.swap(true, 10n ** 18n)!.logs as [ChainLog, ChainLog];
    const paused = model.setPauseState(true);
    for (const log of [
      ...[sync, swapped, model.setCustomFee(3n)].flatMap(brokenShapes),
      // It has no data that could be missing.
      ...brokenShapes(paused).filter((log) => JSON.stringify(log) !== JSON.stringify(paused)),
      { ...paused, topics: [paused.topics[0]!, hexOf(2)] },
      { ...paused, topics: [paused.topics[0]!] },
      model.setCustomFee(10_000n),
    ]) {
      expect(aerodrome.applyLog(listing, state, log), JSON.stringify(log)).toBe(IMPOSSIBLE);
    }
    expect(aerodrome.applyLog(listing, state, model.created())).toBeUndefined();
    for (const answer of [undefined, "0x", hexOf(10_000n), hexOf(1n, 1n)] as const) {
      expect(aerodrome.eachBlock!.apply(listing, state, [answer])).toBeUndefined();
    }
    const { keyOf, contracts } = aerodrome.sharedLogs!;
    expect(contracts).toEqual([AERODROME_FACTORY]);
    expect(keyOf(paused)).toBe(EVERY_POOL);
    expect(keyOf(model.setCustomFee(1n))).toBe(AERODROME_POOL);
    expect(keyOf(sync)).toBeUndefined();
    const { amountOut } = aerodrome.quoteCall!(listing, 0, 1, 5n)!;
    expect(amountOut(undefined)).toBe(REFUSED);
    expect(amountOut("0x")).toBeUndefined();
    expect(amountOut(hexOf(1n, 2n))).toBeUndefined();
  });
});
