import { type Address, openMarket, type PoolIndex } from "@millrace/core";
import { swapGas } from "@millrace/execution";
import {
  curveLegGas,
  curves,
  depositGas,
  type Hex,
  redemptionGas,
  STAKING_GAS_BESIDE,
  vaultV2LegGas,
  vaultV3LegGas,
} from "@millrace/protocols";
import { generateMarketBlock, type SharedFamily } from "@millrace/replay";
import { numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TracedCall } from "../contracts/callTraces.ts";
import { ExecutorFixture } from "../contracts/ExecutorFixture.ts";
import { ManyTokenPools } from "../contracts/ManyTokenPools.ts";
import { encodeSwap, FAR, NATIVE, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { back, ONE } from "../contracts/PoolFixture.ts";

// The gas that legs of pools of many tokens add to a transaction on top of their contracts' own
// gas. Tests the functions that add it to the contracts' gas in the families' `typicalGas`; for
// Balancer, whose contracts here are the real ones, `typicalGas` itself.

const ERROR_MAX = 0.1;
const FAMILY_ERROR_MAX = 0.15;
const DEPTH = 100_000n * ONE;

/**
 * Typical gas of a leg alone, from the gas of its contract's call. Refunds are at most a fifth of
 * all.
 */
function typicalOf({ kind, tokenIn, tokenOut, pool }: OrderLeg, used: number): number {
  switch (kind) {
    case "stableSwap":
    case "cryptoSwap":
      return tokenIn === NATIVE ? used + 1_000 : curveLegGas(used);
    case "balancerV2":
      return vaultV2LegGas(used);
    case "balancerV3":
      return vaultV3LegGas(used);
    case "shares":
      return tokenOut === pool ? depositGas(used) : redemptionGas(used);
    default:
      return depositGas(used) + STAKING_GAS_BESIDE;
  }
}

/** `gasBehindOthers`, of a leg that takes no native tokens. */
const behindOf = ({ kind, tokenIn }: OrderLeg): number =>
  tokenIn === NATIVE ? 0 : kind === "balancerV3" ? -12_000 : -9_000;

interface Traced extends TracedCall {
  readonly gasUsed: Hex;
  readonly calls?: ReadonlyArray<Traced>;
}

describe("gas of the executor, through pools of many tokens,", () => {
  let arena: ExecutorFixture;
  let trader: Address;
  let recipient: Address;
  let legs: Record<
    "ab" | "bc" | "indexed" | "native" | "v2ab" | "v2bc" | "v3ab" | "v3bc" | "shares" | "staking",
    OrderLeg
  >;
  beforeAll(async () => {
    arena = await ExecutorFixture.open(3);
    const { wrappedNative, devnet } = arena;
    const [a, b, c] = devnet.tokens
      .filter(({ address, decimals }) => decimals === 18 && address !== wrappedNative)
      .map(({ address }) => address) as [Address, Address, Address];
    const pools = await ManyTokenPools.open(arena);
    legs = {
      ab: await pools.curve("CurvePool", [a, b], DEPTH),
      bc: await pools.curve("CurveSilentPool", [b, c], DEPTH),
      indexed: await pools.curve("CurveIndexedPool", [a, b, c], DEPTH),
      native: await pools.curve("CurvePool", [NATIVE, a], DEPTH / 100n),
      v2ab: await pools.weighted([a, b, c], DEPTH),
      v2bc: await pools.composable([b, c], DEPTH),
      v3ab: await pools.weightedV3([a, b, c], DEPTH),
      v3bc: await pools.weightedV3([b, c], DEPTH),
      shares: await pools.shares(a, DEPTH),
      staking: { ...(await pools.wrapper(DEPTH)), tokenIn: NATIVE },
    };
    [trader, recipient] = [await arena.account(), await arena.account()];
    for (const token of [a, b, c]) {
      await arena.fund(token, trader, DEPTH);
      await arena.give(token, recipient, ONE);
    }
    for (const { pool } of [legs.shares, legs.staking])
      for (const holder of [trader, recipient]) await pools.handOut(pool, holder, 100n * ONE);
  });
  afterAll(() => arena?.close());

  /** Mines two swaps and gives the second: the first may be the first ever in its pools. */
  async function mined(path: ReadonlyArray<OrderLeg>) {
    const [{ tokenIn }, { tokenOut }] = [path[0]!, path.at(-1)!];
    const terms = { fee: 0n, deadline: FAR, nativeOut: false, recipient };
    const order = { ...terms, tokenIn, tokenOut, amountIn: ONE, amountOutMin: 1n };
    const data = encodeSwap("exactIn", order, [pathOf(ONE, ...path)]);
    const value = tokenIn === NATIVE ? ONE : 0n;
    const sending = { from: trader, to: arena.executor, data, value };
    await arena.mustSend(sending);
    const { chain } = arena;
    const { transactionHash, gasUsed } = await chain.request<Record<string, Hex>>(
      "eth_sendTransactionSync",
      [{ ...sending, value: numberToHex(value), gas: numberToHex(5_000_000) }],
    );
    const trace = await chain.request<Traced>("debug_traceTransaction", [
      ...[transactionHash, { tracer: "callTracer" }],
    ]);
    return { gasUsed: Number(gasUsed), calls: trace.calls ?? [] };
  }

  /** Gas of the executor's calls, without those of a token's functions. */
  function usedIn(calls: ReadonlyArray<Traced>, { pool }: OrderLeg): number {
    const own = calls.filter(
      ({ to, input }) => to === pool && !TOKEN_CALLS.includes(input.slice(0, 10)),
    );
    return own.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
  }

  it("is estimated within a tenth of what is used, allowances and refunds included", async () => {
    const typical = new Map<OrderLeg, number>();
    const errors: Record<string, number> = {};
    const measure = async (name: string, ...path: ReadonlyArray<OrderLeg>) => {
      const { gasUsed, calls } = await mined(path);
      if (path.length === 1) typical.set(path[0]!, typicalOf(path[0]!, usedIn(calls, path[0]!)));
      let [gas, gasBesideCurves, sharedUnlockCount] = [0, 0, 0];
      for (const [place, leg] of path.entries()) {
        gas += typical.get(leg)!;
        if (place === 0) continue;
        gasBesideCurves += behindOf(leg);
        if (path[place - 1]!.pool === leg.pool) sharedUnlockCount++;
      }
      const [nativeInCount, nativeOutCount] = [path[0]!.tokenIn, path.at(-1)!.tokenOut].map(
        (token) => (token === NATIVE ? 1 : 0),
      ) as [number, number];
      const shape = {
        ...({ kind: "exactIn", router: "executor", hasFee: false, pathCount: 1 } as const),
        ...{ hopCount: path.length, poolCount: path.length, sharedUnlockCount, gasBesideCurves },
        ...{ wrapCount: 0, nativeInCount, nativeOutCount },
        ...{ isNativeIn: nativeInCount === 1, isNativeOut: nativeOutCount === 1 },
      };
      errors[name] = swapGas(shape, gas) / gasUsed - 1;
    };
    const { ab, bc, indexed, native, v2ab, v2bc, v3ab, v3bc, shares, staking } = legs;
    const [redeeming, ba, nativeOut] = [back(shares), back(ab), back(native)];
    await measure("Curve", ab);
    await measure("Curve that is silent", bc);
    await measure("Curve of uint256", indexed);
    await measure("Curve, backwards", ba);
    await measure("native into Curve", native);
    await measure("native out of Curve", nativeOut);
    await measure("Balancer V2", v2ab);
    await measure("Balancer V2 composable", v2bc);
    await measure("Balancer V3", v3ab);
    await measure("Balancer V3, another", v3bc);
    await measure("deposit", shares);
    await measure("redemption", redeeming);
    await measure("staking", staking);
    await measure("Curve, Curve", ab, bc);
    await measure("native, Curve, Curve", native, ab);
    await measure("Curve, native", ba, nativeOut);
    await measure("Balancer V2 twice", v2ab, v2bc);
    await measure("Balancer V3 twice", v3ab, v3bc);
    await measure("Balancer V2, Curve", v2ab, bc);
    await measure("Curve, Balancer V2", ab, v2bc);
    await measure("Curve, Balancer V3", ab, v3bc);
    await measure("Balancer V3, Curve", v3ab, bc);
    await measure("Balancer V2, Balancer V3", v2ab, v3bc);
    await measure("Curve, deposit", ba, shares);
    await measure("redemption, Curve", redeeming, ab);
    await measure("Curve, Curve, Balancer V2", native, ab, v2bc);
    const families = {
      "balancer-v2-weighted": v2ab,
      "balancer-v2-stable": v2bc,
      "balancer-v3-weighted": v3bc,
    } as const;
    for (const [family, leg] of Object.entries(families)) {
      const ratio = typicalGasOf(family as SharedFamily) / typical.get(leg)!;
      expect(Math.abs(ratio - 1), `${family}: ${typical.get(leg)}`).toBeLessThan(FAMILY_ERROR_MAX);
    }
    const far = Object.entries(errors).filter(([, error]) => !(Math.abs(error) <= ERROR_MAX));
    expect(far).toEqual([]);
    const close = Object.values(errors).filter((error) => Math.abs(error) <= ERROR_MAX / 2);
    expect(close.length, JSON.stringify(errors)).toBeGreaterThan(0.7 * Object.keys(errors).length);
  });
});

/** `typicalGas` of a pool of the family. */
function typicalGasOf(family: SharedFamily): number {
  const market = openMarket(1, curves);
  market.writer.applyBlock(
    generateMarketBlock({ seed: 1, poolCount: 50, familyShares: { [family]: 1 } }),
  );
  const { graph, families } = market;
  const curve = curves.findIndex(({ name }) => family.endsWith(name.replace("balancer-", "-")));
  const pool = graph.poolCurve.indexOf(curve) as PoolIndex;
  return families[curve]!.typicalGas(pool, 0, 1, 10n ** 6n);
}

/** `transfer`, `transferFrom`, `approve`, `allowance`, `balanceOf`. */
const TOKEN_CALLS = ["0xa9059cbb", "0x23b872dd", "0x095ea7b3", "0xdd62ed3e", "0x70a08231"];
