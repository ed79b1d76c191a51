import { readFileSync } from "node:fs";
import { type Address, isZeroForOne } from "@millrace/core";
import {
  type ChainLog,
  chainProtocols,
  type FollowedDex,
  type FollowedState,
  type Hex,
  IMPOSSIBLE,
  type LogEffect,
} from "@millrace/protocols";
import { readData, sharedDataPath } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import {
  concentratedLiquidity,
  constantProduct,
  EMPTY_BOOK,
  EMPTY_PAIR,
  effectOf,
  hexOf,
  listing,
  readFrom,
  TOPICS,
} from "./chainFixture.ts";

// All logs of two blocks of Ethereum.

const logs = readLogs();
const swapsOfPairs = readData<RecordedSwap[]>("event-logs/v2-swaps-17173049-17173050.json");

describe("the logs of two blocks of Ethereum", () => {
  it("are all there", () => expect(logs).toHaveLength(681));

  it("tell by Sync of reserves, every one of them", () => {
    const syncs = logs.filter(({ log }) => log.topics[0] === TOPICS.sync);
    expect(syncs).toHaveLength(69);
    for (const { log } of syncs) {
      const effect = effectOf(constantProduct, listing(0), EMPTY_PAIR, log);
      expect(effect.swap).toBeUndefined();
      const { words } = effect.state;
      const [reserve0, reserve1] = [0, 2].map((at) => words[at]! + (words[at + 1]! << 64n));
      expect(hexOf(reserve0!, reserve1!)).toBe(log.data);
    }
  });

  it("tell of the swaps of pairs that another decoder found, and of no others", () => {
    const found = logs.flatMap(({ block, log }) => {
      const effect = constantProduct.applyLog(listing(0), EMPTY_PAIR, log);
      if (!isEffect(effect) || effect.swap === undefined) return [];
      expect(effect.state).toBe(EMPTY_PAIR);
      const { positionIn, positionOut, amountIn, amountOut } = effect.swap;
      expect(positionIn + positionOut).toBe(1);
      return [
        {
          block,
          logIndex: log.logIndex,
          tx: log.transactionHash,
          pair: log.address,
          zeroForOne: isZeroForOne(positionIn),
          amountIn: amountIn.toString(),
          amountOut: amountOut.toString(),
        },
      ];
    });
    expect(found).toHaveLength(69);
    expect(found).toEqual(
      swapsOfPairs.map(({ block, logIndex, tx, pair, zeroForOne, amountIn, amountOut }) => ({
        block,
        logIndex,
        tx,
        pair,
        zeroForOne,
        amountIn,
        amountOut,
      })),
    );
  });

  it("lead every pair from the reserves before a swap to those before its next", () => {
    const states = new Map<string, FollowedState>();
    let checked = 0;
    for (const { block, log } of logs) {
      const before = states.get(log.address);
      const effect = constantProduct.applyLog(listing(0), before ?? EMPTY_PAIR, log);
      if (!isEffect(effect)) continue;
      if (effect.swap === undefined) {
        states.set(log.address, effect.state);
        continue;
      }
      const later = swapsOfPairs.find(
        (swap) =>
          swap.pair === log.address &&
          (swap.block > block || (swap.block === block && swap.logIndex > log.logIndex)),
      );
      if (later === undefined) continue;
      const expected = readFrom(constantProduct, listing(0), () =>
        hexOf(BigInt(later.reserve0Before), BigInt(later.reserve1Before), 0),
      );
      // A mint or a burn may stand between, with a Sync of its own.
      const between = logs.some(
        (other) =>
          other.log.address === log.address &&
          other.log.topics[0] === TOPICS.sync &&
          isBetween(other, { block, log }, later),
      );
      if (between) continue;
      expect(effect.state.words).toEqual(expected?.words);
      checked++;
    }
    expect(checked).toBeGreaterThan(20);
  });

  it("tell, by the Sync right before, of the price that a swap of a pair leaves", () => {
    let decoded = 0;
    for (const [place, { block, log }] of logs.entries()) {
      const swap = swapsOfPairs.find(
        (other) => other.block === block && other.logIndex === log.logIndex,
      );
      if (swap === undefined) continue;
      const { zeroForOne, reserve0Before, reserve1Before, amountIn, amountOut } = swap;
      const change0 = zeroForOne ? BigInt(amountIn) : -BigInt(amountOut);
      const change1 = zeroForOne ? -BigInt(amountOut) : BigInt(amountIn);
      const reserve0 = Number(BigInt(reserve0Before) + change0);
      const reserve1 = Number(BigInt(reserve1Before) + change1);
      const before = logs.slice(0, place).findLast((other) => other.log.address === log.address);
      const { priceAfter } = constantProduct.decodeSwap(listing(0), log, before!.log)!;
      const price = zeroForOne ? reserve1 / reserve0 : reserve0 / reserve1;
      expect(Math.abs(priceAfter / price - 1)).toBeLessThan(1e-14);
      decoded++;
    }
    expect(decoded).toBe(69);
  });

  it("tell of the swaps of V3 pools, every one of them, and of the prices that they leave", () => {
    const swaps = logs.filter(({ log }) => log.topics[0] === TOPICS.swap);
    expect(swaps).toHaveLength(10);
    for (const { log } of swaps) {
      const [amount0, amount1, price, liquidity, tick] = signedWords(log.data);
      const before = standing(price!, tick!, liquidity!);
      const effect = effectOf(concentratedLiquidity, listing(1), before, log);
      const positionIn = amount0! > 0n ? 0 : 1;
      expect(effect.swap).toEqual({
        positionIn,
        positionOut: 1 - positionIn,
        amountIn: positionIn === 0 ? amount0 : amount1,
        amountOut: positionIn === 0 ? -amount1! : -amount0!,
        priceAfter: expect.any(Number),
      });
      expect(concentratedLiquidity.decodeSwap(listing(60), log, undefined)).toEqual(effect.swap);
      const { priceAfter } = effect.swap!;
      const ofToken0 = positionIn === 0 ? priceAfter : 1 / priceAfter;
      // √price² / 2¹⁹², with 60 digits after the point; the log's own tick says the same.
      const digits = (price! * price! * 10n ** 60n) >> 192n;
      expect(Math.abs(ofToken0 / (Number(digits) / 1e60) - 1)).toBeLessThan(1e-14);
      expect(Math.floor(Math.log(ofToken0) / Math.log(1.0001))).toBe(Number(tick));
      // A node that leaves a log out, or a pool that was read wrong, is found by the liquidity.
      const other = standing(price!, tick!, liquidity! + 1n);
      expect(concentratedLiquidity.applyLog(listing(1), other, log)).toBe(IMPOSSIBLE);
    }
  });

  it("are mistaken for nothing where they are of other kinds", () => {
    const ours = new Set<string>([TOPICS.sync, TOPICS.pairSwap, TOPICS.swap]);
    const others = logs.filter(({ log }) => !ours.has(log.topics[0] ?? ""));
    expect(others).toHaveLength(681 - 69 - 69 - 10);
    for (const { log } of others) {
      expect(constantProduct.applyLog(listing(1), EMPTY_PAIR, log)).toBeUndefined();
      expect(concentratedLiquidity.applyLog(listing(1), EMPTY_BOOK, log)).toBeUndefined();
    }
    for (const { log } of logs) {
      for (const protocol of chainProtocols) {
        const factory = log.address;
        const settings = { factory, feePips: 1, stateView: factory, vaults: [factory] };
        const dex = { id: "ANY", name: "Any", protocol: protocol.name, startBlock: 0 };
        expect(protocol.open({ ...dex, ...settings }).decodeCreation(log)).toBeUndefined();
      }
    }
  });
});

