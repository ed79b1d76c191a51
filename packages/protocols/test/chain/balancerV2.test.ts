import type { Address, PoolListing } from "@millrace/core";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  EVERY_POOL,
  type FollowedState,
  IMPOSSIBLE,
  type PoolRefusal,
} from "@millrace/protocols";
import { law, type RandomSource } from "@millrace/testing";
import {
  type BalancerPool,
  drawBalancerPool,
  encodeBalancer,
  openBalancerPool,
  swapBalancer,
} from "@millrace/testing/reference";
import { decodeFunctionData, encodeAbiParameters, parseAbi, parseAbiParameters } from "viem";
import { describe, expect, it } from "vitest";
import { drawAmount } from "../balancer/drawAmount.ts";
import { brokenShapes } from "./chainFixture.ts";
import {
  NaiveBalancerV2,
  openV2,
  PROVIDER,
  V2_POOL,
  V2_POOL_ID,
  VAULT_V2,
} from "./NaiveBalancerV2.ts";
import { eventLog } from "./realEncodings.ts";

const ONE = 10n ** 18n;
const NOBODY: Address = `0x${"00".repeat(20)}`;
const dex = openV2();

function askOf<A>(asking: Asking<A>, answer: (call: ChainCall) => CallAnswer): A {
  let step = asking.next();
  while (!step.done) step = asking.next(step.value.map(answer));
  return step.value;
}

/** What comes of the log of a pool's creation. */
function resolved(model: NaiveBalancerV2, from = dex) {
  const creation = from.decodeCreation(model.created());
  if (creation === undefined || !("resolve" in creation)) throw new Error("nothing is asked");
  return askOf(creation.resolve(), model.answer);
}

function listingOf(model: NaiveBalancerV2): PoolListing {
  const found = resolved(model);
  if (found === undefined || !("listing" in found)) throw new Error("no pool");
  return found.listing;
}

const readOf = (model: NaiveBalancerV2, pool: PoolListing): FollowedState =>
  askOf(dex.read(pool), model.answer) as FollowedState;

/** A pool of V2 with a factory that makes such. */
function drawModel(random: RandomSource): NaiveBalancerV2 {
  for (;;) {
    const name = random.pick(["weighted", "stable"] as const);
    const pool = drawBalancerPool(random, name, random.between(2, 4));
    if (pool.vault !== 2 || pool.isPaused || pool.balances.includes(0n)) continue;
    if (pool.math.name === "weighted") {
      const isFirst = pool.math.powVersion === 1;
      return new NaiveBalancerV2(pool, isFirst ? "firstWeightedFactories" : "weightedFactories");
    }
    const math = { ...pool.math, bptIndex: undefined };
    const providers = pool.rates.map((rate) => (rate === ONE ? NOBODY : PROVIDER));
    const factory = math.isFirstFormula ? "stableFactories" : "composableFactories";
    return new NaiveBalancerV2({ ...pool, math }, factory, providers);
  }
}

function pegged(factory: "stableFactories" | "composableFactories"): NaiveBalancerV2 {
  const tokens: Address[] = [`0x${"a1".repeat(20)}`, `0x${"a2".repeat(20)}`];
  const pool: BalancerPool = {
    ...{ address: V2_POOL, tokens, vault: 2, balances: [10n ** 21n, 2n * 10n ** 9n] },
    ...{ decimalScalingFactors: [1n, 10n ** 12n], rates: [ONE + ONE / 5n, ONE], fee: ONE / 1_000n },
    ...{ aggregateFee: 0n, isPaused: false },
    math: {
      ...{ name: "stable", amp: 200_000n, isBounded: false, bptIndex: undefined, surge: undefined },
      isFirstFormula: factory === "stableFactories",
    },
  };
  return new NaiveBalancerV2(pool, factory, [PROVIDER, NOBODY]);
}

