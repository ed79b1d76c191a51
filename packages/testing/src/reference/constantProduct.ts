import { divRoundingUp } from "./solidity.ts";

export interface ConstantProductPool {
  readonly feePips: number;
  /**
   * Fee inside the product as in Uniswap V2, or taken off first as in Aerodrome's volatile pools.
   */
  readonly rule: "feeInside" | "feeFirst";
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

interface ConstantProductSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly reserve0After: bigint;
  readonly reserve1After: bigint;
}

const MILLION = 1_000_000n;

/**
 * The most that a pool may hold of a token, also during the swap while a fee that leaves is still
 * in it. A V2 pair reverts above uint112. The others take 256 bits; 128 is the engine's own limit.
 */
export const RESERVE_MAX = { feeInside: (1n << 112n) - 1n, feeFirst: (1n << 128n) - 1n } as const;

/** The whole `amount` in (exact in) or out (exact out); undefined where that is impossible. */
export function swapConstantProduct(
  pool: ConstantProductPool,
  zeroForOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): ConstantProductSwap | undefined {
  const [reserveIn, reserveOut] = zeroForOne
    ? [pool.reserve0, pool.reserve1]
    : [pool.reserve1, pool.reserve0];
  if (reserveIn === 0n || reserveOut === 0n) return undefined;
  if (kind === "exactOut" && amount >= reserveOut) return undefined;
  const amountIn = kind === "exactIn" ? amount : inputFor(pool, reserveIn, reserveOut, amount);
  const amountOut = kind === "exactOut" ? amount : output(pool, reserveIn, reserveOut, amount);
  if (reserveIn + amountIn > RESERVE_MAX[pool.rule]) return undefined;
  const inAfter = reserveIn + amountIn - (pool.rule === "feeFirst" ? fee(pool, amountIn) : 0n);
  const outAfter = reserveOut - amountOut;
  return zeroForOne
    ? { amountIn, amountOut, reserve0After: inAfter, reserve1After: outAfter }
    : { amountIn, amountOut, reserve0After: outAfter, reserve1After: inAfter };
}

function output(
  pool: ConstantProductPool,
  reserveIn: bigint,
  reserveOut: bigint,
  amountIn: bigint,
): bigint {
  if (pool.rule === "feeFirst") {
    const lessFee = amountIn - fee(pool, amountIn);
    return (lessFee * reserveOut) / (reserveIn + lessFee);
  }
  const withFee = amountIn * (MILLION - BigInt(pool.feePips));
  return (withFee * reserveOut) / (reserveIn * MILLION + withFee);
}

/**
 * The input that contracts ask for `amountOut`. The V2 library always adds one to the floor, more
 * than needed where the division is exact. The others have no such function; the least input whose
 * output reaches `amountOut` stands in.
 */
function inputFor(
  pool: ConstantProductPool,
  reserveIn: bigint,
  reserveOut: bigint,
  amountOut: bigint,
): bigint {
  const kept = MILLION - BigInt(pool.feePips);
  if (pool.rule === "feeInside") {
    return divRoundingUp(reserveIn * amountOut * MILLION, (reserveOut - amountOut) * kept);
  }
  const lessFee = divRoundingUp(amountOut * reserveIn, reserveOut - amountOut);
  // amountIn − ⌊amountIn × fee⌋ = ⌈amountIn × kept⌉ reaches lessFee just above (lessFee − 1) /
  // kept.
  return ((lessFee - 1n) * MILLION) / kept + 1n;
}

function fee(pool: ConstantProductPool, amountIn: bigint): bigint {
  return (amountIn * BigInt(pool.feePips)) / MILLION;
}
