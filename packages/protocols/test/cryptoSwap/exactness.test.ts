import { readData, recordedFamily } from "@millrace/testing";
import {
  type CryptoKind,
  cryptoProduct,
  engineCrypto,
  givenByCrypto,
  type PlainCrypto,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { exchangeCrypto } from "../../src/curves/cryptoSwap/math.ts";
import { openCrypto } from "./cryptoPools.ts";

interface RecordedState {
  readonly kind: "tri" | "triNG" | "twoNG";
  readonly aMultiplier?: string;
  readonly balances: ReadonlyArray<string>;
  readonly precisions: ReadonlyArray<string>;
  readonly priceScale: ReadonlyArray<string>;
  readonly [key: string]: unknown;
}

interface RecordedAfter {
  readonly i: string;
  readonly dx: string;
  readonly balances: ReadonlyArray<string>;
  readonly D: string;
  readonly priceScale: string;
}

const CONTRACTS: Readonly<Record<RecordedState["kind"], CryptoKind>> = {
  tri: "tri",
  triNG: "triNG",
  twoNG: "two20",
};

const file = readData<{
  pools: Readonly<Record<string, { state: RecordedState; after?: RecordedAfter }>>;
}>("families/curve-crypto.json");
const recorded = recordedFamily("curve-crypto");

/** A recorded pool. Its shares were not: it is taken for one that has not gained yet. */
function recordedPool(name: string): PlainCrypto {
  const { state } = file.pools[name]!;
  const number = (key: string) => BigInt(state[key] as string);
  const pool = {
    contract: CONTRACTS[state.kind],
    aMultiplier: BigInt(state.aMultiplier ?? 10_000),
    precisions: state.precisions.map(BigInt),
    balances: state.balances.map(BigInt),
    priceScale: state.priceScale.map(BigInt),
    ...{ A: number("A"), gamma: number("gamma"), D: number("D") },
    ...{ midFee: number("midFee"), outFee: number("outFee"), feeGamma: number("feeGamma") },
    ...{ totalSupply: 0n, virtualPrice: 10n ** 18n },
  };
  return { ...pool, totalSupply: cryptoProduct(pool, pool.D) };
}

describe("Curve's crypto pools, as their contracts answered", () => {
  it("have 121 exact inputs in 12 pools, of which 23 revert", () => {
    expect(recorded.cases.map(({ kind }) => kind)).toEqual(Array(121).fill("exactIn"));
    expect(recorded.pools.size).toBe(12);
    expect(recorded.cases.filter(({ expected }) => expected === null)).toHaveLength(23);
  });

  it.each(recorded.cases)(
    "$pool gives $expected for $amount ($positionIn to $positionOut)",
    (each) => {
      const pool = recordedPool(each.pool);
      const [from, to, amount] = [each.positionIn, each.positionOut, BigInt(each.amount)];
      const answer = givenByCrypto(pool, from, to, amount);
      const expected = each.expected === null ? undefined : BigInt(each.expected);
      expect(typeof answer === "object" ? answer.amountOut : undefined).toBe(expected);
      const { family, index } = openCrypto(pool);
      expect(family.quoteExactIn(index, from, to, amount)).toBe(expected ?? -1n);
    },
  );

  const swapped = Object.entries(file.pools).flatMap(([name, { state, after }]) =>
    after === undefined ? [] : [{ name, after, moved: after.priceScale !== state.priceScale[0] }],
  );

  it("left eight states, two of them at another price scale", () => {
    expect(swapped.map(({ moved }) => moved).filter(Boolean)).toHaveLength(2);
    expect(swapped).toHaveLength(8);
  });

  it.each(swapped)("$name is left as the contract left it, but for the price scale", (each) => {
    const pool = recordedPool(each.name);
    const from = Number(each.after.i);
    const swap = exchangeCrypto(engineCrypto(pool), from, 1 - from, BigInt(each.after.dx));
    if (typeof swap === "bigint") throw new Error("refused");
    const balances = [...pool.balances];
    balances[from]! += BigInt(each.after.dx);
    balances[1 - from]! -= swap.amountOut;
    expect(balances.map(String)).toEqual(each.after.balances);
    if (!each.moved) expect(`${swap.d}`).toBe(each.after.D);
  });
});
