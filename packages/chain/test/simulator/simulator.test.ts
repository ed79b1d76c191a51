import type { MarketBlock, PastBlock } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { RandomSource, VirtualTime } from "@millrace/testing";
import { Effect } from "effect";
import { decodeAbiParameters, decodeEventLog, encodeFunctionData, keccak256, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { call } from "./answers.ts";
import { DEXES, MULTICALL, POOLS, TOKENS, TOPICS } from "./contracts.ts";
import { type FAULT_KINDS, Faults } from "./Faults.ts";
import { Judge, loadable, marketOf } from "./Judge.ts";
import { PublishedSwaps, swapsOf, Verdict } from "./PublishedSwaps.ts";
import { liquidityAt } from "./poolStates.ts";
import { blockAt, type SimulatedBlock, SimulatedChain } from "./SimulatedChain.ts";
import { SimulatedDisk } from "./SimulatedDisk.ts";

const EVENTS = parseAbi([
  "event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)",
  "event Sync(uint112 reserve0, uint112 reserve1)",
  "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
  "event Initialize(uint160 sqrtPriceX96, int24 tick)",
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);
const DECODED: ReadonlyArray<Hex> = [
  TOPICS.pairCreated,
  TOPICS.sync,
  TOPICS.poolCreated,
  TOPICS.initialize,
  TOPICS.mint,
  TOPICS.burn,
  TOPICS.swap,
];

function longChain(seed: number, blocks: number): SimulatedChain {
  const chain = new SimulatedChain(new RandomSource(seed), 0, 1_000);
  for (let number = 1; number <= blocks; number++) chain.mine(number * 1_000);
  return chain;
}

function branchOf(chain: SimulatedChain): SimulatedBlock[] {
  const branch: SimulatedBlock[] = [];
  for (let number = 0; number <= chain.head.number; number++) {
    branch.push(blockAt(chain.head, number)!);
  }
  return branch;
}

describe("the simulated chain", () => {
  const chain = longChain(1, 400);
  const branch = branchOf(chain);

  it("writes logs of pools and factories that viem decodes", () => {
    const own = new Set<string>([
      ...POOLS.map(({ address }) => address),
      ...DEXES.map(({ factory }) => factory),
    ]);
    const seen = new Set<string>();
    for (const { logs } of branch) {
      for (const { address, topics, json } of logs) {
        if (!own.has(address) || !DECODED.includes(topics[0]!)) continue;
        const data = json["data"] as Hex;
        seen.add(
          decodeEventLog({ abi: EVENTS, data, topics: topics as [Hex, ...Hex[]] }).eventName,
        );
      }
    }
    expect(seen.size).toBe(DECODED.length);
  });

  it("has in each header the bloom of every address and topic, and none where there are no logs", () => {
    for (const { logs, bloom } of branch) {
      const bits = BigInt(bloom);
      for (const { address, topics } of logs) {
        for (const item of [address, ...topics]) {
          const hash = keccak256(item);
          for (const at of [2, 6, 10]) {
            const bit = BigInt(Number.parseInt(hash.slice(at, at + 4), 16) & 2047);
            expect((bits >> bit) & 1n).toBe(1n);
          }
        }
      }
      expect(bits === 0n).toBe(logs.length === 0);
    }
    expect(branch.some(({ logs }) => logs.length === 0)).toBe(true);
  });

  it("keeps of every book the liquidity that its ticks add up to, and never less than none", () => {
    let books = 0;
    for (const { pools } of branch) {
      for (const state of pools.values()) {
        if (state.kind !== "book") continue;
        books++;
        expect(state.liquidity).toBe(liquidityAt(state.ticks, state.tick));
        expect(state.liquidity).toBeGreaterThanOrEqual(0n);
      }
    }
    expect(books).toBeGreaterThan(100);
  });

  it("answers Multicall3 as viem encodes and decodes it", () => {
    const abi = parseAbi([
      "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[])",
    ]);
    const [token] = TOKENS;
    const decimals = "0x313ce567";
    const calls = [
      { target: token!.address, allowFailure: true, callData: decimals },
      { target: token!.address, allowFailure: true, callData: "0xdeadbeef" },
      { target: `0x${"11".repeat(20)}`, allowFailure: true, callData: "0x" },
    ] as const;
    const data = encodeFunctionData({ abi, functionName: "aggregate3", args: [calls] });
    const answer = call(chain.head, MULTICALL, data)!;
    const [results] = decodeAbiParameters(abi[0].outputs, answer);
    expect(results.map(({ success }) => success)).toEqual([true, false, true]);
    expect(BigInt(results[0]!.returnData)).toBe(BigInt(token!.decimals));
    expect(results[2]!.returnData).toBe("0x");
  });
});

describe("the judge", () => {
  const chain = longChain(2, 40);
  const [parent, head] = [chain.head.parent!, chain.head];
  const whole = (block: SimulatedBlock) => marketOf(block, loadable(block));
  const judge = () => new Judge(chain, () => true);

  it("lets the market of a block pass", () => {
    const fair = judge();
    fair.hear(whole(parent));
    expect(fair.isWhole(parent)).toBe(true);
    fair.checkWhole(parent);
  });

  it("rejects a state that is off by one unit, a pool that is not there, and a block of nowhere", () => {
    const good = whole(head);
    const words = good.states[0]!.state.words.slice();
    words[0]! += 1n;
    const off = {
      ...good,
      states: [
        { ...good.states[0]!, state: { ...good.states[0]!.state, words } },
        ...good.states.slice(1),
      ],
    };
    const genesis = blockAt(head, 0)!;
    const early: MarketBlock = { ...good, stamp: whole(genesis).stamp };
    const nowhere = { ...good, stamp: { ...good.stamp, hash: `0x${"12".repeat(32)}` as Hex } };
    for (const bad of [off, early, nowhere]) {
      expect(() => judge().hear(bad)).toThrow(Verdict);
    }
    expect(() => new Judge(chain, () => false).hear(good)).toThrow(Verdict);
  });

  it("rejects a reverted block that never was there, and one pool too few at the end", () => {
    const orphaned = [`0x${"34".repeat(32)}` as Hex];
    expect(() => judge().hear({ ...whole(head), orphaned })).toThrow(Verdict);
    const partly = judge();
    partly.hear(marketOf(head, loadable(head).slice(1)));
    expect(partly.isWhole(head)).toBe(false);
    expect(() => partly.checkWhole(head)).toThrow(Verdict);
  });
});

describe("the swaps that were published", () => {
  const chain = longChain(3, 60);
  const traded = branchOf(chain).filter((block) => swapsOf(block).length > 0);
  const [first, second, third] = traded.slice(-3) as [
    SimulatedBlock,
    SimulatedBlock,
    SimulatedBlock,
  ];
  const pastOf = (block: SimulatedBlock): PastBlock => ({
    stamp: marketOf(block, []).stamp,
    swaps: swapsOf(block),
  });
  const message = (...history: PastBlock[]): MarketBlock => ({
    ...marketOf(third, []),
    swaps: swapsOf(third),
    history,
  });

  it("passes when each block came once, whole, before its time was over", () => {
    const fair = new PublishedSwaps(chain);
    fair.hear(message(pastOf(second), pastOf(first)), third);
    fair.checkWhole(third, first.timestamp * 1000);
    expect(fair.pastBlocks).toBe(2);
    expect(() => fair.checkWhole(third, 0)).toThrow(/never published/);
    fair.revert([third.hash, second.hash]);
    expect(() => fair.checkWhole(second, second.timestamp * 1000)).toThrow(/never published/);
  });

  it("is rejected when it is published twice, of another chain, in part, late or out of order", () => {
    const { stamp, swaps } = pastOf(second);
    const later = { ...stamp, timestampMs: stamp.timestampMs + 1_000 };
    const [swap, ...others] = swaps;
    for (const history of [
      [pastOf(third)],
      [pastOf(first), pastOf(second)],
      [{ stamp: later, swaps }],
      [{ stamp, swaps: others }],
      [{ stamp, swaps: [{ ...swap!, priceAfter: 2 * swap!.priceAfter }, ...others] }],
      [{ stamp: { ...stamp, hash: `0x${"56".repeat(32)}` as Hex }, swaps }],
    ]) {
      expect(() => new PublishedSwaps(chain).hear(message(...history), third)).toThrow(Verdict);
    }
    const lost = chain.child(second.parent!, second.timestamp * 1000);
    const stays = new PublishedSwaps(chain);
    stays.hear(marketOf(lost, []), lost);
    expect(() => stays.hear(message(), third)).toThrow(/is not before/);
  });
});

describe("what was kept of swaps from an earlier life", () => {
  const chain = longChain(4, 60);
  const traded = branchOf(chain).filter((block) => swapsOf(block).length > 0);
  const [first, second, third] = traded.slice(-3) as [
    SimulatedBlock,
    SimulatedBlock,
    SimulatedBlock,
  ];
  const told = (block: SimulatedBlock) => ({ ...marketOf(block, []), swaps: swapsOf(block) });
  const earlier = new PublishedSwaps(chain);
  for (const block of [first, second, third]) earlier.hear(told(block), block);
  const later = (confirmedTo: number) => {
    const swaps = new PublishedSwaps(chain);
    swaps.restore(earlier.kept([]), confirmedTo);
    return swaps;
  };

  it("counts as far as it is confirmed, also where it is published once more", () => {
    const sinceMs = first.timestamp * 1000;
    const all = later(third.number);
    all.checkWhole(third, sinceMs);
    all.hear(told(third), third);
    all.checkWhole(third, sinceMs);
    all.checkTrue(third);
    expect(all.keptBlocks).toBe(3);
    const part = later(second.number);
    expect(() => part.checkWhole(third, sinceMs)).toThrow(/never published/);
    part.hear(told(third), third);
    part.checkWhole(third, sinceMs);
  });

  it("is rejected when it still counts on another branch that nothing takes it back for", () => {
    const lost = later(third.number);
    const other = chain.child(first, first.timestamp * 1000, true);
    expect(() => lost.checkTrue(other)).toThrow(/still counts/);
    const rival = chain.child(second.parent!, second.timestamp * 1000);
    lost.hear(told(rival), rival);
    lost.checkTrue(rival);
  });
});

describe("the simulated disk", () => {
  const always = (kind: (typeof FAULT_KINDS)[number]) => {
    const faults = new Faults(new RandomSource(1));
    faults.heal();
    faults.always(kind);
    return faults;
  };
  const run = <A, E>(effect: Effect.Effect<A, E>) =>
    new VirtualTime(0, 1).run(Effect.result(effect));

  it("keeps what was synced under a synced name when the power goes, and may lose the rest", () => {
    let lost = 0;
    for (let seed = 1; seed <= 50; seed++) {
      const disk = new SimulatedDisk(always("powerLoss"), new RandomSource(seed));
      const { write, sync, syncNames } = disk.open();
      const safe = Effect.andThen(write("safe", new Uint8Array([1, 2, 3])), sync("safe"));
      run(
        Effect.andThen(
          Effect.andThen(safe, syncNames),
          write("unsafe", new Uint8Array(50).fill(7)),
        ),
      );
      disk.stop();
      const after = disk.open();
      expect(run(after.read("safe"))).toMatchObject({
        value: { success: new Uint8Array([1, 2, 3]) },
      });
      const unsafe = JSON.stringify(run(after.read("unsafe")));
      if (unsafe !== JSON.stringify(run(Effect.succeed(new Uint8Array(50).fill(7))))) lost++;
    }
    expect(lost).toBeGreaterThan(10);
  });

  it("serves no program that was stopped", () => {
    const disk = new SimulatedDisk(always("slow"), new RandomSource(1));
    const old = disk.open();
    disk.stop();
    expect(run(old.write("late", new Uint8Array(1)))).toMatchObject({ value: { _tag: "Failure" } });
  });
});

describe("virtual time", () => {
  it("wakes sleepers in the order of their times, at those times", () => {
    const time = new VirtualTime(1_000, 1);
    const woken: string[] = [];
    const sleeper = (name: string, ms: number) =>
      Effect.map(Effect.sleep(ms), () => woken.push(`${name} ${time.now}`));
    time.run(
      Effect.all([sleeper("c", 30), sleeper("a", 10), sleeper("b", 10)], {
        concurrency: "unbounded",
      }),
    );
    expect(woken).toEqual(["a 1010", "b 1010", "c 1030"]);
  });

  it("reports a wait that nothing ends, and a loop that waits for nothing", () => {
    expect(() => new VirtualTime(0, 1).run(Effect.never)).toThrow("nothing will wake it");
    expect(() => new VirtualTime(0, 1).run(Effect.forever(Effect.yieldNow))).toThrow("a loop");
  });
});
