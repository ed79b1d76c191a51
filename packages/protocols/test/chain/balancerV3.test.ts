import type { Address, PoolListing } from "@millrace/core";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  EVERY_POOL,
  type FollowedState,
  type PoolRefusal,
} from "@millrace/protocols";
import { law, MEETS_EVERY_KIND, type RandomSource } from "@millrace/testing";
import { drawBalancerPool, encodeBalancer, openBalancerPool } from "@millrace/testing/reference";
import { decodeFunctionData, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { hexOf } from "./chainFixture.ts";
import {
  NaiveBalancerV3,
  openV3,
  ROUTER,
  SURGE_HOOK,
  V3_POOL,
  VAULT_V3,
} from "./NaiveBalancerV3.ts";
import { eventLog } from "./realEncodings.ts";

const ONE = 10n ** 18n;
const dex = openV3();

function askOf<A>(asking: Asking<A>, answer: (call: ChainCall) => CallAnswer): A {
  let step = asking.next();
  while (!step.done) step = asking.next(step.value.map(answer));
  return step.value;
}

function resolved(model: NaiveBalancerV3, from = dex) {
  const creation = from.decodeCreation(model.created());
  if (creation === undefined || !("resolve" in creation)) throw new Error("nothing is asked");
  return askOf(creation.resolve(), model.answer);
}

function listingOf(model: NaiveBalancerV3): PoolListing {
  const found = resolved(model);
  if (found === undefined || !("listing" in found)) throw new Error("no pool");
  return found.listing;
}

const readOf = (model: NaiveBalancerV3, pool: PoolListing): FollowedState =>
  askOf(dex.read(pool), model.answer) as FollowedState;

/** A pool of V3 whose first token has no rate, with a factory that makes such. */
function drawModel(random: RandomSource, name = random.pick(["weighted", "stable"] as const)) {
  for (;;) {
    const drawn = drawBalancerPool(random, name, random.between(2, 4));
    if (drawn.vault !== 3 || drawn.isPaused || drawn.balances.includes(0n)) continue;
    const pool = { ...drawn, rates: drawn.rates.map((rate, at) => (at === 0 ? ONE : rate)) };
    // The Vault keeps balances with 18 decimals in 128 bits.
    const isWide = pool.balances.some(
      (balance, at) =>
        balance * pool.decimalScalingFactors[at]! * pool.rates[at]! >= (1n << 128n) * ONE,
    );
    if (isWide) continue;
    const { math } = pool;
    if (math.name === "weighted") {
      const isLeast = math.minTokenBalances !== undefined;
      return new NaiveBalancerV3(
        pool,
        isLeast ? "leastBalanceWeightedFactories" : "weightedFactories",
      );
    }
    return new NaiveBalancerV3(pool, math.isBounded ? "boundedStableFactories" : "stableFactories");
  }
}

describe("Balancer V3 on a chain", () => {
  it("listens to the events that explorers show under these topics", () => {
    const starts = dex.poolTopics.map((topic) => topic.slice(2, 10));
    for (const known of ["0874b2d5", "a26a52d8", "fbe5b0d7", "57e20448", "e0629fe6"]) {
      expect(starts).toContain(known);
    }
  });

  it("lists and reads pools of every factory as they are, what yields have cost them apart", () => {
    let charged = 0;
    for (const [, random] of law("Balancer V3 pools read", 150).sources()) {
      const model = drawModel(random);
      const pool = listingOf(model);
      expect(readOf(model, pool).words).toEqual(encodeBalancer(model.pool).words);
      const grown = model.pool.rates.map((rate, at) =>
        at === 0 ? rate : rate + random.bigint(rate / 5n),
      );
      const kept = readOf(model, pool);
      model.pool = { ...model.pool, rates: grown };
      const truth = encodeBalancer(model.current);
      const answers = dex.eachBlock!.calls(pool).map(model.answer);
      expect(answers).toHaveLength(model.pool.tokens.length - 1);
      expect((dex.eachBlock!.apply(pool, kept, answers) as FollowedState).words).toEqual(
        truth.words,
      );
      const read = readOf(model, pool);
      expect(read.words).toEqual(truth.words);
      expect(dex.eachBlock!.apply(pool, read, answers)).toBe(read);
      if (model.current.balances.some((balance, at) => balance !== model.pool.balances[at]))
        charged++;
    }
    if (MEETS_EVERY_KIND) expect(charged).toBeGreaterThan(10);
  });

  it("reads a pool again after each log, which tell of swaps and of no balances", () => {
    const model = drawModel(law("a V3 pool with logs", 1).random());
    const pool = listingOf(model);
    const log = model.swapLog(1, 0, 50n, 40n);
    expect(dex.sharedLogs!.keyOf(log)).toBe(V3_POOL);
    expect(dex.sharedLogs!.contracts).toEqual([VAULT_V3, SURGE_HOOK]);
    expect(dex.readsAgain!(log)).toBe(true);
    expect(dex.decodeSwap(pool, log, undefined)).toEqual({
      ...{ positionIn: 1, positionOut: 0, amountIn: 50n, amountOut: 40n, priceAfter: 0 },
    });
    expect(dex.decodeSwap(pool, { ...log, address: V3_POOL }, undefined)).toBeUndefined();
    const paused = eventLog("event VaultPausedStateChanged(bool)", [true], VAULT_V3);
    expect(dex.sharedLogs!.keyOf(paused)).toBe(EVERY_POOL);
  });

  it("refuses pools that it cannot be sure of, by reason", () => {
    const reasons = (change: (model: NaiveBalancerV3) => void, from = dex) => {
      const model = drawModel(law("refused V3 pools", 1).random(), "stable");
      const pool = listingOf(model);
      change(model);
      const found = resolved(model, from);
      if (found === undefined || "refused" in found) return found?.refused;
      return (askOf(from.read(pool), model.answer) as PoolRefusal).refused;
    };
    const hook: Address = `0x${"66".repeat(20)}`;
    expect(
      reasons(() => undefined, openV3({ stableFactories: [], boundedStableFactories: [] })),
    ).toBe("an unknown factory");
    expect(reasons((model) => (model.hook = hook))).toBe("a hook");
    expect(
      reasons((model) => {
        model.hook = SURGE_HOOK;
        model.hasBeforeSwap = true;
      }),
    ).toBe("a hook");
    expect(reasons(() => undefined, openV3({ rateProviders: [] }))).toBe(
      "a rate provider that is not allowed",
    );
    expect(reasons((model) => (model.isRecovering = true))).toBe("recovery mode");
    expect(reasons((model) => (model.isRamping = true))).toBe("an amplification that ramps");
  });

  it("keeps a pool of a paused Vault in the market, which gives nothing", () => {
    const model = drawModel(law("a paused V3 pool", 1).random());
    const pool = listingOf(model);
    model.isVaultPaused = true;
    const { words } = readOf(model, pool);
    expect(words).toEqual(encodeBalancer({ ...model.pool, isPaused: true }).words);
  });

  it("asks a router itself what a swap gives, in a call without a sender", () => {
    const pool = listingOf(drawModel(law("a V3 pool to ask", 1).random()));
    const { call, amountOut } = dex.quoteCall!(pool, 1, 0, 12_345n)!;
    const abi = parseAbi([
      "function querySwapSingleTokenExactIn(address, address, address, uint256, address, bytes) returns (uint256)",
    ]);
    const { args } = decodeFunctionData({ abi, data: call.data });
    const [of, tokenIn, tokenOut, amount, sender, data] = args;
    expect([call.to, of.toLowerCase(), amount, data]).toEqual([ROUTER, V3_POOL, 12_345n, "0x"]);
    expect([tokenIn, tokenOut].map((token) => token.toLowerCase())).toEqual([
      pool.tokens[1],
      pool.tokens[0],
    ]);
    expect(BigInt(sender)).toBe(0n);
    expect([amountOut(hexOf(77n)), amountOut(undefined)]).toEqual([77n, -1n]);
  });

  it("knows the reserves of x·y = k with its price", () => {
    for (const [, random] of law("Balancer V3 virtual reserves", 60).sources()) {
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
