import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poolKey } from "@millrace/core";
import { type FamilyPool, poolManagerAbi } from "@millrace/devnet";
import { eventually, ServiceProcess, TEST_SEED, until } from "@millrace/testing";
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseAbiParameters,
  toEventSelector,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";
import { familyStateOf, readFamilies } from "../live/readFamilies.ts";

// Contracts that lie, or burn the gas of calls: a service leaves them out and says why, and has all
// other pools at each block as on the chain.

describe("contracts that are hostile", () => {
  let live: LiveMarket;
  let service: ServiceProcess;
  const folder = mkdtempSync(join(tmpdir(), "millrace-hostile-"));
  beforeAll(async () => {
    live = await openLiveMarket("BASE", TEST_SEED, async () => ({ auditedPools: 0 }), {
      families: true,
    });
    const file = join(folder, "config.json");
    writeFileSync(file, JSON.stringify({ networks: [networkOf(live)], searchWorkers: 0 }));
    service = new ServiceProcess({ environment: { MILLRACE_CONFIG: file } });
    await service.ready();
    await live.caughtUp();
  });
  afterAll(async () => {
    await service?.end("SIGKILL");
    await live?.close();
    rmSync(folder, { recursive: true });
  });

  const families = () => live.devnet.families!;
  const firstOf = (family: FamilyPool["family"]) =>
    families().pools.find((pool) => pool.family === family && pool.fee !== DYNAMIC_FEE)!;
  const dexOf = (dexId: string) =>
    live.source.status().dexes.find((status) => status.dexId === dexId)!;
  const setCode = (address: Address, code: Hex) =>
    live.chain.request("anvil_setCode", [address, code]);

  async function send(to: Address, data: Hex): Promise<void> {
    const sent = { from: families().contracts.governor, to, data, gas: "0x1e8480" };
    const method = "eth_sendTransactionSync";
    const { status } = await live.chain.request<{ status: Hex }>(method, [sent]);
    expect(status).toBe("0x1");
  }

  /**
   * Makes a contract write a log that its own code never would; calls of it still find its own
   * code.
   */
  async function logs(by: Address, topics: ReadonlyArray<Hex>, data: Hex): Promise<void> {
    const code = await live.chain.request<Hex>("eth_getCode", [by, "latest"]);
    await setCode(COPY, code);
    await setCode(by, loggingCode(families().contracts.governor, topics.length));
    await send(by, concatHex([...topics, data]));
    await setCode(by, code);
  }

  /** Checks all pools after a block of trades. */
  async function expectAllAsOnChain(): Promise<void> {
    await live.run(live.devnet.traffic.block(4));
    await expectAsOnChain();
  }

  /**
   * Checks that all pools except these are as on the chain, and that the service is at the same
   * block.
   */
  async function expectAsOnChain(...without: ReadonlyArray<FamilyPool>): Promise<void> {
    const { hash, number } = await live.caughtUp();
    await until(
      () => live.source.status().waitingPools === 0,
      () => JSON.stringify(live.source.status().dexes),
    );
    const { devnet, chain, engine, source } = live;
    const pools = families().pools.filter((pool) => !without.includes(pool));
    const readings = await readFamilies(chain, { ...devnet, families: { ...families(), pools } });
    expect(readings.length).toBeGreaterThan(10);
    for (const { pool, state } of readings) {
      const found = engine.graph.findPool(poolKey(pool.id));
      expect(found, `${pool.kind} ${pool.id}`).toBeDefined();
      expect(familyStateOf(engine, found!), `${pool.kind} ${pool.id}`).toEqual(state);
    }
    expect(engine.graph.stamp.hash).toBe(hash);
    expect(source.status()).toMatchObject({ resynchronisations: 0, defects: 0 });
    expect(live.rejected).toEqual([]);
    // The service is there too, without the same pools, for the same reasons.
    await eventually(async () => {
      const { text } = await service.get("/health/ready");
      const [{ blockNumber, ready }] = JSON.parse(text).networks;
      return ready === true && BigInt(blockNumber) === BigInt(number);
    });
    const told = source.status().dexes.map(({ dexId, loadedPools, refused }) => ({
      ...{ dexId, loaded: loadedPools },
      refused: refused.map(({ reason, count }) => ({ reason, pools: count })),
    }));
    await eventually(async () => {
      const [network] = JSON.parse((await service.get("/networks")).text).result;
      return told.every((dex, at) =>
        expect.objectContaining(dex).asymmetricMatch(network.pools[at]),
      );
    });
    const { text: metrics } = await service.get("/metrics");
    for (const { dexId, refused } of told)
      for (const { reason, pools: count } of refused)
        expect(metrics).toMatch(
          new RegExp(`refused_pools\\{.*dex="${dexId}",reason="${reason}"\\} ${count}$`, "m"),
        );
  }

  it("as a factory that tells of pools that are not its own: there are no more pools", async () => {
    const { pancakeV3, slipstream, aerodrome } = families().contracts;
    const { token0, token1 } = firstOf("pancake-v3");
    const pair = [pad(token0), pad(token1)];
    const before = live.source.status().discoveredPools;
    const created = toEventSelector("PoolCreated(address,address,uint24,int24,address)");
    const topics = [created, ...pair, numberToHex(500, { size: 32 })];
    const told = parseAbiParameters("int24, address");
    await logs(pancakeV3.factory, topics, encodeAbiParameters(told, [10, STRANGER]));
    await logs(pancakeV3.factory, topics, "0x");
    // Nor is a stranger a factory, even of an existing pool.
    await logs(STRANGER, topics, encodeAbiParameters(told, [10, firstOf("slipstream").address]));
    const spaced = toEventSelector("PoolCreated(address,address,int24,address)");
    const spacing = numberToHex(50, { size: 32 });
    await logs(slipstream.factory, [spaced, ...pair, spacing], pad(STRANGER));
    const kind = toEventSelector("PoolCreated(address,address,bool,address,uint256)");
    const numbered = encodeAbiParameters(parseAbiParameters("address, uint256"), [STRANGER, 99n]);
    const stable = numberToHex(1, { size: 32 });
    await logs(aerodrome.factory, [kind, ...pair, stable], numbered);
    await expectAllAsOnChain();
    expect(live.source.status().discoveredPools).toBe(before);
  });

  it("as a pool manager whose logs are of no pool, or cannot be: what they name is read anew", async () => {
    const { poolManager } = families().contracts.uniswapV4;
    const { id, token0, token1 } = firstOf("uniswap-v4");
    const { discoveredPools, driftedPools } = live.source.status();
    const start = toEventSelector(
      "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)",
    );
    const key = parseAbiParameters("uint24, int24, address, uint160, int24");
    const data = encodeAbiParameters(key, [500, 10, NO_HOOKS, 2n ** 96n, 0]);
    await logs(poolManager, [start, keccak256("0x00"), pad(token0), pad(token1)], data);
    const swapped = toEventSelector(
      "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)",
    );
    const swap = parseAbiParameters("int128, int128, uint160, uint128, int24, uint24");
    const lie = encodeAbiParameters(swap, [-1n, 1n, 2n ** 96n, 12_345n, 0, 500]);
    await logs(poolManager, [swapped, keccak256("0x01"), pad(STRANGER)], lie);
    await expectAllAsOnChain();
    expect(live.source.status()).toMatchObject({ discoveredPools, driftedPools });
    await logs(poolManager, [swapped, id, pad(STRANGER)], lie);
    await expectAllAsOnChain();
    expect(live.source.status().driftedPools).toBe(driftedPools + 1);
  });

  it("as a hook that takes part in swaps: its pools are refused, and counted", async () => {
    const { poolManager } = families().contracts.uniswapV4;
    const { hooks } = families().pools.find(({ fee }) => fee === DYNAMIC_FEE)!;
    const { token0, token1 } = firstOf("uniswap-v4");
    const { loadedPools, refused } = dexOf("UNISWAP_V4");
    const pool = { currency0: token0, currency1: token1, tickSpacing: 7, hooks: hooks! };
    for (const fee of [777, 778]) {
      const start = { functionName: "initialize", args: [{ ...pool, fee }, 2n ** 96n] } as const;
      await send(poolManager, encodeFunctionData({ abi: poolManagerAbi, ...start }));
    }
    await expectAllAsOnChain();
    expect(dexOf("UNISWAP_V4")).toMatchObject({
      loadedPools,
      refused: [...refused, { reason: "a hook in swaps", count: 2 }],
    });
  });

  it("as a fee module that says what is no fee, or burns its gas: pools charge what they do", async () => {
    const { swapFeeModule } = families().contracts.slipstream;
    const code = await live.chain.request<Hex>("eth_getCode", [swapFeeModule, "latest"]);
    const { loadedPools } = dexOf("SLIPSTREAM");
    for (const other of [ALL_BITS, BURNING, code]) {
      await setCode(swapFeeModule, other);
      await expectAllAsOnChain();
      expect(dexOf("SLIPSTREAM")).toMatchObject({ loadedPools, refused: [] });
    }
  });

  it("as a pool whose fee burns its gas: it leaves the market, and nothing else does", async () => {
    const burning = firstOf("slipstream");
    const { loadedPools } = dexOf("SLIPSTREAM");
    await setCode(burning.address, BURNING);
    await live.chain.request("evm_mine");
    await expectAsOnChain(burning);
    expect(dexOf("SLIPSTREAM")).toMatchObject({
      loadedPools: loadedPools - 1,
      refused: [{ reason: "a fee that is not told", count: 1 }],
    });
    const { graph } = live.engine;
    expect(graph.isLive(graph.findPool(poolKey(burning.id))!)).toBe(false);
    // Fees of other pools move on with the time.
    await live.chain.request("evm_increaseTime", [60]);
    await live.chain.request("evm_mine");
    await expectAsOnChain(burning);
    // Every block was published in order; some again, with one more pool.
    const numbers = [...new Set(live.told.map(({ stamp }) => stamp.number))];
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
  });
});

