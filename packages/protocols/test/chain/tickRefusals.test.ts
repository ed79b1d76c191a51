import type { Address } from "@millrace/core";
import {
  type ChainLog,
  calldataProtocols,
  chainProtocols,
  EVERY_POOL,
  type FollowedDex,
  type Hex,
  IMPOSSIBLE,
} from "@millrace/protocols";
import { getSqrtRatioAtTick } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { answering, brokenShapes, effectOf, hexOf, readFrom } from "./chainFixture.ts";
import { NaiveTicks } from "./NaiveTicks.ts";
import { eventLog } from "./realEncodings.ts";
import {
  algebraIntegral,
  dexOf,
  EVENTS,
  idOfListing,
  MANAGER,
  MODULE,
  NO_HOOKS,
  pancakeV3,
  QUOTER,
  STATE_VIEW,
  slipstream,
  type TickFamily,
  TOKEN0,
  TOKEN1,
  uniswapV4,
  v4Id,
} from "./tickFamilies.ts";

const STRANGER: Address = `0x${"57".repeat(20)}`;
const POOL: Address = `0x${"aa".repeat(20)}`;
const PRICE = 2n ** 96n;

/** A pool at a price of one, with liquidity around it. */
function filled(family: TickFamily): NaiveTicks {
  const spacing = family.spacings.at(-1)!;
  const told = family.dex.decodeCreation(family.creation(spacing, 500, PRICE, 0));
  if (told === undefined || !("listing" in told)) throw new Error("no pool");
  const model = new NaiveTicks(told.listing, family.contract, 500);
  model.setPrice(PRICE);
  model.modify(-spacing, spacing, 10n ** 18n);
  return model;
}

const stateOf = ({ dex, answer }: TickFamily, model: NaiveTicks) =>
  readFrom(dex, model.listing, (call) => answer(model, call))!;

interface V4Creation {
  readonly fee?: number;
  readonly tickSpacing?: number;
  readonly hooks?: Address;
  readonly tokens?: readonly [Address, Address];
  readonly id?: `0x${string}`;
}

function v4Creation({
  fee = 500,
  tickSpacing = 10,
  hooks = NO_HOOKS,
  tokens = [TOKEN0, TOKEN1],
  id,
}: V4Creation): ChainLog {
  const key = [...tokens, fee, tickSpacing, hooks] as const;
  return eventLog(EVENTS.v4Initialize, [id ?? v4Id(...key), ...key, PRICE, 0], MANAGER);
}

const hookAt = (flags: number): Address =>
  `0x${"c0de".repeat(9)}${flags.toString(16).padStart(4, "0")}`;

