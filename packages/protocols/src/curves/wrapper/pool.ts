import {
  type Curve,
  isZeroForOne,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolState,
  REFUSED,
  readWords2,
  smoothFamily,
  type TokenPosition,
  writeWords,
} from "@millrace/core";
import {
  WRAPPED_END,
  type Wrapper,
  wrapperAmountIn,
  wrapperAmountOut,
  wrapperCapacity,
  wrapperRate,
} from "./math.ts";

/** `PoolShape.parameter`: what a swap does to the rate. Nothing: it is the contract's own. */
export const FIXED_RATE = 0;
/** Assets and shares are counted, to the wei. */
export const COUNTED = 1;
/** They are, as the contract likes: a route swaps through it once. */
export const COUNTED_LATER = 2;

/** Constants: virtual shares and virtual assets. */
const CONSTANT_WORDS = 2;
/** State: shares, assets, the most that is deposited and redeemed now; two words each. */
const STATE_WORDS = 8;
/** No contract's total is as large. */
export const TOTAL_END = 1n << 127n;
/** Bounds, whatever floats round. */
const UP = 1 + 2 ** -48;
/**
 * A deposit or redemption with its transfers: savings vaults take 90k to 150k, vaults that lend what
 * they get to several markets were seen to take up to 700k.
 */
const SWAP_GAS = 900_000;
const TYPICAL_GAS = 160_000;

/** Assets and shares, in this order, at one rate up to a limit, without a fee. */
export const wrapper: Curve = {
  name: "wrapper",
  stateWords: () => STATE_WORDS,
  check: ({ decimals, feePips, parameter, constants }, state) => {
    if (decimals.length !== 2) return `${decimals.length} tokens`;
    if (feePips !== 0) return `a fee of ${feePips} pips`;
    if (![FIXED_RATE, COUNTED, COUNTED_LATER].includes(parameter)) return `a rate of ${parameter}`;
    if (constants.length < CONSTANT_WORDS) return `${constants.length} words of constants`;
    const [virtualShares, virtualAssets] = constants;
    // With more of them all shares would be worth more than all assets.
    if (virtualAssets! > 1n || virtualAssets! > virtualShares!) return "strange virtual assets";
    if (state === undefined) return undefined;
    const { shares, assets } = wrapperOf(constants, parameter, state.words, 0);
    return shares >= TOTAL_END || assets >= TOTAL_END ? "a huge total" : undefined;
  },
  open,
};

/** Throws a RangeError for what has more than 128 bits, but limits: those are cut. */
export function wrapperState(
  found: Pick<Wrapper, "shares" | "assets" | "depositMax" | "redeemMax">,
): PoolState {
  const words = new BigUint64Array(STATE_WORDS);
  const limits = [found.depositMax, found.redeemMax].map((limit) =>
    limit < WRAPPED_END ? limit : WRAPPED_END - 1n,
  );
  for (const [index, value] of [found.shares, found.assets, ...limits].entries()) {
    writeWords(words, 2 * index, 2, value);
  }
  return { words };
}

export function wrapperOf(
  constants: BigUint64Array,
  parameter: number,
  words: BigUint64Array,
  start: number,
): Wrapper {
  return {
    shares: readWords2(words, start),
    assets: readWords2(words, start + 2),
    depositMax: readWords2(words, start + 4),
    redeemMax: readWords2(words, start + 6),
    virtualShares: constants[0]!,
    virtualAssets: constants[1]!,
    isFixed: parameter === FIXED_RATE,
  };
}

function open(graph: PoolGraph): PoolFamily {
  const at = (pool: PoolIndex): Wrapper => {
    const { poolParameter, poolStateStart, stateWords } = graph;
    const parameter = poolParameter[pool]!;
    return wrapperOf(graph.poolConstants(pool), parameter, stateWords, poolStateStart[pool]!);
  };

  const slopeOf = (found: Wrapper, isDeposit: boolean): number => {
    const [numerator, denominator] = wrapperRate(found, isDeposit);
    if (found.shares === 0n || found.assets === 0n) return 0;
    return Number(numerator) / Number(denominator);
  };
  const midPrice = (pool: PoolIndex, from: TokenPosition) => slopeOf(at(pool), isZeroForOne(from));

  const quoteExactIn: PoolFamily["quoteExactIn"] = (pool, from, _to, amountIn) =>
    wrapperAmountOut(at(pool), isZeroForOne(from), amountIn);
  const quoteExactOut: PoolFamily["quoteExactOut"] = (pool, from, _to, amountOut) =>
    wrapperAmountIn(at(pool), isZeroForOne(from), amountOut);

  function stateAfter(
    pool: PoolIndex,
    from: TokenPosition,
    _to: TokenPosition,
    amountIn: bigint,
    amountOut: bigint,
  ): PoolState {
    const found = at(pool);
    const isDeposit = isZeroForOne(from);
    const limits = isDeposit
      ? { depositMax: found.depositMax - amountIn, redeemMax: found.redeemMax }
      : { depositMax: found.depositMax, redeemMax: found.redeemMax - amountIn };
    const { shares, assets } = found;
    if (found.isFixed) return wrapperState({ shares, assets, ...limits });
    const [sharesIn, assetsIn] = isDeposit ? [amountOut, amountIn] : [-amountIn, -amountOut];
    return wrapperState({ shares: shares + sharesIn, assets: assets + assetsIn, ...limits });
  }

  const smooth = smoothFamily({
    quoteExactIn,
    inputEnd: () => WRAPPED_END,
    stateAfter,
    midPrice,
    at: (pool, from, _to, amountIn, into) => {
      const slope = midPrice(pool, from);
      into[0] = slope * amountIn;
      into[1] = slope;
      into[2] = 0;
    },
    inputFor: (pool, from, _to, amountOut) => amountOut / midPrice(pool, from),
    capacityIn: (pool, from) => Number(wrapperCapacity(at(pool), isZeroForOne(from))) * UP,
    feePips: () => 0,
    bonusIn: () => 0,
  });

  return {
    ...smooth,
    quoteExactOut,
    swapExactOut: (pool, from, to, amountOut) => {
      const amountIn = quoteExactOut(pool, from, to, amountOut);
      return amountIn === REFUSED ? undefined : smooth.swapExactIn(pool, from, to, amountIn);
    },
    gas: () => SWAP_GAS,
    typicalGas: () => TYPICAL_GAS,
    leastGas: TYPICAL_GAS,
    feeFollowsSwaps: (pool) => graph.poolParameter[pool] === COUNTED_LATER,
    /** What it would give for shares; shares are made as they are asked for, so it holds none. */
    tokenAmounts: (pool) => {
      const found = at(pool);
      const redeemed = wrapperAmountOut(found, false, wrapperCapacity(found, false));
      return [redeemed > 0n ? redeemed : 0n, 0n];
    },
  };
}
