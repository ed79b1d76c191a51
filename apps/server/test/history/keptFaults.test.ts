import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { eventually } from "@millrace/testing";
import { tradesOnChain } from "@millrace/testing/devnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Service } from "../kit/service.ts";
import {
  allTrades,
  caughtUp,
  serve,
  startTradedChain,
  type TradedChain,
  trade,
} from "../kit/tradedChain.ts";

// Memory holds only a few trades; the history has the rest.
const SMALL = { tradesMax: 9, candleMiB: 1 };
const BLOCKS_BEHIND = 1_100;
const DISK_BYTES = 2 ** 24;

let traded: TradedChain;
beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 6);
});
afterAll(() => traded?.stop());

/** A small disk, which only root can mount. */
const disk = () => join(traded.folder, "disk");
function hasDisk(): boolean {
  mkdirSync(disk());
  const words = ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "millrace-test", disk()];
  return spawnSync("mount", words).status === 0;
}

describe("a network whose history cannot be written", () => {
  it("goes on while its disk is full, says so, and has all of it once there is room", async ({
    skip,
  }) => {
    if (!hasDisk()) {
      console.warn("SKIPPED keptFaults.test.ts: a full disk: nobody but root mounts one");
      return skip();
    }
    const filler = join(disk(), "filler");
    writeFileSync(filler, new Uint8Array(DISK_BYTES - 65_536));
    try {
      const environment = { MILLRACE_DATA_DIR: disk(), MILLRACE_LOG_LEVEL: "none" };
      const service = await serve(traded, SMALL, environment);
      await trade(traded, 2);
      await caughtUp(traded, service);
      await eventually(async () => (await keptOf(service)).problem !== undefined);
      await trade(traded, 2);
      await caughtUp(traded, service);
      await expectQuote(service);
      rmSync(filler);
      await expectAll(service);
      await service.stop();
    } finally {
      spawnSync("umount", [disk()]);
    }
  });

  it("goes on while another program holds its file, and has all of it later", async () => {
    const data = join(traded.folder, "held");
    const environment = { MILLRACE_DATA_DIR: data, MILLRACE_LOG_LEVEL: "none" };
    const service = await serve(traded, SMALL, environment);
    await expectAll(service);
    const { chainId } = traded.chain.devnet;
    const other = new DatabaseSync(join(data, "LOCAL", `history-${chainId}.sqlite`));
    other.exec("BEGIN IMMEDIATE");
    await trade(traded, 3);
    await caughtUp(traded, service);
    await eventually(async () => (await keptOf(service)).behindMs > 500);
    await expectQuote(service);
    await eventually(async () => (await keptOf(service)).problem !== undefined);
    await trade(traded, 1);
    other.exec("ROLLBACK");
    other.close();
    await expectAll(service);
    await service.stop();
  });
});

describe("a network whose node is far behind what is kept", () => {
  it("keeps what the node has, and takes back the rest", async () => {
    const data = join(traded.folder, "behind");
    const environment = { MILLRACE_DATA_DIR: data, MILLRACE_LOG_LEVEL: "none" };
    const first = await serve(traded, SMALL, environment);
    await expectAll(first);
    const before = await traded.chain.call("evm_snapshot");
    await trade(traded, 2);
    // More blocks than the service knows by hash.
    await traded.chain.call("anvil_mine", `0x${BLOCKS_BEHIND.toString(16)}`);
    await expectAll(first);
    await first.stop();
    const names = () => readdirSync(join(data, "LOCAL"));
    await traded.chain.call("evm_revert", before);
    const second = await serve(traded, SMALL, environment);
    await expectAll(second);
    expect(names().filter((name) => name.includes("aside"))).toEqual([]);
    await trade(traded, 2);
    await expectAll(second);
    await second.stop();
  });
});

async function keptOf(service: Service) {
  return (await service.get("/health/ready/LOCAL")).json.networks[0].history.kept as {
    readonly complete: boolean;
    readonly behindMs: number;
    readonly problem?: string;
  };
}

async function expectQuote(service: Service): Promise<void> {
  const { wrappedNative: tokenA, pools } = traded.chain.devnet;
  const pool = pools.find(({ token0, token1 }) => [token0, token1].includes(tokenA))!;
  const tokenB = pool.token0 === tokenA ? pool.token1 : pool.token0;
  const asked = { tokenA, tokenB, amountIn: "1000000000000000" };
  expect((await service.post("/LOCAL/quote", asked)).status).toBe(200);
}

/** Waits until everything is written, and checks that each pool has every swap of the chain. */
async function expectAll(service: Service): Promise<void> {
  await caughtUp(traded, service);
  await eventually(async () => {
    const { complete, behindMs, problem } = await keptOf(service);
    return complete && behindMs === 0 && problem === undefined;
  });
  for (const { address } of traded.chain.devnet.pools) {
    const trades = await allTrades(service, `/pools/${address}`);
    expect(trades.map(({ id }) => id)).toEqual(await tradesOnChain(traded.chain, address));
  }
}
