import { Effect } from "effect";
import {
  encodeFunctionData,
  type Hex,
  type Log,
  numberToHex,
  parseAbi,
  parseEventLogs,
} from "viem";
import { describe, expect, it } from "vitest";
import { positionManagerAbi as positionsAbi } from "../src/contracts/abis.ts";
import { type OpenDevnet, openDevnet } from "./openDevnet.ts";
import { readPoolStates } from "./poolStates.ts";

const abi = parseAbi([
  "event Sync(uint112 reserve0, uint112 reserve1)",
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);

const STEPS = 120;

describe("traffic", () => {
  it("swaps in all DEXes, across ticks, and changes positions; a step is a block", () =>
    withDevnet({ network: "ETH", seed: 3 }, async ({ devnet, client }) => {
      const before = await client.getBlockNumber();
      const done = await act(devnet.traffic.step, STEPS);
      expect(await client.getBlockNumber()).toBe(before + BigInt(STEPS));
      expect(done.filter(({ succeeded }) => succeeded).length).toBeGreaterThan(STEPS * 0.9);
      const logs = await client.request({
        method: "eth_getLogs",
        params: [{ fromBlock: numberToHex(before + 1n) }],
      });
      const events = parseEventLogs({ abi, logs: logs as unknown as Log[] });
      const isOf = (address: Hex, id: string) =>
        devnet.pools.some((pool) => pool.address === address && pool.dexId === id);
      const synced = events.filter(({ eventName }) => eventName === "Sync");
      for (const id of ["UNISWAP_V2", "SUSHISWAP_V2", "PANCAKESWAP_V2"])
        expect(synced.some(({ address }) => isOf(address, id))).toBe(true);
      const concentrated = events.filter(({ address }) => isOf(address, "UNISWAP_V3"));
      const count = (name: string) =>
        concentrated.filter(({ eventName }) => eventName === name).length;
      expect(count("Swap")).toBeGreaterThan(20);
      expect(count("Mint")).toBeGreaterThan(2);
      expect(count("Burn")).toBeGreaterThan(2);
      expect(crossings(concentrated)).toBeGreaterThan(2);
    }));

  it("leaves the same market after the same steps with the same seed, and another with another", async () => {
    const [one, same, other] = await Promise.all(
      [5, 5, 6].map((seed) =>
        withDevnet({ network: "BASE", seed }, async ({ devnet, client }) => {
          await act(devnet.traffic.step, 30);
          await act(devnet.traffic.block(5), 3);
          return readPoolStates(devnet, client);
        }),
      ),
    );
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it("goes on after reorganisations, which take its blocks back", () =>
    withDevnet({ network: "BASE" }, async ({ devnet, client }) => {
      await act(devnet.traffic.step, 10);
      const states = await readPoolStates(devnet, client);
      const number = await client.getBlockNumber();
      const { hash } = await client.getBlock();
      await act(devnet.traffic.block(3), 7);
      expect(await readPoolStates(devnet, client)).not.toEqual(states);
      await Effect.runPromise(devnet.traffic.reorganise(7));
      expect(await client.getBlockNumber()).toBe(number + 7n);
      expect((await client.getBlock({ blockNumber: number })).hash).toBe(hash);
      expect(await readPoolStates(devnet, client)).toEqual(states);
      const done = [
        ...(await act(devnet.traffic.step, 5)),
        ...(await act(devnet.traffic.block(4), 2)).flat(),
      ];
      expect(done.length).toBe(13);
      expect(await client.getBlockNumber()).toBe(number + 14n);
      expect(await readPoolStates(devnet, client)).not.toEqual(states);
    }));

  it("can be undone as deep as a follower's journal goes", () =>
    withDevnet({ network: "BASE" }, async ({ devnet, client }) => {
      await act(devnet.traffic.block(1), 70);
      const number = await client.getBlockNumber();
      const states = await readPoolStates(devnet, client, number - 64n);
      await Effect.runPromise(devnet.traffic.reorganise(64));
      expect(await client.getBlockNumber()).toBe(number);
      expect(await readPoolStates(devnet, client)).toEqual(states);
    }));

  it.each([1, 3_141_591])(
    "goes on when traders have positions in pools that are not the market's (seed %i)",
    (seed) =>
      withDevnet({ network: "BASE", seed }, async ({ devnet, client }) => {
        for (const { address } of devnet.traders) await openElsewhere(devnet, client, address);
        const blocks = (await act(devnet.traffic.block(10), 25)).flat();
        const count = (kind: string) => blocks.filter((done) => done.kind === kind).length;
        expect(blocks.length).toBe(250);
        expect(count("shrinkPosition")).toBeGreaterThan(2);
        expect(blocks.filter(({ succeeded }) => succeeded).length).toBeGreaterThan(150);
      }),
  );

  it("makes blocks by itself when it is asked to", () =>
    withDevnet({ network: "BASE", trafficEveryMs: 20 }, async ({ devnet, client }) => {
      const first = await client.getBlockNumber();
      while ((await client.getBlockNumber()) < first + 4n)
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(devnet.blockTimeMs).toBe(20);
    }));
});

const act = <A, E>(action: Effect.Effect<A, E>, times: number): Promise<ReadonlyArray<A>> =>
  Effect.runPromise(Effect.forEach(Array.from({ length: times }), () => action));

/** A trader's own pool, with a fee that no pool of the market has, and positions in it. */
async function openElsewhere(
  { contracts, pools, traders: [first] }: OpenDevnet["devnet"],
  client: OpenDevnet["client"],
  from: Hex,
): Promise<void> {
  const { token0, token1 } = pools[0]!;
  const taken = pools.filter((pool) => pool.token0 === token0 && pool.token1 === token1);
  const fee = [100, 500, 3_000, 10_000].find((pips) => !taken.some((pool) => pool.fee === pips))!;
  const send = (data: Hex) =>
    client.request({
      method: "eth_sendTransactionSync" as never,
      params: [{ from, to: contracts.positionManager, data, gas: numberToHex(6_000_000) }] as never,
    }) as Promise<{ readonly status: Hex }>;
  const create = { functionName: "createAndInitializePoolIfNecessary" } as const;
  const opened = [
    ...(from === first!.address
      ? [
          encodeFunctionData({
            abi: positionsAbi,
            ...create,
            args: [token0, token1, fee, 2n ** 96n],
          }),
        ]
      : []),
    ...Array.from({ length: 8 }, () =>
      encodeFunctionData({
        abi: positionsAbi,
        functionName: "mint",
        args: [
          {
            ...{ token0, token1, fee, tickLower: -2_000, tickUpper: 2_000 },
            ...{ amount0Desired: 10n ** 6n, amount1Desired: 10n ** 6n },
            ...{ amount0Min: 0n, amount1Min: 0n, recipient: from, deadline: 2n ** 40n },
          },
        ],
      }),
    ),
  ];
  for (const data of opened) expect((await send(data)).status).toBe("0x1");
}

async function withDevnet<A>(
  options: Parameters<typeof openDevnet>[0],
  use: (open: OpenDevnet) => Promise<A>,
): Promise<A> {
  const open = await openDevnet(options);
  try {
    return await use(open);
  } finally {
    await open.close();
  }
}

/** Swaps that left another liquidity than the one before them, with no mint or burn between. */
function crossings(
  events: ReadonlyArray<{
    readonly address: Hex;
    readonly eventName: string;
    readonly args: object;
  }>,
): number {
  const known = new Map<Hex, bigint>();
  let count = 0;
  for (const { address, eventName, args } of events) {
    const before = known.get(address);
    if (eventName === "Swap" && "liquidity" in args) {
      const liquidity = args.liquidity as bigint;
      if (before !== undefined && before !== liquidity) count++;
      known.set(address, liquidity);
    } else known.delete(address);
  }
  return count;
}
