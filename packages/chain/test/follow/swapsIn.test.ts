import type { Address, PoolListing } from "@millrace/core";
import type { ChainLog, Hex } from "@millrace/protocols";
import { protocols } from "@millrace/protocols";
import { describe, expect, it } from "vitest";
import { Dexes } from "../../src/follow/Dexes.ts";
import { swapsIn } from "../../src/follow/swapsIn.ts";

const SYNC: Hex = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";
const PAIR_SWAP: Hex = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822";
const POOL_SWAP: Hex = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";
const RESERVE_MAX = 2n ** 112n - 1n;
const [PAIR, POOL, STRANGER] = [0xa1, 0xa2, 0xbad].map(address) as [Address, Address, Address];
const TOKENS = [address(1), address(2)];

const dexOf = (id: string, protocol: string) => ({
  id,
  name: id,
  protocol,
  factory: address(0xfa),
  feePips: 3_000,
  startBlock: 0,
});
const DEXES = new Dexes(
  [dexOf("PAIRS", "constant-product"), dexOf("POOLS", "concentrated-liquidity")],
  protocols,
);
const DISCOVERED = new Map(
  [listing(PAIR, "PAIRS"), listing(POOL, "POOLS")].map((pool) => [
    pool.address,
    { listing: pool, createdBlock: 1 },
  ]),
);
const told = (logs: ReadonlyArray<ChainLog>) => swapsIn(logs, DISCOVERED, DEXES);

describe("the swaps in a block's logs", () => {
  it("say who was paid, where the log says so", () => {
    const [sender, recipient] = [0x5e, 0xbeef].map(address);
    const words = [sender, recipient].map((word) => hexOf([BigInt(word!)]));
    const paid = (swap: ChainLog) => ({ ...swap, topics: [swap.topics[0]!, ...words] });
    const swaps = [swapOf(PAIR, 10n), log(POOL, POOL_SWAP, [12n, -7n, 2n ** 96n, 1n, 0n], 2)];
    expect(told(swaps.map(paid)).map(({ maker }) => maker)).toEqual([recipient, recipient]);
  });

  it("are those of known pools only, each in its own family's words", () => {
    const logs = [
      log(STRANGER, SYNC, [5n, 5n]),
      swapOf(STRANGER, 10n),
      swapOf(POOL, 10n),
      log(PAIR, POOL_SWAP, [10n, -7n, 2n ** 96n, 1n, 0n], 2),
      log(PAIR, SYNC, [4_000n, 1_000n]),
      // A log of another contract stands between the pair's two logs.
      log(STRANGER, SYNC, [1n, 9n]),
      swapOf(PAIR, 11n),
      log(POOL, POOL_SWAP, [12n, -7n, 2n ** 96n, 1n, 0n], 2),
    ].map((each, logIndex) => ({ ...each, logIndex }));
    expect(
      told(logs).map(({ pool, logIndex, amountIn, priceAfter }) => [
        pool,
        logIndex,
        amountIn,
        priceAfter,
      ]),
    ).toEqual([
      [PAIR, 6, 11n, 0.25],
      [POOL, 7, 12n, 1],
    ]);
  });

  it("have a price of the Sync right before them, and of no other", () => {
    const sync = log(PAIR, SYNC, [4_000n, 1_000n]);
    const prices = told([
      swapOf(PAIR, 1n),
      sync,
      swapOf(PAIR, 2n),
      swapOf(PAIR, 3n),
      log(PAIR, SYNC, [0n, 1_000n]),
      swapOf(PAIR, 4n),
      log(PAIR, SYNC, [RESERVE_MAX + 1n, 1n]),
      swapOf(PAIR, 5n),
    ]).map(({ priceAfter }) => priceAfter);
    expect(prices).toEqual([0, 0.25, 0, 0, 0]);
  });

  it("are published in their order however many a transaction has, none larger than a pair can hold", () => {
    const amounts = [0n, 1n, RESERVE_MAX, RESERVE_MAX + 1n, 2n ** 255n, 2n ** 256n - 1n];
    const logs = Array.from({ length: 20_000 }, (_, logIndex) => ({
      ...swapOf(PAIR, amounts[logIndex % amounts.length]!),
      logIndex,
    }));
    const swaps = told(logs);
    expect(swaps.map(({ logIndex }) => logIndex)).toEqual(
      logs.flatMap(({ logIndex }) =>
        [1, 2].includes(logIndex % amounts.length) ? [logIndex] : [],
      ),
    );
    expect(new Set(swaps.map(({ amountIn }) => amountIn))).toEqual(new Set([1n, RESERVE_MAX]));
  });
});

/** A pair's swap of `amountIn` of token0 for 1 of token1. */
function swapOf(pool: Address, amountIn: bigint): ChainLog {
  return log(pool, PAIR_SWAP, [amountIn, 0n, 0n, 1n], 2);
}

function log(pool: Address, topic: Hex, words: ReadonlyArray<bigint>, indexedCount = 0): ChainLog {
  const topics = [topic, ...Array.from({ length: indexedCount }, () => hexOf([1n]))];
  return { address: pool, topics, data: hexOf(words), transactionHash: topic, logIndex: 0 };
}

function hexOf(words: ReadonlyArray<bigint>): Hex {
  const digits = words.map((word) => BigInt.asUintN(256, word).toString(16).padStart(64, "0"));
  return `0x${digits.join("")}`;
}

function listing(pool: Address, dexId: string): PoolListing {
  return { address: pool, dexId, tokens: TOKENS, feePips: 3_000, parameter: 0 };
}

function address(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}`;
}
