import { type ChainOptions, chainSource, type FollowedProtocol } from "@millrace/chain";
import { type Curve, Engine } from "@millrace/core";
import { type Devnet, startDevnet } from "@millrace/devnet";
import { curves, protocols, type QuoteCall } from "@millrace/protocols";
import { eventually, TEST_SEED, TestScope, until } from "@millrace/testing";
import { chainOptionsOf } from "@millrace/testing/devnet";
import { Effect, Stream } from "effect";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Chain } from "../live/Chain.ts";

// Audits of quotes against contracts on a real EVM: with wrong arithmetic of ours, and with
// contracts whose answers are arbitrary.

const REASON = "quotes unlike the chain's";
/** Burns all gas: JUMPDEST, and back to it. */
const BURNER = { address: `0x${"b1".repeat(20)}`, code: "0x5b600056" } as const;
/** Answers two bytes: no number. */
const RUBBISH = { address: `0x${"b2".repeat(20)}`, code: "0x60026000f3" } as const;
const AERODROME = protocols.find(({ name }) => name === "aerodrome")!;
const OTHERS = protocols.filter((protocol) => protocol !== AERODROME);

let devnet: Devnet;
let chain: Chain;
let closeDevnet: () => Promise<void>;
const openDevnet = () =>
  TestScope.open(async ({ run, close }) => {
    devnet = await run(startDevnet({ network: "BASE", seed: TEST_SEED, families: true }));
    chain = new Chain(devnet.rpcUrl, devnet.contracts.multicall3);
    for (const { address, code } of [BURNER, RUBBISH]) {
      await chain.request("anvil_setCode", [address, code]);
    }
    return close;
  });
beforeAll(async () => {
  closeDevnet = await openDevnet();
});
afterAll(() => closeDevnet?.());

/** Aerodrome pools of one kind on the devnet. */
const poolsOf = (family: string) =>
  devnet.families!.pools.filter((pool) => pool.family === family).map(({ address }) => address);

let closing: () => Promise<void> = async () => {};
afterEach(() => closing());

/** Follows the devnet with another implementation of Aerodrome. */
const follow = (aerodrome: FollowedProtocol, options: Partial<ChainOptions> = {}) =>
  TestScope.open(async ({ run, close }) => {
    closing = close;
    const { factory, initCodeHash } = devnet.families!.contracts.aerodrome;
    const dex = { id: "AERODROME", name: "Aerodrome", protocol: "aerodrome", startBlock: 1 };
    const dexes = [...devnet.dexes, { ...dex, factory, initCodeHash }];
    const source = await run(
      chainSource(
        { ...chainOptionsOf(devnet), dexes, auditedPools: 0, auditedQuotes: 100, ...options },
        [...OTHERS, aerodrome],
      ),
    );
    const removed: string[] = [];
    const blocks = Stream.tap(source.blocks, ({ removedPools }) =>
      Effect.sync(() => removed.push(...removedPools)),
    );
    const engine = await run(Engine.make({ source: { ...source, blocks }, curves }));
    const { graph } = engine;
    await until(
      () => source.obstacle() === undefined && graph.livePoolCount > 0,
      () => `${source.obstacle()}`,
    );
    const mineUntil = (isDone: () => boolean) =>
      eventually(async () => {
        if (!isDone()) await chain.request("anvil_mine", []);
        return isDone();
      });
    const isIn = (pool: string) => graph.findPool(pool as `0x${string}`) !== undefined;
    return { source, removed, mineUntil, isIn };
  });

/** A curve that gives a unit more than the contract. */
const generous = (curve: Curve): Curve => ({
  ...curve,
  open: (graph) => {
    const family = curve.open(graph);
    return { ...family, quoteExactIn: (...swap) => family.quoteExactIn(...swap) + 1n };
  },
});

/** The protocol with other audit calls for some pools. */
const askedOtherwise = (
  otherwise: (quote: QuoteCall, pool: string) => QuoteCall,
): FollowedProtocol => ({
  ...AERODROME,
  chain: {
    ...AERODROME.chain,
    open: (dex) => {
      const followed = AERODROME.chain.open(dex);
      return {
        ...followed,
        quoteCall: (pool, ...swap) => otherwise(followed.quoteCall!(pool, ...swap)!, pool.address),
      };
    },
  },
});

/** The protocol, which asks another contract about some pools. */
const askedAt = (pools: ReadonlyMap<string, `0x${string}`>): FollowedProtocol =>
  askedOtherwise((quote, pool) => {
    const to = pools.get(pool);
    return to === undefined ? quote : { ...quote, call: { ...quote.call, to } };
  });