describe("a pool of Uniswap V4", () => {
  const { dex } = uniswapV4;

  it("is refused where the fee is dynamic, or a hook takes part in swaps", () => {
    expect(dex.decodeCreation(v4Creation({ fee: 0x800000 }))).toEqual({
      refused: "a dynamic fee",
    });
    for (let flags = 0; flags < 1 << 14; flags++) {
      const refused = (flags & 0b1100_1100) !== 0;
      // All combinations of the eight lowest flags, and each of the others alone.
      if (flags > 255 && (flags & (flags - 1)) !== 0) continue;
      const told = dex.decodeCreation(v4Creation({ hooks: hookAt(flags) }));
      if (refused) expect(told).toEqual({ refused: "a hook in swaps" });
      else expect(told).toHaveProperty("listing");
    }
  });

  it("may hold the native token, at the address 0, as a token of its own", () => {
    const told = dex.decodeCreation(v4Creation({ tokens: [NO_HOOKS, TOKEN1] }));
    expect(told).toMatchObject({ listing: { tokens: [NO_HOOKS, TOKEN1] } });
  });

  it("is listed with the wrapped native token, where that is known, and keeps its key", () => {
    const protocol = chainProtocols.find(({ name }) => name === "uniswap-v4")!;
    const { holdsNative, poolKey } = calldataProtocols.find(({ name }) => name === protocol.name)!;
    const named = { ...dex.dex, stateView: STRANGER, quoter: STRANGER };
    const opened = protocol.open(named, TOKEN0);
    for (const hooks of [NO_HOOKS, hookAt(0b11)]) {
      const told = opened.decodeCreation(v4Creation({ tokens: [NO_HOOKS, TOKEN1], hooks }));
      if (told === undefined || !("listing" in told)) throw new Error("no listing");
      const { listing } = told;
      expect(listing.tokens).toEqual([TOKEN0, TOKEN1]);
      expect(holdsNative!(listing)).toBe(true);
      expect(poolKey!(listing)).toEqual({ fee: 500, tickSpacing: 10, hooks });
      const { data } = opened.quoteCall!(listing, 0, 1, 5n)!.call;
      // Behind the selector and the place of the tuple: its currencies.
      expect(BigInt(`0x${data.slice(74, 138)}`)).toBe(0n);
      expect(BigInt(`0x${data.slice(138, 202)}`)).toBe(BigInt(TOKEN1));
    }
    const plain = opened.decodeCreation(v4Creation({}));
    expect(plain).toEqual(dex.decodeCreation(v4Creation({})));
    expect(opened.decodeCreation(v4Creation({ tokens: [NO_HOOKS, TOKEN0] }))).toEqual({
      refused: "the native token against its wrapped form",
    });
  });

  it("is believed of its manager alone, and where the id is its key's", () => {
    const log = v4Creation({});
    expect(dex.decodeCreation(log)).toHaveProperty("listing");
    for (const broken of [
      ...brokenShapes(log),
      { ...log, address: STRANGER },
      v4Creation({ id: hexOf(7) }),
      v4Creation({ tokens: [TOKEN1, TOKEN0] }),
      v4Creation({ tokens: [TOKEN0, TOKEN0] }),
      v4Creation({ fee: 1_000_001 }),
      v4Creation({ tickSpacing: 0 }),
      v4Creation({ tickSpacing: -10 }),
    ]) {
      expect(dex.decodeCreation(broken)).toBeUndefined();
    }
  });

  it("is known by the first bytes of its id, and by the whole of it", () => {
    const model = filled(uniswapV4);
    const log = uniswapV4.position(model, -32_767, 32_767, 5n);
    const shared = dex.sharedLogs!;
    expect(shared.contracts).toEqual([MANAGER]);
    expect(shared.keyOf(log)).toBe(model.listing.address);
    expect(shared.keyOf({ ...log, topics: log.topics.slice(0, 1) })).toBeUndefined();
    const id = idOfListing(model.listing);
    const twin: Hex = `0x${id.slice(2, 42)}${"0".repeat(24)}`;
    const ofTwin = { ...log, topics: [log.topics[0]!, twin, log.topics[2]!] };
    expect(dex.applyLog(model.listing, stateOf(uniswapV4, model), ofTwin)).toBe(IMPOSSIBLE);
  });

  it("charges the protocol's fee of each direction from its log on", () => {
    const model = filled(uniswapV4);
    const before = stateOf(uniswapV4, model);
    for (const protocolFee of [0, 1_000, 1_000 << 12, 250 + (1_000 << 12)]) {
      model.protocolFee = protocolFee;
      const values = [idOfListing(model.listing), protocolFee];
      const log = eventLog(EVENTS.v4ProtocolFeeUpdated, values, MANAGER);
      const { state } = effectOf(dex, model.listing, before, log);
      expect(state).toEqual(model.state());
      expect(state).toEqual(stateOf(uniswapV4, model));
      for (const broken of brokenShapes(log)) {
        expect(dex.applyLog(model.listing, before, broken)).toBe(IMPOSSIBLE);
      }
    }
    const excess = [idOfListing(model.listing), 1_001];
    const log = eventLog(EVENTS.v4ProtocolFeeUpdated, excess, MANAGER);
    expect(dex.applyLog(model.listing, before, log)).toBe(IMPOSSIBLE);
  });

  it("did not have the state that is followed, where a swap paid another fee", () => {
    const model = filled(uniswapV4);
    const before = stateOf(uniswapV4, model);
    const [log] = uniswapV4.swap(model, model.swap(true, 10n ** 12n)!, 501);
    expect(dex.applyLog(model.listing, before, log!)).toBe(IMPOSSIBLE);
  });

  it("is not touched by a donation", () => {
    const model = filled(uniswapV4);
    const values = [idOfListing(model.listing), STRANGER, 5n, 7n];
    const log = eventLog(EVENTS.v4Donate, values, MANAGER);
    expect(dex.poolTopics).not.toContain(log.topics[0]);
    expect(dex.applyLog(model.listing, stateOf(uniswapV4, model), log)).toBeUndefined();
  });

  it("is not configured without what it is read by", () => {
    expect(() => dexOf("uniswap-v4", {})).toThrow(/stateView/);
    expect(() => dexOf("uniswap-v4", { stateView: STATE_VIEW, quoter: "0x12" })).toThrow(/quoter/);
  });
});

