import {
  type Curve,
  FEE_IN_STATE,
  isZeroForOne,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolState,
  readWords2,
  smoothFamily,
  type TokenPosition,
  writeWords,
} from "@millrace/core";
import { type DodoPool, dodoSwap, dodoTarget, ONE, RESERVE_END, reciprocalOf } from "./math.ts";

/** State: base and quote, two words each, and two rates. Constants: i, two words, and k. */
const STATE_WORDS = 6;
const NO_STATE = new BigUint64Array(STATE_WORDS);
/** Estimates are upper bounds. */
const UP = 1 + 2 ** -40;
const K_LEAST = ONE / 1_000_000n;
const TYPICAL_GAS = 150_000;

/**
 * Whether k is so near to 0, a constant price, or to 1, x·y = k, that the contract's rounding
 * outweighs it.
 */
export const isEdge = (k: bigint): boolean => k < K_LEAST || k > ONE - K_LEAST;

/** DODO's proactive market maker, one-sided. The first token is the base, the second the quote. */
export const dodoCurve: Curve = {
  name: "dodo",
  stateWords: () => STATE_WORDS,
  check: ({ decimals, feePips, constants }, state) => {
    if (decimals.length !== 2) return `${decimals.length} tokens`;
    if (feePips !== FEE_IN_STATE || constants.length < 3) return "a fixed fee, or no price";
    const { i, k, ...found } = dodoPool(constants, state?.words ?? NO_STATE);
    if (i === 0n || i > ONE ** 2n || isEdge(k)) return `a price of ${i} with k = ${k}`;
    if (found.base >= RESERVE_END || found.quote >= RESERVE_END) return "a huge reserve";
    return found.lpRate + found.mtRate >= ONE ? "a fee of all" : undefined;
  },
  open,
};

export function dodoState(pool: Omit<DodoPool, "i" | "k">): PoolState {
  const words = new BigUint64Array(STATE_WORDS);
  writeWords(words, 0, 2, pool.base);
  writeWords(words, 2, 2, pool.quote);
  words.set([pool.lpRate, pool.mtRate], 4);
  return { words };
}

export function dodoPool(constants: BigUint64Array, words: BigUint64Array): DodoPool {
  const rates = { lpRate: words[4]!, mtRate: words[5]! };
  const reserves = { base: readWords2(words, 0), quote: readWords2(words, 2) };
  return { ...reserves, ...rates, i: readWords2(constants, 0), k: constants[2]! };
}

function open(graph: PoolGraph): PoolFamily {
  const poolAt = (pool: PoolIndex): DodoPool => {
    const start = graph.poolStateStart[pool]!;
    const words = graph.stateWords.subarray(start, start + STATE_WORDS);
    return dodoPool(graph.poolConstants(pool), words);
  };

  /** A direction in real numbers. Rounding may give the trader `slack` units. */
  function face(pool: PoolIndex, from: TokenPosition) {
    const plain = poolAt(pool);
    const [target, sellsBase] = [dodoTarget(plain), isZeroForOne(from)];
    const [base, k] = [Number(plain.base), Number(plain.k) / 1e18];
    const rest = Number(ONE - plain.k) / 1e18;
    const gain = Number(ONE - plain.lpRate - plain.mtRate) / 1e18;
    const price = Number(sellsBase ? plain.i : reciprocalOf(plain)) / 1e18;
    const c = k * Number(target) ** 2;
    const slack = 2 + (sellsBase ? 0 : gain * (2 / rest + 1 / Math.sqrt(k * rest)));
    // Until half of the base is gone the slope is no less; from there the slack is a small part.
    const slope = sellsBase ? price * gain * rest : (price * gain) / (rest + (4 * c) / base ** 2);
    const raise = sellsBase ? UP : UP * (1 + (2 * slack) / (gain * base));
    const most = RESERVE_END - 1n - (sellsBase ? plain.base : plain.quote);
    const room = target === 0n ? 0n : sellsBase ? target - plain.base - 1n : most;
    const capacity = Number(room < most ? room : most);
    const bonus = capacity > 0 ? slack / slope : 0;
    return { sellsBase, base, rest, gain, price, c, raise, bonus, capacity };
  }

  const family = smoothFamily({
    quoteExactIn: (pool, from, _to, amountIn) =>
      dodoSwap(poolAt(pool), isZeroForOne(from), amountIn).amountOut,
    inputEnd: () => RESERVE_END,
    stateAfter: (pool, from, _to, amountIn, amountOut) => {
      const { base, quote, ...rest } = poolAt(pool);
      const paid =
        amountOut + dodoSwap({ base, quote, ...rest }, isZeroForOne(from), amountIn).mtFee;
      if (isZeroForOne(from))
        return dodoState({ ...rest, base: base + amountIn, quote: quote - paid });
      return dodoState({ ...rest, base: base - paid, quote: quote + amountIn });
    },
    /** Sold base integrates i × (1 − k + k × (target / base)²); sold quote inverts that. */
    at: (pool, from, _to, amountIn, into) => {
      const { sellsBase, base, rest, gain, price, c, raise } = face(pool, from);
      const [worth, scale] = [price * amountIn, gain * raise];
      const after = sellsBase ? base + amountIn : rootOf(rest, worth + c / base - rest * base, c);
      const marginal = rest + c / after ** 2;
      const mean = rest + c / after / base;
      into[0] = scale * (sellsBase ? worth * mean : worth / mean);
      into[1] = scale * price * (sellsBase ? marginal : 1 / marginal);
      into[2] = (-2 * scale * price * c) / after ** 3;
      if (!sellsBase) into[2] *= price / marginal ** 3;
    },
    inputFor: (pool, from, _to, amountOut) => {
      const { sellsBase, base, rest, gain, price, c, raise } = face(pool, from);
      const drawn = amountOut / gain / raise;
      if (!sellsBase) return (drawn * (rest + c / base / Math.max(base - drawn, 0))) / price;
      const worth = drawn / price;
      return rootOf(rest, rest * base + c / base - worth, worth * base);
    },
    capacityIn: (pool, from) => {
      const { capacity, bonus } = face(pool, from);
      return (capacity + bonus) * UP;
    },
    feePips: (pool) => Number((poolAt(pool).lpRate + poolAt(pool).mtRate) / 10n ** 12n),
    bonusIn: (pool, from) => face(pool, from).bonus,
    midPrice: (pool, from) => {
      const { sellsBase, base, rest, price, c, capacity } = face(pool, from);
      const marginal = rest + c / base ** 2;
      return capacity <= 0 ? 0 : price * (sellsBase ? marginal : 1 / marginal);
    },
  });
  const tokenAmounts = (pool: PoolIndex) => [poolAt(pool).base, poolAt(pool).quote];
  const gas = { gas: () => 250_000, typicalGas: () => TYPICAL_GAS, leastGas: TYPICAL_GAS };
  return { ...family, ...gas, tokenAmounts };
}

/** The root ≥ 0 of a·x² + b·x = c, without cancellation. */
function rootOf(a: number, b: number, c: number): number {
  const root = Math.sqrt(b * b + 4 * a * c);
  return b >= 0 ? (2 * c) / (b + root) : (root - b) / (2 * a);
}
