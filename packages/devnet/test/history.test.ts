import { type Hex, numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FamilyPools } from "../src/index.ts";
import { type OpenDevnet, openDevnet } from "./openDevnet.ts";
import { readPoolStates } from "./poolStates.ts";

const HOURS = 24;
const HOUR_S = 3_600;
/** The trap of Uniswap V4 takes more than it says: nobody trades in it. */
const DYNAMIC_FEE = 0x800000;

let opened: ReadonlyArray<OpenDevnet>;
beforeAll(async () => {
  const terms = { families: true, hostileTokens: true, orderly: true, historyHours: HOURS };
  opened = await Promise.all([
    openDevnet({ network: "ETH", ...terms }),
    openDevnet({ network: "BASE", ...terms }),
  ]);
});
afterAll(() => Promise.all(opened?.map(({ close }) => close()) ?? []));

interface Block {
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly transactions: ReadonlyArray<Hex>;
}

const blocksOf = async ({ call }: OpenDevnet): Promise<ReadonlyArray<Block>> => {
  const count = Number(await call<Hex>("eth_blockNumber"));
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      call<Block>("eth_getBlockByNumber", numberToHex(index + 1), false),
    ),
  );
};

describe("a devnet with a day of history", () => {
  it("has traded in every hour of it up to now, and was set up before it", async () => {
    for (const one of opened) {
      const blocks = await blocksOf(one);
      const endS = Number(blocks.at(-1)!.timestamp);
      expect(Math.abs(Date.now() / 1_000 - endS)).toBeLessThan(60);
      const hours = blocks.map(({ timestamp }) => (endS - Number(timestamp)) / HOUR_S);
      for (let hour = 0; hour < HOURS; hour++)
        expect(hours.filter((at) => at >= hour && at < hour + 1).length).toBeGreaterThan(0);
      // The set-up trades through all of every pool: that is no day's volume.
      const [first] = blocks.filter((_, index) => hours[index]! <= HOURS);
      const before = blocks[Number(first!.number) - 2]!;
      expect(Number(first!.timestamp) - Number(before.timestamp)).toBeGreaterThan(HOUR_S / 5);
      expect(hours[0]).toBeGreaterThan(HOURS);
    }
  });

  it("has trades that succeed, spread over the day, the more of them in the last hour", async () => {
    for (const one of opened) {
      const blocks = await blocksOf(one);
      const endS = Number(blocks.at(-1)!.timestamp);
      const own = blocks.filter(({ timestamp }) => endS - Number(timestamp) < HOURS * HOUR_S);
      expect(own.length).toBeGreaterThan(50);
      for (const { number } of own.slice(0, -1)) {
        const receipts = await one.call<ReadonlyArray<{ status: Hex }>>(
          "eth_getBlockReceipts",
          number,
        );
        expect(receipts.filter(({ status }) => status === "0x1").length).toBeGreaterThan(0);
      }
      const late = own.filter(({ timestamp }) => endS - Number(timestamp) <= HOUR_S);
      expect(late.length).toBeGreaterThan(10);
    }
  });

  it("goes on at the time that it is", async () => {
    const [eth] = opened;
    await eth!.call("evm_mine");
    const { timestamp } = await eth!.call<Block>("eth_getBlockByNumber", "latest", false);
    expect(Math.abs(Date.now() / 1_000 - Number(timestamp))).toBeLessThan(10);
  });

  it("has pools of each pair that agree but for their fees", async () => {
    for (const one of opened) {
      const prices = await pricesOf(one);
      let compared = 0;
      for (const a of prices) {
        for (const b of prices) {
          if (a === b || a.pair !== b.pair) continue;
          compared++;
          const apart = Math.abs(Math.log(a.price / b.price));
          expect(apart).toBeLessThan((a.fee + b.fee) / 1e6 + 0.003);
        }
      }
      expect(compared).toBeGreaterThan(40);
    }
  });
});

/** Of the pools of the market, hostile tokens' left out, in smallest units. */
async function pricesOf({ devnet, client, call }: OpenDevnet) {
  const hostile = new Set(devnet.hostileTokens.map(({ address }) => address));
  const states = await readPoolStates(devnet, client);
  const first = devnet.pools.flatMap(({ token0, token1, dexId, fee }, index) => {
    if (hostile.has(token0) || hostile.has(token1)) return [];
    const [x, y] = states[index]!.numbers.map(Number) as [number, number];
    const price = dexId === "UNISWAP_V3" ? (x / 2 ** 96) ** 2 : y / x;
    return [{ pair: `${token0} ${token1}`, price, fee }];
  });
  const { contracts, pools } = devnet.families!;
  const reader = new FamilyPools(
    (method, params) => call(method, ...(params as ReadonlyArray<unknown>)),
    contracts,
  );
  const along = pools.filter(({ fee, family }) => fee !== DYNAMIC_FEE && !isPair(family));
  const further = await Promise.all(
    along.map(async (pool) => {
      const state = await reader.state(pool);
      if (!("sqrtPriceX96" in state)) throw new Error("a pair");
      const price = (Number(state.sqrtPriceX96) / 2 ** 96) ** 2;
      return { pair: `${pool.token0} ${pool.token1}`, price, fee: state.fee };
    }),
  );
  return [...first, ...further];
}

const isPair = (family: string) => family.startsWith("aerodrome");