/** What `read` comes to, refusals too. */
function readWhole(dex: FollowedDex, { answer }: TickFamily, model: NaiveTicks) {
  const reading = dex.read(model.listing);
  let step = reading.next();
  while (!step.done) step = reading.next(step.value.map(answering((call) => answer(model, call))));
  return step.value;
}

describe.each([slipstream, algebraIntegral])("the fee of a pool of $name", (family) => {
  const { eachBlock } = family.dex;

  it("is asked at the end of each block, and is the same in both directions", () => {
    const model = filled(family);
    let state = stateOf(family, model);
    for (const feePips of [500, 0, 3_150, 2_925, 65_535]) {
      model.feePips = feePips;
      const answers = eachBlock!.calls(model.listing).map((call) => family.answer(model, call));
      const after = eachBlock!.apply(model.listing, state, answers);
      expect(after).toEqual(model.state());
      expect(eachBlock!.apply(model.listing, model.state(), answers)).toEqual(model.state());
      state = model.state();
    }
    // Who keeps states of many blocks keeps one that did not change once.
    const same = eachBlock!.calls(model.listing).map((call) => family.answer(model, call));
    expect(eachBlock!.apply(model.listing, state, same)).toBe(state);
  });

  it("that is not told, or that no pool charges, refuses the pool", () => {
    const state = stateOf(family, filled(family));
    for (const answer of [undefined, "0x", hexOf(1_000_001), hexOf(2n ** 255n), hexOf(1, 2)]) {
      expect(eachBlock!.apply(filled(family).listing, state, [answer as `0x${string}`])).toEqual({
        refused: "a fee that is not told",
      });
    }
  });
});

describe("a pool of Slipstream", () => {
  const known = dexOf("slipstream", { feeModules: [MODULE.toUpperCase().replace("X", "x")] });
  const another = dexOf("slipstream", { feeModules: [STRANGER] });

  it("is refused while the factory has a fee module that is not known", () => {
    const model = filled(slipstream);
    expect(readWhole(known, slipstream, model)).toEqual(model.state());
    expect(readWhole(another, slipstream, model)).toEqual({
      refused: "a fee module that is not known",
    });
  });

  it("is read again with all others when the module is replaced", () => {
    const log = eventLog(EVENTS.swapFeeModuleChanged, [MODULE, STRANGER], MANAGER);
    expect(known.poolTopics).toContain(log.topics[0]);
    expect(known.sharedLogs!.keyOf(log)).toBe(EVERY_POOL);
    expect(known.readsAgain!(log)).toBe(true);
  });

  it("is believed of its factory, with a spacing that there is", () => {
    const creation = (tickSpacing: number) => slipstream.creation(tickSpacing, 500, PRICE, 0);
    const log = creation(100);
    expect(known.decodeCreation(log)).toMatchObject({ listing: { parameter: 100 } });
    const wrong = [
      ...brokenShapes(log),
      ...[0, -1, 16_384].map(creation),
      { ...log, address: STRANGER },
    ];
    for (const broken of wrong) expect(known.decodeCreation(broken)).toBeUndefined();
    const derived = dexOf("slipstream", { initCodeHash: hexOf(1) });
    expect(derived.decodeCreation(log)).toBeUndefined();
  });
});

