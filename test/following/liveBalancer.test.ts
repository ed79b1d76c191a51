import type { Address, TokenPosition } from "@millrace/core";
import { type ManyTokenPool, ManyTokenReader } from "@millrace/devnet";
import {
  balancerV2PoolAbi,
  balancerV2VaultAbi,
  balancerV3VaultAbi,
  devnetRouterAbi,
  rateProviderAbi,
  stableSurgeAbi,
} from "@millrace/devnet/families";
import type { Hex } from "@millrace/protocols";
import { law, type RandomSource, surely, TEST_SEED, until } from "@millrace/testing";
import { type EncodeFunctionDataParameters, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balancerReading } from "../live/balancerReading.ts";
import { batched } from "../live/batched.ts";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";
import { familyStateOf } from "../live/readFamilies.ts";

// Pools of Balancer's published Vaults go through all changes by their owners, rate providers and
// time. Quotes are compared with swaps that the node simulates.

const PATIENCE_MS = 600_000;
const ONE = 10n ** 18n;
const REFUSED = -1n;
/** Longer than a pool keeps a rate. */
const RATE_SECONDS = 4_000;
const DAYS_2 = 172_800n;
const ACT_GAS = "0x1000000";

describe("Balancer's pools of a followed chain", { timeout: PATIENCE_MS }, () => {
  let live: LiveMarket;
  let reader: ManyTokenReader;
  let pools: ReadonlyArray<ManyTokenPool>;
  let trader: Address;
  beforeAll(async () => {
    live = await openLiveMarket("ETH", TEST_SEED, async () => ({ auditedPools: 0 }), {
      families: true,
    });
    const { chain, devnet } = live;
    trader = devnet.traders[0]!.address;
    pools = devnet.families!.manyTokens.filter(({ kind }) => kind.startsWith("balancer"));
    reader = new ManyTokenReader(batched(chain), devnet.families!.contracts, trader);
    await live.caughtUp();
  });
  afterAll(() => live?.close());

  const contracts = () => live.devnet.families!.contracts;
  const found = ({ address }: ManyTokenPool) => live.engine.graph.findPool(address);
  const named = (kind: ManyTokenPool["kind"], version?: string): ManyTokenPool =>
    pools.find((pool) => pool.kind === kind && (version ?? pool.version) === pool.version)!;

  /** Sends from the devnet's router, which manages the pools. */
  const manage = (target: Address, call: EncodeFunctionDataParameters) => {
    const data = encodeFunctionData(call);
    const args = [target, data, [], []] as const;
    return send(
      contracts().router,
      encodeFunctionData({ abi: devnetRouterAbi, functionName: "perform", args }),
    );
  };

  async function send(to: Address, data: Hex): Promise<void> {
    const sent = { from: trader, to, data, gas: ACT_GAS };
    const { status } = await live.chain.request<{ readonly status: Hex }>(
      "eth_sendTransactionSync",
      [sent],
    );
    expect(status).toBe("0x1");
    await live.caughtUp();
  }

  const setRate = async ({ rates = [] }: ManyTokenPool, growthE9: bigint) => {
    const { provider, firstE18 } = rates.find((rate) => rate !== undefined)!;
    const rate = firstE18 + (firstE18 * growthE9) / 10n ** 9n;
    const call = { abi: rateProviderAbi, functionName: "setRate", args: [rate] } as const;
    await send(provider, encodeFunctionData(call));
  };

  async function pass(seconds: number): Promise<void> {
    await live.chain.request("evm_increaseTime", [seconds]);
    await live.chain.request("evm_mine");
    await live.caughtUp();
  }

  /** Checks that every pool has the state of its contracts. */
  async function expectStates(): Promise<void> {
    for (const pool of pools) {
      const state = await reader.state(pool);
      if (state.kind !== "balancer") throw new Error(state.kind);
      const index = found(pool);
      expect(index === undefined, `${pool.kind} ${pool.version}`).toBe(state.isUnsteady);
      if (index === undefined) continue;
      const reading = balancerReading(pool, state);
      const told = `${pool.kind} ${pool.version} ${pool.address}`;
      expect(familyStateOf(live.engine, index), told).toEqual(reading.state);
    }
  }

  const quote = (
    pool: ManyTokenPool,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountIn: bigint,
  ): bigint => {
    const index = found(pool)!;
    return live.engine.familyOf(index).quoteExactIn(index, positionIn, positionOut, amountIn);
  };

  /** Checks a pool's quotes against its swaps; gives the counts of quotes and of refusals. */
  async function expectQuotes(
    pool: ManyTokenPool,
    random: RandomSource,
    count: number,
  ): Promise<{ readonly given: number; readonly refused: number }> {
    const state = await reader.state(pool);
    if (state.kind !== "balancer") throw new Error(state.kind);
    const swaps = Array.from({ length: count }, () => {
      const places = random.shuffled([...pool.tokens.keys()]);
      const [positionIn, positionOut] = places as [number, number];
      const amountIn = drawAmount(state.balances[positionIn]!, random);
      return { positionIn, positionOut, amountIn };
    });
    const answers = await Promise.all(swaps.map((swap) => reader.quote(pool, swap)));
    const quotes = swaps.map(({ positionIn, positionOut, amountIn }) =>
      quote(pool, positionIn, positionOut, amountIn),
    );
    // A swap that gives nothing counts as refused.
    expect(
      quotes.map((each) => (each === 0n ? REFUSED : each)),
      `${pool.kind} ${pool.version}`,
    ).toEqual(answers.map((each) => each || REFUSED));
    const refused = quotes.filter((each) => each <= 0n).length;
    return { given: count - refused, refused };
  }

  it("are of both Vaults, of all kinds, and all in the market", async () => {
    expect(pools.map(({ kind, version = "" }) => `${kind} ${version}`.trim()).sort()).toEqual([
      ...["balancer-v2-stable composable", "balancer-v2-stable stable"],
      ...["balancer-v2-weighted", "balancer-v2-weighted"],
      ...["balancer-v3 stable", "balancer-v3 surge", "balancer-v3 weighted"],
    ]);
    await expectStates();
    expect(live.source.status()).toMatchObject({ driftedPools: 0 });
  });

  it("are quoted to the wei as traders, owners and providers of rates move them", async () => {
    const rounds = law("Balancer's pools quoted after each few blocks", 6);
    let [given, refused] = [0, 0];
    for (const [round, random] of rounds.sources()) {
      for (let block = 0; block < 3; block++) await live.run(live.devnet.traffic.block(12));
      if (round % 2 === 0) await setRate(random.pick(rated()), BigInt(random.integer(2_000_000)));
      if (round % 3 === 2) await pass(RATE_SECONDS);
      await live.caughtUp();
      await expectStates();
      for (const pool of pools) {
        const counts = await expectQuotes(pool, random, 12);
        given += counts.given;
        refused += counts.refused;
      }
    }
    expect(given).toBeGreaterThanOrEqual(surely(rounds.cases * 40));
    expect(refused).toBeGreaterThanOrEqual(surely(rounds.cases * 8));
    expect(live.source.status()).toMatchObject({ driftedPools: 0, resynchronisations: 0 });
    expect(live.rejected).toEqual([]);
  });

  const rated = () => pools.filter(({ rates }) => rates?.some((rate) => rate !== undefined));

  it("swap at a kept rate until it expires, and at the provider's own then", async () => {
    const pool = named("balancer-v2-stable", "composable");
    await pass(RATE_SECONDS);
    const place = pool.rates!.findIndex((rate) => rate !== undefined);
    const token = pool.tokens[place]!;
    const update = { functionName: "updateTokenRateCache", args: [token] } as const;
    await send(pool.address, encodeFunctionData({ abi: balancerV2PoolAbi, ...update }));
    const sold = () => quote(pool, place, 1 - place, ONE);
    const kept = sold();
    await setRate(pool, 5_000_000n);
    expect(sold()).toBe(kept);
    await expectStates();
    await pass(RATE_SECONDS);
    expect(sold()).toBeGreaterThan(kept);
    await expectStates();
    // The clock of the other branch is behind.
    await live.run(live.devnet.traffic.reorganise(1));
    await live.caughtUp();
    await expectStates();
  });

  it("give nothing while they are paused, alone or with all of a Vault", async () => {
    const { balancerV2, balancerV3 } = contracts();
    const asked = (pool: ManyTokenPool) => quote(pool, 0, 1, ONE);
    const v2 = named("balancer-v2-stable", "composable");
    const v3 = named("balancer-v3", "surge");
    await manage(v2.address, { abi: balancerV2PoolAbi, functionName: "pause" });
    const pause = { abi: balancerV3VaultAbi, functionName: "pausePool" } as const;
    await manage(balancerV3.vault, { ...pause, args: [v3.address] });
    expect([asked(v2), asked(v3)]).toEqual([REFUSED, REFUSED]);
    await expectStates();
    await manage(v2.address, { abi: balancerV2PoolAbi, functionName: "unpause" });
    await manage(balancerV3.vault, { ...pause, functionName: "unpausePool", args: [v3.address] });
    const whole = { abi: balancerV2VaultAbi, functionName: "setPaused" } as const;
    await manage(balancerV2.vault, { ...whole, args: [true] });
    const ofV2 = pools.filter(({ kind }) => kind !== "balancer-v3");
    expect(ofV2.map(asked)).toEqual(ofV2.map(() => REFUSED));
    await expectStates();
    await manage(balancerV2.vault, { ...whole, args: [false] });
    expect([...ofV2, v3].map(asked)).not.toContain(REFUSED);
    await expectStates();
  });

  it("leave the market in recovery mode, and while an amplification ramps", async () => {
    const v2 = named("balancer-v2-stable", "composable");
    const { number } = await live.chain.head();
    await manage(v2.address, { abi: balancerV2PoolAbi, functionName: "enableRecoveryMode" });
    expect(found(v2)).toBeUndefined();
    for (const pool of [named("balancer-v2-stable", "stable"), named("balancer-v3", "stable")]) {
      const end = BigInt(Math.floor((await live.chain.head()).timestampMs / 1_000)) + DAYS_2;
      const functionName = "startAmplificationParameterUpdate";
      await manage(pool.address, { abi: balancerV2PoolAbi, functionName, args: [700n, end] });
      expect(found(pool)).toBeUndefined();
    }
    const reasons = live.source.status().dexes.flatMap(({ refused }) => refused);
    expect(reasons.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(["recovery mode", "an amplification that ramps"]),
    );
    await expectStates();
    const { number: end } = await live.chain.head();
    await live.run(live.devnet.traffic.reorganise(end - number));
    await live.caughtUp();
    // They are read anew, since their rates on that branch were not read yet.
    const lost = () => pools.filter((pool) => found(pool) === undefined);
    await until(
      () => lost().length === 0,
      () => `not back: ${lost().map(({ kind, version }) => `${kind} ${version}`)}`,
    );
    await expectStates();
  });

  it("charge what StableSurge says, by what its manager has set", async () => {
    const pool = named("balancer-v3", "surge");
    const { surgeHook } = contracts().balancerV3;
    const state = await reader.state(pool);
    if (state.kind !== "balancer") throw new Error(state.kind);
    const amount = state.balances[0]! / 3n;
    const before = quote(pool, 0, 1, amount);
    const set = (functionName: "setMaxSurgeFeePercentage" | "setSurgeThresholdPercentage") => ({
      ...{ abi: stableSurgeAbi, functionName },
    });
    await manage(surgeHook, { ...set("setSurgeThresholdPercentage"), args: [pool.address, 0n] });
    await manage(surgeHook, { ...set("setMaxSurgeFeePercentage"), args: [pool.address, ONE / 2n] });
    await expectStates();
    const after = quote(pool, 0, 1, amount);
    expect(after).toBeLessThan(before);
    expect(await reader.quote(pool, { positionIn: 0, positionOut: 1, amountIn: amount })).toBe(
      after,
    );
  });
});

/** Dust, parts of a balance, and more than contracts take. */
function drawAmount(balance: bigint, random: RandomSource): bigint {
  const part = BigInt(Math.ceil(10 ** (random.next() * 8 - 8) * 2 ** 60));
  const amount = random.pick([
    () => BigInt(1 + random.integer(1_000)),
    () => (balance * part) >> 60n,
    () => (balance * part) >> 60n,
    () => (balance * part) >> 60n,
    () => (balance * BigInt(20 + random.integer(20))) / 100n,
  ])();
  return amount === 0n ? 1n : amount;
}