describe("Balancer V2 on a chain", () => {
  it("listens to the events that explorers show under these topics", () => {
    const starts = dex.poolTopics.map((topic) => topic.slice(2, 10));
    expect(dex.creationTopics.map((topic) => topic.slice(2, 10))).toEqual(["3c13bc30"]);
    for (const known of ["2170c741", "e5ce2490", "6edcaf62", "a9ba3ffe", "1835882e", "9e3a5e37"]) {
      expect(starts).toContain(known);
    }
  });

  it("lists and reads pools of every factory as they are, without their own token", () => {
    for (const [, random] of law("Balancer V2 pools read", 150).sources()) {
      const model = drawModel(random);
      const pool = listingOf(model);
      expect(pool.tokens).toEqual(model.pool.tokens);
      const { words } = readOf(model, pool);
      expect(words).toEqual(encodeBalancer(model.pool).words);
    }
  });

  it("follows swaps, joins and exits by their logs to what is read then", () => {
    for (const [, random] of law("Balancer V2 pools followed", 60).sources()) {
      const model = drawModel(random);
      const pool = listingOf(model);
      let state = readOf(model, pool);
      for (let count = 0; count < 4; count++) {
        const [from, to] = random.shuffled([...model.pool.tokens.keys()]) as [number, number];
        const amount = drawAmount(random, model.pool, from);
        const swap = swapBalancer(model.pool, from, to, "exactIn", amount);
        const [tokenIn, tokenOut] = [model.pool.tokens[from]!, model.pool.tokens[to]!];
        const logs = [];
        if (swap !== undefined) {
          logs.push(model.swapLog(tokenIn, tokenOut, amount, swap.amountOut));
          model.pool = swap.after;
        }
        const deltas = model.pool.balances.map((balance) => random.bigint(balance + 1n) / 2n);
        const fees = deltas.map((delta) => delta / 10n);
        const isJoin = random.chance(0.5);
        const balances = model.pool.balances.map(
          (balance, at) => balance + (isJoin ? deltas[at]! : -deltas[at]!) - fees[at]!,
        );
        if (balances.every((balance) => balance >= 0n && balance < 1n << 112n)) {
          logs.push(model.changeLog(isJoin ? deltas : deltas.map((delta) => -delta), fees));
          model.pool = { ...model.pool, balances };
        }
        for (const log of logs) {
          expect(dex.sharedLogs!.keyOf(log)).toBe(V2_POOL);
          expect(dex.readsAgain!(log)).toBe(false);
          const effect = dex.applyLog(pool, state, log);
          if (typeof effect !== "object" || !("state" in effect)) throw new Error(`${effect}`);
          const swapped = dex.decodeSwap(pool, log, undefined);
          expect(effect.swap && { ...effect.swap, priceAfter: 0 }).toEqual(swapped);
          state = effect.state;
        }
        expect(state).toEqual(readOf(model, pool));
      }
    }
  });

  it("counts swaps against a pool's own token as half of one, and tells no swap", () => {
    const model = pegged("composableFactories");
    const pool = listingOf(model);
    const state = readOf(model, pool);
    const log = model.swapLog(model.pool.tokens[1]!, V2_POOL, 500n, 7n);
    expect(dex.decodeSwap(pool, log, undefined)).toBeUndefined();
    const effect = dex.applyLog(pool, state, log);
    if (typeof effect !== "object" || !("state" in effect)) throw new Error(`${effect}`);
    expect(effect.swap).toBeUndefined();
    const [first, second] = model.pool.balances;
    model.pool = { ...model.pool, balances: [first!, second! + 500n] };
    expect(effect.state).toEqual(readOf(model, pool));
  });

  it.each(["stableFactories", "composableFactories"] as const)(
    "takes the rate that a pool of %s keeps until it expires, and the provider's then",
    (factory) => {
      const model = pegged(factory);
      const pool = listingOf(model);
      model.providedRate = ONE + ONE / 4n;
      const kept = readOf(model, pool);
      expect(kept.words).toEqual(encodeBalancer(model.pool).words);
      const answers = () => dex.eachBlock!.calls(pool).map(model.answer);
      expect(answers()).toHaveLength(2);
      expect(dex.eachBlock!.apply(pool, kept, answers())).toBe(kept);
      model.time = model.expires + 1n;
      const moved = dex.eachBlock!.apply(pool, kept, answers()) as FollowedState;
      const now = { ...model.pool, rates: [ONE + ONE / 4n, ONE] };
      expect(moved.words).toEqual(encodeBalancer(now).words);
      expect(moved).toEqual(readOf(model, pool));
      expect(dex.eachBlock!.apply(pool, kept, [answers()[0], undefined])).toBeUndefined();
    },
  );

  it("refuses pools that it cannot be sure of, by reason", () => {
    const reasons = (change: (model: NaiveBalancerV2) => void, from = dex) => {
      const model = pegged("composableFactories");
      const pool = listingOf(model);
      change(model);
      const found = resolved(model, from);
      if (found === undefined || "refused" in found) return found?.refused;
      return (askOf(from.read(pool), model.answer) as PoolRefusal).refused;
    };
    expect(reasons((model) => (model.factory = undefined))).toBe("an unknown factory");
    expect(reasons((model) => (model.manager = V2_POOL))).toBe("funds with an asset manager");
    expect(reasons((model) => (model.isRecovering = true))).toBe("recovery mode");
    expect(reasons((model) => (model.isRamping = true))).toBe("an amplification that ramps");
    const strict = openV2({ rateProviders: [] });
    expect(reasons(() => undefined, strict)).toBe("a rate provider that is not allowed");
    const timeless = openV2({ clock: undefined });
    expect(reasons(() => undefined, timeless)).toBe("a rate, and no clock to tell when it expires");
    const model = pegged("composableFactories");
    const pool = listingOf(model);
    expect(dex.applyLog(pool, readOf(model, pool), model.managedLog())).toEqual({
      refused: "funds with an asset manager",
    });
  });

  it("keeps a paused pool in the market, which gives nothing", () => {
    const model = pegged("composableFactories");
    const pool = listingOf(model);
    model.pool = { ...model.pool, isPaused: true };
    expect(readOf(model, pool).words).toEqual(encodeBalancer(model.pool).words);
    const { family, index } = openBalancerPool(model.pool);
    expect(family.quoteExactIn(index, 0, 1, 10n ** 18n)).toBe(-1n);
  });

  it("reads a pool again for logs of its own, and every pool for the Vault's pause", () => {
    const model = pegged("stableFactories");
    for (const log of [
      model.poolLog("event SwapFeePercentageChanged(uint256)", [5n]),
      model.poolLog("event PausedStateChanged(bool)", [true]),
      model.poolLog("event AmpUpdateStarted(uint256, uint256, uint256, uint256)", [1n, 2n, 3n, 4n]),
      model.poolLog("event PriceRateCacheUpdated(address indexed, uint256)", [V2_POOL, 4n]),
    ]) {
      expect(dex.poolTopics).toContain(log.topics[0]);
      expect(dex.readsAgain!(log)).toBe(true);
    }
    const pause = eventLog("event PausedStateChanged(bool)", [true], VAULT_V2);
    expect(dex.sharedLogs!.keyOf(pause)).toBe(EVERY_POOL);
  });

  it("believes no log that the Vault does not write, or that cannot be", () => {
    const model = pegged("stableFactories");
    expect(dex.decodeCreation(model.created(V2_POOL))).toBeUndefined();
    for (const log of brokenShapes(model.created())) {
      expect(dex.decodeCreation(log)).toBeUndefined();
    }
    const pool = listingOf(model);
    const state = readOf(model, pool);
    const swap = model.swapLog(pool.tokens[0]!, pool.tokens[1]!, 5n, 3n * 10n ** 9n);
    expect(dex.applyLog(pool, state, swap)).toBe(IMPOSSIBLE);
    for (const log of brokenShapes(model.swapLog(pool.tokens[0]!, pool.tokens[1]!, 5n, 3n))) {
      expect(dex.applyLog(pool, state, log)).toBe(IMPOSSIBLE);
    }
    expect(dex.applyLog(pool, state, { ...swap, address: V2_POOL })).toBeUndefined();
  });

  it("asks the Vault itself what a swap gives", () => {
    const pool = listingOf(pegged("composableFactories"));
    const { call, amountOut } = dex.quoteCall!(pool, 1, 0, 12_345n)!;
    const abi = parseAbi([
      "struct Step { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }",
      "struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }",
      "function queryBatchSwap(uint8 kind, Step[] swaps, address[] assets, Funds funds) returns (int256[])",
    ]);
    const { args } = decodeFunctionData({ abi, data: call.data });
    expect([call.to, args[0]]).toEqual([VAULT_V2, 0]);
    expect(args[1]).toEqual([
      { poolId: V2_POOL_ID, assetInIndex: 0n, assetOutIndex: 1n, amount: 12_345n, userData: "0x" },
    ]);
    expect(args[2].map((asset) => asset.toLowerCase())).toEqual([pool.tokens[1], pool.tokens[0]]);
    const answer = encodeAbiParameters(parseAbiParameters("int256[]"), [[12_345n, -678n]]);
    expect(amountOut(answer)).toBe(678n);
    expect(amountOut(undefined)).toBe(-1n);
    expect(amountOut("0x")).toBeUndefined();
  });

  it("knows the reserves of x·y = k with its price and depth", () => {
    for (const [, random] of law("Balancer V2 virtual reserves", 60).sources()) {
      const model = drawModel(random);
      const pool = listingOf(model);
      const found = dex.virtualReserves(pool, dex.shallowRead(pool).map(model.answer));
      const { family, index } = openBalancerPool(model.pool);
      const price = family.midPrice(index, 0, 1);
      if (found === undefined || found[0]! < 10n ** 6n || found[1]! < 10n ** 6n) continue;
      expect(Number(found[1]) / Number(found[0]) / price).toBeCloseTo(1, 4);
    }
  });
});