describe("a pool of PancakeSwap V3", () => {
  it("is believed where its deployer would have put it", () => {
    const log = pancakeV3.creation(50, 2_500, PRICE, 0);
    expect(pancakeV3.dex.decodeCreation(log)).toMatchObject({
      listing: { address: POOL, feePips: 2_500, parameter: 50, curve: "concentrated-liquidity" },
    });
    const derived = dexOf("pancake-v3", { initCodeHash: hexOf(1), deployer: STRANGER });
    expect(derived.decodeCreation(log)).toBeUndefined();
    for (const broken of brokenShapes(log)) {
      expect(pancakeV3.dex.decodeCreation(broken)).toBeUndefined();
    }
  });
});

describe("a pool of Algebra Integral", () => {
  const { dex } = algebraIntegral;

  it("of another deployer, whose plugin may do anything, is refused", () => {
    const values = [STRANGER, TOKEN0, TOKEN1, POOL];
    const log = eventLog(EVENTS.algebraCustomPool, values, MANAGER);
    expect(dex.decodeCreation(log)).toEqual({ refused: "a pool of another deployer's plugin" });
    expect(dex.decodeCreation({ ...log, address: STRANGER })).toBeUndefined();
  });

  it("is refused when its plugin charges a fee of its own", () => {
    const model = filled(algebraIntegral);
    const state = stateOf(algebraIntegral, model);
    const charged = (plugin: number) =>
      eventLog(EVENTS.algebraSwapFee, [STRANGER, 500, plugin], POOL);
    expect(dex.applyLog(model.listing, state, charged(0))).toEqual({ state });
    expect(dex.applyLog(model.listing, state, charged(1))).toEqual({
      refused: "a plugin's own fee",
    });
    for (const broken of brokenShapes(charged(1))) {
      expect(dex.applyLog(model.listing, state, broken)).toBe(IMPOSSIBLE);
    }
  });

  it("is read again when its plugin is replaced", () => {
    const log = eventLog(EVENTS.algebraPlugin, [STRANGER], POOL);
    expect(dex.poolTopics).toContain(log.topics[0]);
    expect(dex.readsAgain!(log)).toBe(true);
  });

  it("is followed by logs of the version that writes its fees into them", () => {
    const model = filled(algebraIntegral);
    const before = stateOf(algebraIntegral, model);
    const amounts = model.swap(false, 10n ** 12n)!;
    const { sqrtPriceX96, liquidity, tick } = model;
    const values = [STRANGER, STRANGER, ...amounts, sqrtPriceX96, liquidity, tick, 0, 0];
    const swap = eventLog(EVENTS.algebraSwapWithFees, values, POOL);
    const { state } = effectOf(dex, model.listing, before, swap);
    expect(state).toEqual(model.state());
    const taxed = eventLog(EVENTS.algebraSwapWithFees, [...values.slice(0, -1), 9], POOL);
    expect(dex.applyLog(model.listing, before, taxed)).toEqual({ refused: "a plugin's own fee" });
    const end = algebraIntegral.spacings.at(-1)!;
    model.modify(-end, end, -5n);
    const burned = [STRANGER, -end, end, 5n, 1n, 1n, 0];
    const burn = eventLog(EVENTS.algebraBurnWithFee, burned, POOL);
    expect(effectOf(dex, model.listing, state, burn).state).toEqual(model.state());
  });

  it("has its first price read, since its fee is nowhere told", () => {
    const log = eventLog(EVENTS.initialize, [getSqrtRatioAtTick(60), 60], POOL);
    expect(dex.readsAgain!(log)).toBe(true);
  });
});

describe("a quoter", () => {
  it("is not asked where none is configured", () => {
    for (const [protocol, settings] of [
      ["uniswap-v4", { stateView: STATE_VIEW }],
      ["pancake-v3", {}],
      ["slipstream", {}],
      ["algebra-integral", {}],
    ] as const) {
      expect(dexOf(protocol, settings).quoteCall).toBeUndefined();
      expect(dexOf(protocol, { ...settings, quoter: QUOTER }).quoteCall).toBeDefined();
    }
  });
});
