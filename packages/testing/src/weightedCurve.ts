import {
  type Curve,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolState,
  REFUSED,
  smoothFamily,
  squareRoot,
  type TokenPosition,
} from "@millrace/core";

/**
 * A curve for tests only: pools of two to eight tokens whose balances keep ∏ balance^weight, with
 * weights of 1, 2 or 4. A swap's exponent is then 1/4, 1/2, 1, 2 or 4, and integers are exact.
 * Constants: the weights, one word each. State: the balances, one word each, below 2^63. The fee is
 * taken off the input first, rounded up.
 */
export const weightedCurve: Curve = {
  name: "weighted-for-tests",
  stateWords: (tokenCount) => tokenCount,
  check: ({ decimals, feePips, constants }, state) => {
    if (feePips >= PIPS) return `a fee of ${feePips} pips`;
    if (constants.length !== decimals.length) return `${constants.length} weights`;
    if (constants.some((weight) => ![1n, 2n, 4n].includes(weight))) return "a strange weight";
    return state?.words.some((balance) => balance >= BALANCE_END) ? "a huge balance" : undefined;
  },
  open,
};

const PIPS = 1_000_000;
const BALANCE_END = 1n << 63n;

/** The state of a weighted pool with these balances. */
export const encodeBalances = (balances: ReadonlyArray<bigint>): PoolState => ({
  words: BigUint64Array.from(balances),
});

function open(graph: PoolGraph): PoolFamily {
  const balance = (pool: PoolIndex, at: TokenPosition) =>
    graph.stateWords[graph.poolStateStart[pool]! + at]!;
  const weight = (pool: PoolIndex, at: TokenPosition) => graph.poolConstants(pool)[at]!;
  const feePips = (pool: PoolIndex) => graph.poolFeePips[pool]!;

  /** The input must fit below BALANCE_END, and no balance may be empty. */
  function quoteExactIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountIn: bigint,
  ): bigint {
    const before = balance(pool, positionIn);
    const out = balance(pool, positionOut);
    if (before === 0n || out === 0n || before + amountIn >= BALANCE_END) return REFUSED;
    const fee = (amountIn * BigInt(feePips(pool)) + BigInt(PIPS) - 1n) / BigInt(PIPS);
    const after = before + amountIn - fee;
    let [top, bottom] = [before, after];
    // The rest is out × (before / after)^(weightIn / weightOut), rounded up.
    for (let ratio = weight(pool, positionIn); ratio > weight(pool, positionOut); ratio /= 2n) {
      [top, bottom] = [top * top, bottom * bottom];
    }
    let roots = 0;
    for (let ratio = weight(pool, positionOut); ratio > weight(pool, positionIn); ratio /= 2n) {
      roots++;
    }
    const power = 1n << BigInt(roots);
    let stays = (out ** power * top + bottom - 1n) / bottom;
    for (let root = 0; root < roots; root++) {
      const floor = squareRoot(stays);
      stays = floor * floor === stays ? floor : floor + 1n;
    }
    return out - stays;
  }

  const exponent = (pool: PoolIndex, positionIn: TokenPosition, positionOut: TokenPosition) =>
    Number(weight(pool, positionIn)) / Number(weight(pool, positionOut));
  const gamma = (pool: PoolIndex) => (PIPS - feePips(pool)) / PIPS;

  const capacityIn = (pool: PoolIndex, positionIn: TokenPosition, positionOut: TokenPosition) => {
    const isEmpty = balance(pool, positionIn) === 0n || balance(pool, positionOut) === 0n;
    return isEmpty ? 0 : Number(BALANCE_END - 1n - balance(pool, positionIn));
  };

  const smooth = smoothFamily({
    quoteExactIn,
    inputEnd: (pool, positionIn) => BALANCE_END - balance(pool, positionIn),
    stateAfter: (pool, positionIn, positionOut, amountIn, amountOut) => {
      const start = graph.poolStateStart[pool]!;
      const words = graph.stateWords.slice(start, start + graph.poolTokenCount[pool]!);
      words[positionIn]! += amountIn;
      words[positionOut]! -= amountOut;
      return { words };
    },
    midPrice: (pool, positionIn, positionOut) => {
      const b = Number(balance(pool, positionIn));
      const price = Number(balance(pool, positionOut)) / b;
      return b === 0 ? 0 : price * exponent(pool, positionIn, positionOut);
    },
    // With b = balanceIn, r = b / (b + γa) and p the exponent: balanceOut × (1 − r^p).
    at: (pool, positionIn, positionOut, amountIn, into) => {
      const b = Number(balance(pool, positionIn));
      const out = Number(balance(pool, positionOut));
      const p = exponent(pool, positionIn, positionOut);
      const g = gamma(pool);
      const logarithm = -p * Math.log1p((g * amountIn) / b);
      const whole = b + g * amountIn;
      into[0] = -out * Math.expm1(logarithm);
      into[1] = (out * Math.exp(logarithm) * p * g) / whole;
      into[2] = (-into[1]! * (p + 1) * g) / whole;
    },
    inputFor: (pool, positionIn, positionOut, amountOut) => {
      const left = Math.log1p(-amountOut / Number(balance(pool, positionOut)));
      const p = exponent(pool, positionIn, positionOut);
      return (Number(balance(pool, positionIn)) * Math.expm1(-left / p)) / gamma(pool);
    },
    capacityIn,
    feePips,
    bonusIn: () => 0,
  });

  return {
    ...smooth,
    gas: () => 120_000,
    typicalGas: () => 100_000,
    leastGas: 100_000,
    tokenAmounts: (pool) =>
      Array.from({ length: graph.poolTokenCount[pool]! }, (_, at) => balance(pool, at)),
  };
}