const isEffect = (effect: ReturnType<FollowedDex["applyLog"]>): effect is LogEffect =>
  typeof effect === "object" && "state" in effect;

interface RecordedLog {
  readonly block: number;
  readonly log: ChainLog;
}

function isBetween(
  { block, log }: RecordedLog,
  from: RecordedLog,
  to: { readonly block: number; readonly logIndex: number },
): boolean {
  const place = block * 1e6 + log.logIndex;
  // The Sync of a swap stands right before it.
  return place > from.block * 1e6 + from.log.logIndex && place < to.block * 1e6 + to.logIndex - 1;
}

/** An initialised V3 pool without ticks, as it is read. */
function standing(price: bigint, tick: bigint, liquidity: bigint): FollowedState {
  const words = BigUint64Array.from(
    [price, price >> 64n, price >> 128n, liquidity, liquidity >> 64n, tick, 0n].map((limb) =>
      BigInt.asUintN(64, limb),
    ),
  );
  return { ...EMPTY_BOOK, words };
}

function signedWords(data: Hex): bigint[] {
  return data
    .slice(2)
    .match(/.{64}/g)!
    .map((digits) => BigInt.asIntN(256, BigInt(`0x${digits}`)));
}

function readLogs(): RecordedLog[] {
  const path = sharedDataPath("event-logs/eth-logs-17173049-17173050.jsonl");
  const text = readFileSync(path, "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const record = JSON.parse(line);
      const { address, topics, data, transaction_hash, log_index, block_number } = record;
      const log = { address, topics, data, transactionHash: transaction_hash, logIndex: log_index };
      return { block: block_number, log };
    });
}

interface RecordedSwap {
  readonly block: number;
  readonly logIndex: number;
  readonly tx: Hex;
  readonly pair: Address;
  readonly zeroForOne: boolean;
  readonly reserve0Before: string;
  readonly reserve1Before: string;
  readonly amountIn: string;
  readonly amountOut: string;
}
