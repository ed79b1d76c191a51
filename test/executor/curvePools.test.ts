import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { readData } from "@millrace/testing";
import { encodeFunctionData, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ExecutorFixture } from "../contracts/ExecutorFixture.ts";
import { ManyTokenPools } from "../contracts/ManyTokenPools.ts";
import type { OrderLeg } from "../contracts/orders.ts";
import { amountOutOf } from "../contracts/poolAnswers.ts";

// Compares our stand-ins for Curve's pools with recorded answers of real pools.

interface RecordedState {
  readonly balances: ReadonlyArray<string>;
  readonly rates: ReadonlyArray<string>;
  /** With `aPrecision`. */
  readonly A: string;
  readonly aPrecision: string;
  readonly fee: string;
  /** The amount that the fee is taken from; old pools' `get_dy` differs from `exchange` in it. */
  readonly feeOrder: "unit" | "xp";
}

interface Recorded {
  readonly pools: Readonly<Record<string, { readonly state: RecordedState }>>;
  readonly cases: ReadonlyArray<
    readonly [
      pool: string,
      kind: string,
      placeIn: number,
      placeOut: number,
      amount: string,
      expected: string,
    ]
  >;
}

const CASES_A_POOL = 12;
const quoteAbi = parseAbi([
  "function get_dy(int128 i, int128 j, uint256 dx) view returns (uint256)",
]);

describe("a contract that stands for Curve's pools", () => {
  let arena: ExecutorFixture;
  let pools: ManyTokenPools;
  let coins: ReadonlyArray<Address>;
  const { pools: recorded, cases } = readData<Recorded>("families/curve-stable.json");
  beforeAll(async () => {
    arena = await ExecutorFixture.open(3);
    pools = await ManyTokenPools.open(arena);
    coins = await Promise.all(Array.from({ length: 4 }, () => arena.token()));
  });
  afterAll(() => arena?.close());

  async function quote(leg: OrderLeg, amount: bigint, isTold: boolean): Promise<bigint> {
    if (!isTold) return amountOutOf(arena, leg, amount);
    const { pool: to, coins: all = [], tokenIn, tokenOut } = leg;
    const places = [tokenIn, tokenOut].map((token) => BigInt(all.indexOf(token)));
    const args = [places[0]!, places[1]!, amount] as const;
    const data = encodeFunctionData({ abi: quoteAbi, functionName: "get_dy", args });
    return BigInt(await arena.chain.request<Hex>("eth_call", [{ to, data }, "latest"]));
  }

  it.each(Object.keys(recorded))("gives to the wei what was recorded of %s", async (name) => {
    const { state } = recorded[name]!;
    const isTold = state.feeOrder === "unit";
    const own = coins.slice(0, state.balances.length);
    const leg = await pools.curveOf(isTold ? "CurveSilentPool" : "CurvePool", own, {
      rates: state.rates.map(BigInt),
      balances: state.balances.map(BigInt),
      amplification: BigInt(state.A) / BigInt(state.aPrecision),
      fee: BigInt(state.fee),
    });
    const all = cases.filter(([of]) => of === name);
    expect(all.length).toBeGreaterThan(0);
    for (const [, , placeIn, placeOut, amount, expected] of all.slice(0, CASES_A_POOL)) {
      const [tokenIn, tokenOut] = [own[placeIn]!, own[placeOut]!];
      const given = BigInt(amount);
      // The tools have as much as the pool; for a larger exchange they get the rest first.
      await arena.give(tokenIn, arena.tools, given);
      const found = await quote({ ...leg, tokenIn, tokenOut }, given, isTold);
      expect(found, `${placeIn} to ${placeOut}: ${amount}`).toBe(BigInt(expected));
      if (!isTold) continue;
      // The exchange itself takes the fee before it scales.
      const exchanged = await amountOutOf(arena, { ...leg, tokenIn, tokenOut }, given);
      expect(Number(exchanged - found)).toBeLessThanOrEqual(1);
      expect(Number(exchanged - found)).toBeGreaterThanOrEqual(-1);
    }
  });
});
