import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { budget, eventually, killProcesses, ServiceProcess } from "@millrace/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Service } from "../kit/service.ts";
import {
  caughtUp,
  serve,
  settingsOf,
  startTradedChain,
  type TradedChain,
  trade,
  tradesOf,
} from "../kit/tradedChain.ts";

// Services in processes of their own, which share and fill a real disk, and are killed.

let traded: TradedChain;
beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 4);
});
afterAll(() => traded?.stop());

afterEach(killProcesses);

/** Starts the service as `npm start` does; `shell` is a command of the shell before it. */
const start = (dataDirectory: string, shell?: string) => {
  const file = join(traded.folder, "config.json");
  writeFileSync(file, JSON.stringify({ searchWorkers: 0, ...settingsOf(traded) }));
  return new ServiceProcess({
    environment: { MILLRACE_CONFIG: file, MILLRACE_DATA_DIR: dataDirectory },
    ...(shell !== undefined && { shell }),
  });
};

const files = (data: string) =>
  readdirSync(join(data, "LOCAL")).filter((name) => name.startsWith("market"));

const allTrades = (service: Service) =>
  Promise.all(traded.chain.devnet.pools.map(({ address }) => tradesOf(service, address)));

const ids = (trades: Awaited<ReturnType<typeof allTrades>>) =>
  trades.map((ofPool) => ofPool.map(({ id, amountIn }) => `${id} ${amountIn}`));

/**
 * The data of a service that continues from the saved state, and of one with only the chain. The
 * first runs in this process, which then holds the directory.
 */
async function goneOn(data: string) {
  const service = await serve(traded, {}, { MILLRACE_DATA_DIR: data });
  await caughtUp(traded, service);
  const kept = await allTrades(service);
  await service.stop();
  const fresh = await serve(traded);
  await caughtUp(traded, fresh);
  const anew = await allTrades(fresh);
  await fresh.stop();
  return { kept: ids(kept), anew: ids(anew) };
}

describe("the directory of market data", () => {
  it("a service that is killed while it saves is gone on from, time and again", async () => {
    const data = join(traded.folder, "killed");
    for (const patienceMs of [60, 0, 150].slice(0, budget(3))) {
      const service = start(data);
      await service.ready();
      const trading = trade(traded, 6);
      await eventually(() => files(data).length > 0);
      await sleep(patienceMs);
      await service.end("SIGKILL");
      await trading;
      expect(service.output.err).not.toContain("left aside");
    }
    const { kept, anew } = await goneOn(data);
    expect(kept).toEqual(anew);
    expect(files(data).every((name) => name.endsWith(".saved"))).toBe(true);
  });

  it("a second service on the directory waits, says so, and takes over when the first is gone", async () => {
    const data = join(traded.folder, "shared");
    const first = start(data);
    await first.ready();
    const second = start(data);
    await eventually(() => second.output.err.includes("waiting for the folder of snapshots"));
    expect((await second.get("/health/live")).status).toBe(200);
    expect((await second.get("/health/ready")).status).toBe(503);
    await trade(traded, 3);
    await eventually(() => files(data).length > 0);
    await first.end("SIGKILL");
    await second.ready();
    const before = files(data);
    await trade(traded, 3);
    await eventually(() => files(data).join() !== before.join());
    await second.end("SIGKILL");
    const { kept, anew } = await goneOn(data);
    expect(kept).toEqual(anew);
  });

  it("a service whose disk takes no more goes on, counts it, and leaves the last save as it is", async () => {
    const data = join(traded.folder, "full");
    const first = start(data);
    await first.ready();
    await first.end("SIGTERM");
    const before = files(data);
    expect(before.length).toBe(1);
    // No file may grow beyond some kilobytes: less than any save has.
    const full = start(data, "ulimit -f 8");
    await full.ready();
    await trade(traded, 4);
    await eventually(async () =>
      /market_save_failures_total\{network="LOCAL"\} [1-9]/.test((await full.get("/metrics")).text),
    );
    expect(full.output.err).toContain("market data was not saved");
    expect((await full.get("/tokens")).status).toBe(200);
    expect(await full.end("SIGTERM")).toBe(0);
    expect(files(data)).toEqual(before);
    const { kept, anew } = await goneOn(data);
    expect(kept).toEqual(anew);
  });
});
