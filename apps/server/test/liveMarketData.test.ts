import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CandleList,
  NetworkList,
  PoolAnswer,
  PoolList,
  Readiness,
  TokenAnswer,
  TokenList,
  type Trade,
  TradeList,
} from "@millrace/api";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, type LocalChain, networkOn, startLocalChain } from "./localChain.ts";
import { configOf, issuesOf, type Service, startService } from "./service.ts";

let folder: string;
let chain: LocalChain;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-market-"));
  chain = await startLocalChain(100);
});
afterAll(async () => {
  await chain?.stop();
  rmSync(folder, { recursive: true });
});

const STRICT = { onExcessProperty: "error" } as const;

async function starting(
  more: Record<string, unknown> = {},
  environment: Record<string, string> = {},
): Promise<Service> {
  const { source, ...network } = networkOn(chain.devnet);
  const file = join(folder, "config.json");
  const saving = { ...source, snapshotBlocks: 5 };
  writeFileSync(file, JSON.stringify({ networks: [{ ...network, ...more, source: saving }] }));
  return startService(await configOf({ MILLRACE_CONFIG: file, ...environment }));
}

const isReady = async (service: Service) => (await service.get("/health/ready")).status === 200;

const isComplete = async (service: Service) => {
  const { json } = await service.get("/health/ready/LOCAL");
  return json.networks[0].history?.complete === true;
};

const addressOf = (symbol: string): string =>
  chain.devnet.tokens.find((token) => token.symbol === symbol)!.address;

async function busiestPool(service: Service) {
  const { json } = await service.get("/pools?sort=-volume24h&limit=1");
  return Schema.decodeUnknownSync(PoolList)(json, STRICT).data[0]!;
}

async function tradesOf(service: Service, pool: string): Promise<Array<typeof Trade.Type>> {
  const trades: Array<typeof Trade.Type> = [];
  for (;;) {
    const last = trades.at(-1)?.id;
    const before = last === undefined ? "" : `&before=${last}`;
    const { status, json } = await service.get(`/pools/${pool}/trades?limit=7${before}`);
    expect(status).toBe(200);
    const { data } = Schema.decodeUnknownSync(TradeList)(json, STRICT);
    trades.push(...data);
    if (data.length < 7) return trades;
  }
}

/** Topics of the logs by which pools tell of swaps, V2 and V3. */
const SWAPS = [
  "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
];

/** `blockNumber-logIndex` of all swaps of a pool that the chain's own logs tell of, newest first. */
async function swapsOnChain(pool: string, from: bigint, to: bigint): Promise<string[]> {
  const quantity = (value: bigint) => `0x${value.toString(16)}`;
  const filter = {
    address: pool,
    topics: [SWAPS],
    fromBlock: quantity(from),
    toBlock: quantity(to),
  };
  const logs = (await chain.call("eth_getLogs", filter)) as ReadonlyArray<{
    readonly blockNumber: string;
    readonly logIndex: string;
  }>;
  return logs.map((log) => `${BigInt(log.blockNumber)}-${BigInt(log.logIndex)}`).reverse();
}

describe("what trades on a chain", () => {
  let service: Service;
  beforeAll(async () => {
    service = await starting();
    await eventually(() => isReady(service));
    await eventually(() => isComplete(service));
  });
  afterAll(() => service?.stop());

  it("is listed pool by pool, as the chain's own logs tell it, page after page", async () => {
    const pool = await busiestPool(service);
    const trades = await eventually(async () => {
      const found = await tradesOf(service, pool.poolAddress);
      return found.length > 10 ? found : undefined;
    });
    const [newest] = trades;
    const to = BigInt(newest!.blockNumber);
    const ids = trades.map(({ id }) => id);
    expect(ids).toEqual(await swapsOnChain(pool.poolAddress, 0n, to));
    const [one] = (await chain.call("eth_getTransactionReceipt", newest!.transactionHash).then(
      (receipt) => (receipt as { readonly logs: ReadonlyArray<{ readonly logIndex: string }> }).logs,
    )).filter(({ logIndex }) => Number(logIndex) === newest!.logIndex);
    expect(one).toMatchObject({
      address: pool.poolAddress.toLowerCase(),
      blockHash: newest!.blockHash,
    });
    for (const trade of trades) {
      expect(trade.poolAddress).toBe(pool.poolAddress);
      expect([trade.tokenIn, trade.tokenOut].toSorted()).toEqual(
        [pool.token0, pool.token1].toSorted(),
      );
      expect(BigInt(trade.amountIn)).toBeGreaterThan(0n);
    }
  });

  it("is counted in windows: a token's are the sum over its pools, a pool's that of its trades", async () => {
    const { data } = chain.devnet;
    expect(data).toBeUndefined();
  });
});
