import type { Address } from "@millrace/core";
import type { FollowedState } from "@millrace/protocols";
import type { ChainSnapshot, RefusalCount } from "../../src/snapshot/ChainSnapshot.ts";

/** The address that ends in a number. */
export function address(number: number | bigint): Address {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

/** A snapshot of a few pools of both kinds, one of them not loaded. */
export function smallSnapshot(blockNumber = 7): ChainSnapshot {
  const token = (number: number, symbol: string) => ({
    address: address(number),
    decimals: 18,
    symbol,
    name: `${symbol} token`,
  });
  return {
    chainId: 8453,
    dexes: "two factories",
    stamp: { number: blockNumber, hash: `0x${"5a".repeat(32)}`, timestampMs: 1_700_000_000_000 },
    refusals: [
      { dexId: "TICKS", reason: "a dynamic fee", count: 5 },
      { dexId: "PAIRS", reason: "ugly", count: 3_000_000 },
    ],
    discovered: [
      pool(0xb1, "TICKS", [1, 2]),
      pool(0xa1, "PAIRS", [1, 3]),
      pool(0xc1, "PAIRS", [2, 9]),
    ],
    tokens: [token(1, "ONE"), token(3, "DRÉI"), token(2, "ツー")],
    states: [
      { pool: address(0xb1), state: concentrated(extremeTicks) },
      { pool: address(0xa1), state: { words: PAIR_WORDS, notes: BigUint64Array.of(1n) } },
    ],
  };
}

export function pool(number: number, dexId: string, tokens: ReadonlyArray<number>) {
  return {
    listing: {
      address: address(number),
      dexId,
      tokens: tokens.map(address),
      feePips: 3_000,
      parameter: 60,
    },
    createdBlock: 3,
  };
}

const PAIR_WORDS = BigUint64Array.of(5n, 0n, 7n, 1n);

type Tick = readonly [tick: number, netWord: bigint, grossWord: bigint];

const extremeTicks: ReadonlyArray<Tick> = [
  [-887_272, 2n ** 63n - 1n, 2n ** 64n - 1n],
  [887_272, -(2n ** 63n), 2n ** 64n - 1n],
];

/** A concentrated state whose net and gross have the given words. */
export function concentrated(ticks: ReadonlyArray<Tick>): FollowedState {
  return {
    words: BigUint64Array.of(1n, 2n, 3n, 4n, 5n, 2n ** 64n - 1n),
    book: {
      keys: Int32Array.from(ticks, ([tick]) => tick),
      words: BigInt64Array.from(ticks.flatMap(([, net]) => [net, net])),
    },
    ledger: BigUint64Array.from(ticks.flatMap(([, , gross]) => [gross, gross])),
  };
}

/** A snapshot in the order of decoding: everything by address. */
export function sorted(snapshot: ChainSnapshot): ChainSnapshot {
  return {
    ...snapshot,
    refusals: snapshot.refusals.toSorted((a, b) => order(kindOf(a), kindOf(b))),
    discovered: snapshot.discovered.toSorted((a, b) => order(a.listing.address, b.listing.address)),
    tokens: snapshot.tokens.toSorted((a, b) => order(a.address, b.address)),
    states: snapshot.states.toSorted((a, b) => order(a.pool, b.pool)),
  };
}

const kindOf = ({ dexId, reason }: RefusalCount) => JSON.stringify([dexId, reason]);

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
