import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChainSource, chainSource, folderDisk } from "@millrace/chain";
import { type Address, type OpenMarket, openMarket } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import { curves } from "@millrace/protocols";
import { TestScope, until } from "@millrace/testing";
import { chainOptionsOf, openTestDevnet, type TestDevnet } from "@millrace/testing/devnet";
import { Effect, Stream } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// Which pools of a chain are admitted: by depth and by configuration, at first and after a restart.

const FLOOR_USD = 20_000;
/** `mint(address,uint256)` of the devnet's tokens, `sync()` of its pairs. */
const MINT = "0x40c10f19";
const SYNC = "0xfff6cae9";

const folder = mkdtempSync(join(tmpdir(), "millrace-admission-"));
const scopes: TestScope[] = [];
let chain: TestDevnet;
let devnet: Devnet;

beforeAll(async () => {
  chain = await openTestDevnet({ network: "ETH", seed: 5 });
  devnet = chain.devnet;
});

afterAll(async () => {
  for (const scope of scopes.reverse()) await scope.close();
  await chain?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("pools are loaded", () => {
  it("when they are deep enough, or configured, and when they become it; a restart keeps them", async () => {
    const all = devnet.pools.map(({ address }) => address);
    const first = await follow([]);
    const deep = first.loaded();
    expect(deep.length).toBeGreaterThan(5);
    expect(deep.length).toBeLessThan(all.length - 5);

    const shallow = devnet.pools.filter(({ address }) => !deep.includes(address));
    const configured = shallow.at(-1)!.address;
    const second = await follow([configured]);
    expect(second.loaded()).toEqual([...deep, configured].sort());

    // Neither side is an anchor, so other pools determine its value.
    const anchors = new Set(devnet.anchors.map(({ address }) => address));
    const poor = shallow.find(
      ({ dexId, token0, token1, address }) =>
        dexId.endsWith("_V2") &&
        address !== configured &&
        !(anchors.has(token0) && anchors.has(token1)),
    )!;
    for (const token of [poor.token0, poor.token1]) await enrich(token, poor.address);
    await send(poor.address, SYNC);
    await until(
      () => first.loaded().includes(poor.address),
      () => "the pool with too little",
    );
    const { graph } = first.market;
    const pool = graph.findPool(poor.address)!;
    expect(graph.poolUpdatedBlock[pool]).toBeGreaterThan(0);
    expect(await newScope().run(first.source.verify(first.market.snapshot()))).toMatchObject({
      equal: true,
    });

    // The next block writes a snapshot, from which the restart continues.
    await until(
      () => first.source.status().savedBlock === graph.stamp.number,
      () => "a save of the snapshot",
    );
    await first.stop();
    const again = await follow([]);
    // Pools that were loaded after the snapshot get another shallow read.
    await until(
      () => again.loaded().length >= first.loaded().length,
      () => "the pools of the snapshot",
    );
    expect(again.loaded()).toEqual(first.loaded());
    expect(again.source.status().discoveredPools).toBe(all.length);
  });
});

/** A source with the floor, at the head, after it has read all waiting pools. */
async function follow(pools: ReadonlyArray<Address>) {
  const scope = newScope();
  const market: OpenMarket = openMarket(devnet.chainId, curves);
  const disk = pools.length === 0 ? { disk: await scope.run(folderDisk(folder)) } : {};
  const admission = { anchors: devnet.anchors, depthFloorUsd: FLOOR_USD, pools };
  const options = { ...chainOptionsOf(devnet), admission, snapshotBlocks: 1, ...disk };
  const source: ChainSource = await scope.run(chainSource(options));
  const following = Stream.runForEach(source.blocks, (block) =>
    Effect.sync(() => market.writer.applyBlock(block)),
  );
  await scope.run(Effect.forkScoped(following));
  await scope.run(source.ready);
  await until(
    () => source.status().waitingPools === 0,
    () => "the pools that wait",
  );
  const loaded = () =>
    devnet.pools
      .map(({ address }) => address)
      .filter((address) => market.graph.findPool(address) !== undefined)
      .sort();
  return { source, market, loaded, stop: scope.close };
}

function newScope(): TestScope {
  const scope = new TestScope();
  scopes.push(scope);
  return scope;
}

/** Gives a pool a thousand times its balance of a token. */
async function enrich(token: Address, pool: Address): Promise<void> {
  const balance = BigInt(
    await chain.call<string>("eth_call", { to: token, data: `0x70a08231${word(pool)}` }, "latest"),
  );
  if (token === devnet.wrappedNative) {
    const trader = devnet.traders[0]!.address;
    const value = `0x${(balance * 1_000n).toString(16)}`;
    const enough = `0x${(balance * 2_000n + 10n ** 24n).toString(16)}`;
    await chain.call("anvil_setBalance", trader, enough);
    await send(token, "0xd0e30db0", value);
    await send(token, `0xa9059cbb${word(pool)}${word(value)}`);
  } else {
    await send(token, `${MINT}${word(pool)}${word(`0x${(balance * 1_000n).toString(16)}`)}`);
  }
}

async function send(to: Address, data: string, value = "0x0"): Promise<void> {
  const from = devnet.traders[0]!.address;
  const sent = { from, to, data, value, gas: "0x7a1200" };
  const receipt = await chain.call<{ status: string }>("eth_sendTransactionSync", sent);
  expect(receipt.status).toBe("0x1");
}

const word = (hex: string): string => hex.slice(2).padStart(64, "0");
