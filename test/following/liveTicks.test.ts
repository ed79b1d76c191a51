import { poolKey } from "@millrace/core";
import {
  type FamilyPool,
  pancakeV3FactoryAbi,
  poolManagerAbi,
  slipstreamFactoryAbi,
  slipstreamFeeModuleAbi,
} from "@millrace/devnet";
import { budget, TEST_SEED, until } from "@millrace/testing";
import { type Address, encodeFunctionData, type Hex, keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";
import { familyStateOf, readFamilies } from "../live/readFamilies.ts";

// Contracts of every DEX with ticks are governed and traded in, and the graph compared with them.

/** A push follows only the first one. */
const NETWORKS = (["BASE", "ETH"] as const).slice(0, budget(2));

describe.each(NETWORKS)("pools of further DEXes with ticks, on %s", (network) => {
  let live: LiveMarket;
  beforeAll(async () => {
    // Without audits, so that errors of the follower persist and are found here.
    const following = async ({ dexes, families }: LiveMarket["devnet"]) => {
      const feeModules = [families!.contracts.slipstream.swapFeeModule];
      return {
        dexes: dexes.map((dex) => (dex.protocol === "slipstream" ? { ...dex, feeModules } : dex)),
        auditedPools: 0,
      };
    };
    live = await openLiveMarket(network, TEST_SEED, following, { families: true });
  });
  afterAll(() => live?.close());

  const families = () => live.devnet.families!;
  /** The pools, except those whose hook changes the amounts of swaps. */
  const followed = () =>
    families().pools.filter(
      ({ family, fee }) => !family.startsWith("aerodrome") && fee !== DYNAMIC_FEE,
    );

  const trade = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) {
      await live.run(live.devnet.traffic.block(6));
      await live.chain.request("evm_increaseTime", [7 * block]);
    }
  };

  async function expectSameAsChain(): Promise<void> {
    await live.caughtUp();
    await until(
      () => live.source.status().waitingPools === 0,
      () => JSON.stringify(live.source.status().dexes),
    );
    for (const { pool, state } of await readFamilies(live.chain, live.devnet)) {
      const found = live.engine.graph.findPool(poolKey(pool.id));
      expect(found, pool.id).toBeDefined();
      expect(familyStateOf(live.engine, found!), `${pool.kind} ${pool.id}`).toEqual(state);
    }
  }

  async function govern(to: Address, data: Hex): Promise<void> {
    const sent = { from: families().contracts.governor, to, data, gas: "0x1e8480" };
    const method = "eth_sendTransactionSync";
    const { status } = await live.chain.request<{ status: Hex }>(method, [sent]);
    expect(status).toBe("0x1");
  }

  const firstOf = (family: FamilyPool["family"]) =>
    followed().find((pool) => pool.family === family)!;

  /** How many pools of a DEX are refused, by reason. */
  const refusedOf = (dexId: string) =>
    live.source.status().dexes.find((status) => status.dexId === dexId)!.refused;

  it("are what their contracts say after swaps, mints and burns, block after block", async () => {
    await expectSameAsChain();
    for (let round = 0; round < budget(4); round++) {
      await trade(4);
      await expectSameAsChain();
    }
  });

  it("are taken back with the blocks of a reorganisation", async () => {
    await trade(3);
    await expectSameAsChain();
    const { reorganisations } = live.source.status();
    await live.run(live.devnet.traffic.reorganise(3));
    await expectSameAsChain();
    expect(live.source.status().reorganisations).toBeGreaterThan(reorganisations);
    await trade(2);
    await expectSameAsChain();
  });

  it("charge what is changed of their fees, and what time changes", async () => {
    const { contracts } = families();
    const { token0, token1, ...pool } = firstOf("uniswap-v4");
    const key = {
      ...{ currency0: token0, currency1: token1 },
      ...{ fee: pool.fee!, tickSpacing: pool.tickSpacing!, hooks: pool.hooks! },
    };
    const fees = { functionName: "setProtocolFee", args: [key, 1_000 + (7 << 12)] } as const;
    const { poolManager } = contracts.uniswapV4;
    await govern(poolManager, encodeFunctionData({ abi: poolManagerAbi, ...fees }));
    const { address } = firstOf("pancake-v3");
    const part = { functionName: "setFeeProtocol", args: [address, 4_000, 1_000] } as const;
    const shares = encodeFunctionData({ abi: pancakeV3FactoryAbi, ...part });
    await govern(contracts.pancakeV3.factory, shares);
    await expectSameAsChain();
    for (const seconds of [30, 300, 3_600]) {
      await live.chain.request("evm_increaseTime", [seconds]);
      await trade(1);
      await expectSameAsChain();
    }
  });

  it("are new, or refused and counted where a hook takes part in swaps", async () => {
    const { poolManager } = families().contracts.uniswapV4;
    const hook = families().pools.find(({ fee }) => fee === DYNAMIC_FEE)!.hooks!;
    const { token0, token1 } = firstOf("uniswap-v4");
    const { loadedPools } = live.source.status();
    for (const hooks of [NO_HOOKS, hook]) {
      const key = { currency0: token0, currency1: token1, fee: 777, tickSpacing: 7, hooks };
      const start = { functionName: "initialize", args: [key, 2n ** 96n] } as const;
      await govern(poolManager, encodeFunctionData({ abi: poolManagerAbi, ...start }));
    }
    await live.caughtUp();
    expect(live.source.status().loadedPools).toBe(loadedPools + 1);
    const reasons = refusedOf("UNISWAP_V4").map(({ reason, count }) => [reason, count]);
    expect(new Map(reasons as Array<[string, number]>)).toEqual(
      new Map([
        ["a dynamic fee", 1],
        ["a hook in swaps", 1],
      ]),
    );
  });

  it.runIf(network === "BASE")(
    "leave the market while a module that is not known says their fees",
    async () => {
      const { factory, swapFeeModule } = families().contracts.slipstream;
      const setModule = (module: Address) =>
        govern(
          factory,
          encodeFunctionData({
            ...{ abi: slipstreamFactoryAbi, functionName: "setSwapFeeModule", args: [module] },
          }),
        );
      const pools = followed().filter(({ family }) => family === "slipstream");
      await setModule(STRANGER);
      await live.caughtUp();
      const { graph } = live.engine;
      const isLive = ({ id }: FamilyPool) => graph.isLive(graph.findPool(poolKey(id))!);
      expect(pools.filter(isLive)).toEqual([]);
      expect(refusedOf("SLIPSTREAM")).toEqual([
        { reason: "a fee module that is not known", count: pools.length },
      ]);
      await trade(1);
      await setModule(swapFeeModule);
      const custom = { functionName: "setCustomFee", args: [pools[0]!.address, 1_234] } as const;
      await govern(swapFeeModule, encodeFunctionData({ abi: slipstreamFeeModuleAbi, ...custom }));
      await expectSameAsChain();
      expect(refusedOf("SLIPSTREAM")).toEqual([]);
    },
  );

  it("are byte for byte what is read of the whole chain anew", async () => {
    const { source, engine } = live;
    await live.caughtUp();
    const report = await live.run(source.verify(engine.snapshot()));
    expect(report).toMatchObject({ equal: true, differences: [] });
    expect(report.pools).toBeGreaterThan(followed().length);
    expect(source.status()).toMatchObject({ driftedPools: 0, resynchronisations: 0, defects: 0 });
    expect(live.rejected).toEqual([]);
  });
});

/** Stands for a fee that a hook sets. */
const DYNAMIC_FEE = 0x800000;
const NO_HOOKS: Address = `0x${"00".repeat(20)}`;
const STRANGER: Address = `0x${keccak256("0x").slice(-40)}`;
