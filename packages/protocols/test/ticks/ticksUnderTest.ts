import { type PiecewiseCurve, tickCurve } from "@millrace/core";
import {
  swapAlgebra,
  swapConcentrated,
  swapUniswapV4,
  type TicksOfPool,
} from "@millrace/testing/reference";
import { SwapLadder, type SwapLadderPool, stepRules } from "../../src/curves/ticks/math.ts";
import { encodeConcentrated } from "../../src/curves/ticks/state.ts";

/** A pool of any of the contracts; all but Uniswap V4's have one fee. */
export interface TicksUnderTest extends TicksOfPool {
  readonly fee: bigint;
  /** Uniswap V4's two protocol fees, 12 bits each. */
  readonly protocolFee: bigint;
}

/** How a contract swaps along ticks, and the reference written from its text. */
export interface TickContract {
  readonly name: string;
  readonly rule: SwapLadderPool["rule"];
  /** Of each what it allows, the extremes among them. */
  readonly spacings: ReadonlyArray<number>;
  readonly fees: ReadonlyArray<bigint>;
  readonly protocolFees: ReadonlyArray<bigint>;
  readonly feePips: (pool: TicksUnderTest, zeroForOne: boolean) => bigint;
  readonly reference: (
    pool: TicksUnderTest,
    zeroForOne: boolean,
    kind: "exactIn" | "exactOut",
    amount: bigint,
    rule?: "least" | "contract",
  ) => ReturnType<typeof swapConcentrated>;
}

const uniswapV3: TickContract = {
  name: "Uniswap V3",
  rule: stepRules.uniswapV3,
  spacings: [1, 10, 60, 200, 16_383],
  fees: [0n, 100n, 500n, 3_000n, 10_000n, 999_999n],
  protocolFees: [0n],
  feePips: ({ fee }) => fee,
  reference: (pool, ...swap) => swapConcentrated({ ...pool, feePips: Number(pool.fee) }, ...swap),
};

const uniswapV4: TickContract = {
  name: "Uniswap V4",
  rule: stepRules.uniswapV4,
  spacings: [1, 10, 60, 200, 32_767],
  fees: [0n, 100n, 500n, 3_000n, 10_000n, 999_000n, 999_999n, 1_000_000n],
  protocolFees: [0n, 1_000n, 1_000n << 12n, (25n << 12n) | 3n],
  feePips: ({ fee, protocolFee }, zeroForOne) => {
    const ours = zeroForOne ? protocolFee & 0xfffn : protocolFee >> 12n;
    return ours + fee - (ours * fee) / 1_000_000n;
  },
  reference: (pool, ...swap) => swapUniswapV4({ ...pool, lpFee: pool.fee }, ...swap),
};

const algebraIntegral: TickContract = {
  name: "Algebra Integral",
  rule: stepRules.algebraIntegral,
  spacings: [1, 10, 60, 200, 500],
  fees: [0n, 100n, 500n, 15_000n, 65_535n, 999_999n],
  protocolFees: [0n],
  feePips: ({ fee }) => fee,
  reference: swapAlgebra,
};

export const tickContracts = [uniswapV3, uniswapV4, algebraIntegral] as const;

/** Which contract made the recordings of a file of `families`. */
export const recordedFamilies: ReadonlyArray<readonly [file: string, contract: TickContract]> = [
  ["uniswap-v4", uniswapV4],
  ["pancake-v3", uniswapV3],
  ["slipstream", uniswapV3],
  ["algebra-integral", algebraIntegral],
];

export interface OpenTicks {
  readonly ladder: SwapLadder;
  readonly curve: PiecewiseCurve;
}

/** One direction of a pool, open for quotes. */
export function openTicks(
  contract: TickContract,
  pool: TicksUnderTest,
  zeroForOne: boolean,
): OpenTicks {
  const { rule } = contract;
  const { tick, tickSpacing, sqrtPriceX96, liquidity } = pool;
  const ticks = [...pool.ticks].sort(([a], [b]) => a - b);
  const { book } = encodeConcentrated({ ...pool, ticks });
  const start = { sqrtPriceX96, liquidity, tick, amountIn: 0n, amountOut: 0n };
  const rung = { ...start, stepCount: 0, crossingCount: 0 };
  const feePips = contract.feePips(pool, zeroForOne);
  const end = rule.furthestPrice(tick, tickSpacing, zeroForOne);
  return {
    ladder: new SwapLadder({ feePips, tickSpacing, rule, book: () => book! }, rung, zeroForOne),
    curve: tickCurve(() => book!, rung, end, Number(1_000_000n - feePips) / 1e6, zeroForOne),
  };
}

/** The other amount of a swap, by the engine. */
export function quoteTicks(
  { ladder }: OpenTicks,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): bigint | undefined {
  return kind === "exactIn" ? ladder.exactIn(amount)?.amountOut : ladder.exactOut(amount)?.amountIn;
}
