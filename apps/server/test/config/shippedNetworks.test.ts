import { readFileSync } from "node:fs";
import type { Address } from "@millrace/core";
import type { ChainDex, ChainLog, Hex } from "@millrace/protocols";
import { chainProtocols } from "@millrace/protocols";
import { describe, expect, it } from "vitest";
import { configOf, UNIVERSE_A } from "../kit/service.ts";

// A pool's address is a hash of its factory, its tokens and its code: that it comes out right
// proves factory, deployer and init code hash, whoever wrote them down.

/** A pool of a venue, with the tokens in the pool's own order. */
interface Known {
  readonly pool: string;
  readonly tokens: readonly [string, string];
  /** Where the pools of a venue differ by it. */
  readonly feePips?: number;
}

const word = (hex: string): string => hex.replace(/^0x/, "").toLowerCase().padStart(64, "0");

/** The log by which a factory of the venue would tell of the pool. */
function creation(dex: ChainDex, { pool, tokens, feePips = 0 }: Known): ChainLog {
  const { factory, protocol } = dex;
  const { creationTopics } = opened(dex);
  const isPair = protocol === "constant-product";
  const fee = isPair ? [] : [word(feePips.toString(16))];
  const spacing = word("1");
  return {
    address: factory,
    topics: [creationTopics[0]!, ...[...tokens.map(word), ...fee].map((text): Hex => `0x${text}`)],
    data: `0x${isPair ? word(pool) + spacing : spacing + word(pool)}`,
    transactionHash: `0x${"0".repeat(64)}`,
    logIndex: 0,
  };
}

function isDerived(dex: ChainDex, known: Known): boolean {
  const created = opened(dex).decodeCreation(creation(dex, known));
  if (created === undefined || !("listing" in created)) return false;
  return created.listing.address === known.pool.toLowerCase();
}

const opened = (dex: ChainDex) =>
  chainProtocols.find(({ name }) => name === dex.protocol)!.open(dex);

async function shipped(id: "ETH" | "BASE"): Promise<ReadonlyMap<string, ChainDex>> {
  const config = await configOf({ [`MILLRACE_${id}_RPC_URLS`]: "http://127.0.0.1:1" });
  const { source } = config.networks[0];
  if (source.kind !== "chain") throw new Error(source.kind);
  return new Map(source.dexes.map((dex) => [dex.id, dex as ChainDex]));
}

const [WETH, USDC] = [
  "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
  "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
];
const [BASE_WETH, BASE_USDC] = [
  "0x4200000000000000000000000000000000000006",
  "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
];

describe("the shipped configuration of Ethereum", () => {
  it("has the factories that real pools of every venue come from", async () => {
    const dexes = await shipped("ETH");
    const { pools } = JSON.parse(readFileSync(UNIVERSE_A, "utf8")) as {
      pools: ReadonlyArray<{
        id: Address;
        dex: string;
        token0: string;
        token1: string;
        fee: number;
      }>;
    };
    const derived = new Map<string, number>();
    for (const { id, dex, token0, token1, fee } of pools) {
      const venue = dexes.get(dex.toUpperCase())!;
      const known = { pool: id, tokens: [token0, token1], feePips: fee } as const;
      expect(isDerived(venue, known), `${dex} ${id}`).toBe(true);
      if (venue["feePips"] !== undefined) expect(venue["feePips"]).toBe(fee);
      derived.set(venue.id, (derived.get(venue.id) ?? 0) + 1);
    }
    expect([...derived.keys()].sort()).toEqual(
      [...dexes.keys()].filter((id) => id !== "SUSHISWAP_V3").sort(),
    );
    // Not in the recording: its USDC/WETH pools.
    const sushi = dexes.get("SUSHISWAP_V3")!;
    const pool = "0x35644Fb61aFBc458bf92B15AdD6ABc1996Be5014";
    expect(isDerived(sushi, { pool, tokens: [USDC, WETH], feePips: 500 })).toBe(true);
    const deeper = "0x763d3b7296e7C9718AD5B058aC2692A19E5b3638";
    expect(isDerived(sushi, { pool: deeper, tokens: [USDC, WETH], feePips: 3_000 })).toBe(true);
  });

  it("would not pass with another factory, deployer or init code hash", async () => {
    const dexes = await shipped("ETH");
    const sushi = dexes.get("SUSHISWAP_V3")!;
    const pool = "0x35644Fb61aFBc458bf92B15AdD6ABc1996Be5014";
    const known = { pool, tokens: [USDC, WETH], feePips: 500 } as const;
    for (const other of ["UNISWAP_V3", "PANCAKESWAP_V3"]) {
      expect(isDerived({ ...dexes.get(other)!, id: sushi.id }, known)).toBe(false);
    }
    expect(isDerived({ ...sushi, initCodeHash: `0x${"1".repeat(64)}` }, known)).toBe(false);
  });
});

describe("the shipped configuration of Base", () => {
  it("has the factories that the WETH/USDC pools of every venue come from", async () => {
    const dexes = await shipped("BASE");
    const POOLS: ReadonlyArray<readonly [dexId: string, pool: string, feePips?: number]> = [
      ["UNISWAP_V2", "0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C"],
      ["SUSHISWAP_V2", "0x2F8818D1B0f3e3E295440c1C0cDDf40aAA21fA87"],
      ["PANCAKESWAP_V2", "0x79474223AEdD0339780baCcE75aBDa0BE84dcBF9"],
      ["UNISWAP_V3", "0xd0b53D9277642d899DF5C87A3966A349A798F224", 500],
      ["UNISWAP_V3", "0x6c561B446416E1A00E8E93E221854d6eA4171372", 3_000],
      ["PANCAKESWAP_V3", "0x72AB388E2E2F6FaceF59E3C3FA2C4E29011c2D38", 100],
      ["PANCAKESWAP_V3", "0xB775272E537cc670C65DC852908aD47015244EaF", 500],
      ["SUSHISWAP_V3", "0x57713F7716e0b0F65ec116912F834E49805480d2", 500],
      ["SUSHISWAP_V3", "0x41595326AaBe6132FC6C7aE71Af087A3A9DBC9F6", 3_000],
    ];
    for (const [dexId, pool, feePips] of POOLS) {
      const known = { pool, tokens: [BASE_WETH, BASE_USDC], ...(feePips && { feePips }) } as const;
      expect(isDerived(dexes.get(dexId)!, known), `${dexId} ${pool}`).toBe(true);
    }
    expect(new Set(POOLS.map(([dexId]) => dexId))).toEqual(new Set(dexes.keys()));
  });
});