/** Stands for a fee that a hook sets. */
const DYNAMIC_FEE = 0x800000;
const NO_HOOKS: Address = `0x${"00".repeat(20)}`;
const STRANGER: Address = `0x${keccak256("0x").slice(-40)}`;
/** Code that jumps to its own start. */
const BURNING: Hex = "0x5b600056";
/** Code that answers everything with a word of set bits. */
const ALL_BITS: Hex = "0x60001960005260206000f3";

/** Jump targets in the code below. */
const ANSWER_AT = "004d";
const LOG_AT = "0052";
/** The place of a contract's own code while it has another one. */
const COPY: Address = `0x${keccak256("0x00").slice(-40)}`;

/**
 * Code that writes the calldata of one account's transactions as a log: topics first, a word each,
 * then data. For all others it runs the code at COPY.
 */
function loggingCode(account: Address, topics: number): Hex {
  const byte = (value: number) => value.toString(16).padStart(2, "0");
  const loads = Array.from({ length: topics }, (_, at) => `60${byte(0x20 * at)}35`).reverse();
  const start = byte(0x20 * topics);
  // if (origin == account) goto log
  const isLog = `3273${account.slice(2)}1461${LOG_AT}57`;
  // delegatecall(COPY, calldata), and its answer or its revert
  const call = `3660006000376000600036600073${COPY.slice(2)}5af43d600060003e`;
  const answer = `61${ANSWER_AT}573d6000fd5b3d6000f3`;
  const log = `5b${loads.join("")}60${start}36038060${start}6000376000a${topics}00`;
  return `0x${isLog}${call}${answer}${log}`;
}

/** The network's configuration. */
function networkOf({ devnet }: LiveMarket) {
  const { chainId, rpcUrl: url, webSocketUrl, wrappedNative, contracts, anchors } = devnet;
  const admission = { anchors, depthFloorUsd: 0, pools: [] };
  return {
    ...{ id: "LOCAL", name: "Local", chainId, wrappedNative, headAgeLimitMs: null },
    anchors: anchors
      .filter(({ address }) => address !== wrappedNative)
      .map(({ address, priceUsd }) => ({ address, priceUsd })),
    source: {
      ...{ kind: "chain", endpoints: [{ name: "local", url, webSocketUrl }], admission },
      ...{ blockTimeMs: devnet.blockTimeMs, multicall: contracts.multicall3, dexes: devnet.dexes },
    },
  };
}
