import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodePoolId, encodePoolId, type PoolId, poolKey } from "../src/graph/poolId.ts";
import { openMarket, openSnapshot } from "../src/openMarket.ts";
import { address, fixedRate, marketOf } from "./markets.ts";

const hex = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: length, maxLength: length })
    .map((digits) => digits.map((digit) => digit.toString(16)).join(""));
const ids = hex(64).map((digits): PoolId => `0x${digits}`);

describe("ids of 32 bytes", () => {
  test("come out of a pool's constants as they went in, whatever stands before them", () => {
    fc.assert(
      fc.property(ids, fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), (id, words) => {
        const constants = BigUint64Array.from(words.slice(0, 9));
        const all = encodePoolId(id, constants);
        expect(all.slice(0, -4)).toEqual(constants);
        expect(decodePoolId(poolKey(id), all)).toBe(id);
      }),
      law("ids of pools", 100).options,
    );
  });

  test("stand with their first digits in the first word", () => {
    const id: PoolId = `0x${"0123456789abcdef".repeat(3)}fedcba9876543210`;
    expect([...encodePoolId(id)]).toEqual([
      0x123456789abcdefn,
      0x123456789abcdefn,
      0x123456789abcdefn,
      0xfedcba9876543210n,
    ]);
  });

  test("are none in constants that begin another way than the address, or are too few", () => {
    const id: PoolId = `0x${"ab".repeat(32)}`;
    expect(decodePoolId(address(1), encodePoolId(id))).toBeUndefined();
    expect(decodePoolId(poolKey(id), encodePoolId(id).slice(1))).toBeUndefined();
  });

  test("of another length, or with other digits, are refused", () => {
    for (const id of [`0x${"ab".repeat(31)}`, `0x${"ag".repeat(32)}`, `0x${"ab".repeat(33)}`]) {
      expect(() => encodePoolId(id as PoolId)).toThrow(RangeError);
    }
  });
});

describe("a pool with an id of 32 bytes", () => {
  const id: PoolId = `0x${"c0ffee".repeat(10)}0000`;
  const factory = address(0xfac);

  function market() {
    const block = marketOf(3, [{ tokens: [1, 2] }, { tokens: [2, 3] }]);
    const [first, second] = block.pools;
    const long = { ...first!, address: poolKey(id), constants: encodePoolId(id) };
    const [state, other] = block.states;
    const open = openMarket(1, [fixedRate]);
    open.writer.applyBlock({
      ...block,
      dexes: block.dexes.map((dex) => ({ ...dex, factory })),
      pools: [long, second!],
      states: [{ ...state!, pool: long.address }, other!],
    });
    return open;
  }

  test("is found by it in any case, and by no other id that begins alike", () => {
    const { graph } = market();
    const pool = graph.findPool(id)!;
    expect(graph.poolId(pool)).toBe(id);
    expect(graph.findPool(`0x${id.slice(2).toUpperCase()}`)).toBe(pool);
    expect(graph.findPool(`${id.slice(0, -1)}1`)).toBeUndefined();
    expect(graph.findPool(`${id}0`)).toBeUndefined();
  });

  test("is held by the contract of its DEX; any other pool is its own contract", () => {
    const { graph } = market();
    expect(graph.poolContract(graph.findPool(id)!)).toBe(factory);
    const plain = graph.findPool(address(101))!;
    expect(graph.poolId(plain)).toBeUndefined();
    expect(graph.poolContract(plain)).toBe(address(101));
    expect(graph.findPool(`${address(101)}${"0".repeat(24)}`)).toBeUndefined();
  });

  test("keeps it in a snapshot", () => {
    const { graph } = openSnapshot(market().snapshot(), [fixedRate]);
    expect(graph.poolId(graph.findPool(id)!)).toBe(id);
  });
});