describe("quotes that are compared with the chain's own", { timeout: 120_000 }, () => {
  it("find nothing where both are right", async () => {
    const { source, mineUntil, removed } = await follow(AERODROME);
    await mineUntil(() => source.status().auditedQuotes > 40);
    expect(source.status()).toMatchObject({ differingQuotes: 0, driftedPools: 0, defects: 0 });
    expect(removed).toEqual([]);
  });

  it("take pools of a wrong curve out of the market for good, and no others", async () => {
    const wrong = { ...AERODROME, curves: AERODROME.curves.map(wrongIfStable) };
    const { source, mineUntil, isIn } = await follow(wrong);
    const [stable, volatile] = [poolsOf("aerodrome-stable"), poolsOf("aerodrome-volatile")];
    await mineUntil(() => !stable.some(isIn) && source.status().waitingPools === 0);
    await mineUntil(() => source.status().differingQuotes === stable.length);
    const refused = [{ reason: REASON, count: stable.length }];
    const dex = () => source.status().dexes.find(({ dexId }) => dexId === "AERODROME");
    expect(dex()).toMatchObject({ loadedPools: volatile.length, refused });
    const { auditedQuotes } = source.status();
    await mineUntil(() => source.status().auditedQuotes > auditedQuotes + 20);
    expect(stable.some(isIn)).toBe(false);
    expect(volatile.every(isIn)).toBe(true);
    expect(source.status()).toMatchObject({ driftedPools: 0, defects: 0 });
  });

  it("are first those that routes lead through", async () => {
    const [pool] = poolsOf("aerodrome-stable");
    const wrong = { ...AERODROME, curves: AERODROME.curves.map(wrongIfStable) };
    const swap = { pool: pool!, positionIn: 1, positionOut: 0, amountIn: 1_000_003n };
    // One audited quote per block, always of a route.
    const options = { auditedQuotes: 1, routedSwaps: () => [swap] };
    const { source, mineUntil, isIn } = await follow(wrong, options);
    await mineUntil(() => source.status().differingQuotes === 1);
    await until(
      () => !isIn(pool!),
      () => "the pool is still in",
    );
    expect(source.status().auditedQuotes).toBe(1);
  });

  it("harm nobody but the pool whose contract burns its gas, or answers no number", async () => {
    const [burner, rubbish, ...sound] = poolsOf("aerodrome-volatile");
    const hostile = new Map([
      [burner!, BURNER.address],
      [rubbish!, RUBBISH.address],
    ]);
    const { source, mineUntil, isIn } = await follow(askedAt(hostile));
    await mineUntil(() => source.status().differingQuotes === 2);
    const { auditedQuotes } = source.status();
    await mineUntil(() => source.status().auditedQuotes > auditedQuotes + 20);
    expect([burner!, rubbish!].some(isIn)).toBe(false);
    expect([...sound, ...poolsOf("aerodrome-stable")].every(isIn)).toBe(true);
    expect(source.status()).toMatchObject({ differingQuotes: 2, driftedPools: 0, defects: 0 });
    expect(source.status().refusedQuoters).toEqual([]);
  });

  it("hold nothing against a pool that at a second look gives the same", async () => {
    const doubted = new Set<string>();
    const passing = askedOtherwise((quote, pool) => {
      if (doubted.has(pool)) return quote;
      doubted.add(pool);
      return { ...quote, amountOut: onceMore(quote.amountOut) };
    });
    const { source, mineUntil, removed } = await follow(passing);
    const pools = [...poolsOf("aerodrome-stable"), ...poolsOf("aerodrome-volatile")];
    await mineUntil(() => doubted.size === pools.length && source.status().auditedQuotes > 40);
    expect(source.status()).toMatchObject({ differingQuotes: 0, driftedPools: 0, defects: 0 });
    expect(source.status().refusedQuoters).toEqual([]);
    expect(removed).toEqual([]);
  });

  it("are believed no more where all pools of a DEX differ: it is whom one asks", async () => {
    const pools = [...poolsOf("aerodrome-stable"), ...poolsOf("aerodrome-volatile")];
    const { source, removed, mineUntil, isIn } = await follow(
      askedAt(new Map(pools.map((pool) => [pool, RUBBISH.address]))),
    );
    await mineUntil(() => source.status().refusedQuoters.length > 0);
    expect(source.status().refusedQuoters).toEqual(["AERODROME"]);
    // The market hears of the two that were blamed a little later.
    await mineUntil(() => removed.length === 2 && source.status().waitingPools === 0);
    await mineUntil(() => pools.every(isIn));
    const { auditedQuotes } = source.status();
    await mineUntil(() => source.status().auditedQuotes > auditedQuotes + 20);
    expect(pools.every(isIn)).toBe(true);
    expect(source.status()).toMatchObject({ differingQuotes: 2, driftedPools: 0, defects: 0 });
  });
});

/** Adds a unit to the first decoded answer only. */
function onceMore(amountOut: QuoteCall["amountOut"]): QuoteCall["amountOut"] {
  let isFirst = true;
  return (answer) => {
    const extra = isFirst ? 1n : 0n;
    isFirst = false;
    const given = amountOut(answer);
    return given === undefined ? undefined : given + extra;
  };
}

function wrongIfStable(curve: Curve): Curve {
  return curve.name === "solidly-stable" ? generous(curve) : curve;
}
