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
} from "@millrace/core/pure";
import { DEPOSIT_GAS, REDEMPTION_GAS } from "../../legGas.ts";
import {
  TOTAL_END,
  WRAPPED_END,
  type Wrapper,
  wrapperAmountIn,
  wrapperAmountOut,
  wrapperCapacity,
  wrapperRate,
} from "./math.ts";

/** How swaps count. Not at all: the rate is the contract's own. */
export const FIXED_RATE = 0;
/** Swaps change assets and shares exactly, to the wei. */
export const COUNTED = 1;
/** Swaps change them in the contract's own way: a route swaps through it once. */
export const COUNTED_LATER = 2;

/** How a contract computes; this may be determined anew at any block. */
export interface WrapperRule extends Pick<Wrapper, "virtualShares" | "virtualAssets"> {
  readonly counting: number;
}

/** A decoded state. */
export interface CountedWrapper extends WrapperRule, Omit<Wrapper, "isFixed"> {}

/**
 * State: shares, assets, the most that is deposited and redeemed now, two words each; then virtual
 * shares, virtual assets and how swaps count, a word each.
 */
const STATE_WORDS = 11;
const RULE_AT = 8;
/** Keeps bounds valid, however floats round. */
const UP = 1 + 2 ** -48;
/** Vaults that lend what they get to several markets take up to 700k. */
const SWAP_GAS = 900_000;

/** Assets and shares, in this order, at one rate up to a limit, without a fee. */
export const wrapper: Curve = {
  name: "wrapper",
  stateWords: () => STATE_WORDS,
  check: ({ decimals, feePips }, state) => {
    if (decimals.length !== 2) return `${decimals.length} tokens`;
    if (feePips !== 0) return `a fee of ${feePips} pips`;
    if (state === undefined) return undefined;
    const { shares, assets, virtualShares, virtualAssets } = wrapperOf(state.words, 0);
    if (state.words[RULE_AT + 2]! > COUNTED_LATER) return "a strange rule";
    // With more of them all shares would be worth more than all assets.
    if (virtualAssets > 1n || virtualAssets > virtualShares) return "strange virtual assets";
    return shares >= TOTAL_END || assets >= TOTAL_END ? "a huge total" : undefined;
  },
  open,
};

/** Throws a RangeError for totals of more than 128 bits; limits are cut. */
export function wrapperState(found: CountedWrapper): PoolState {
  const words = new BigUint64Array(STATE_WORDS);
  const limits = [found.depositMax, found.redeemMax].map((limit) =>
    limit < WRAPPED_END ? limit : WRAPPED_END - 1n,
  );
  for (const [index, value] of [found.shares, found.assets, ...limits].entries()) {
    writeWords(words, 2 * index, 2, value);
  }
  words.set([found.virtualShares, found.virtualAssets, BigInt(found.counting)], RULE_AT);
  return { words };
}

export function wrapperOf(words: BigUint64Array, start: number): Wrapper & CountedWrapper {
  const rule = start + RULE_AT;
  const counting = Number(words[rule + 2]!);
  return {
    shares: readWords2(words, start),
    assets: readWords2(words, start + 2),
    depositMax: readWords2(words, start + 4),
    redeemMax: readWords2(words, start + 6),
    virtualShares: words[rule]!,
    virtualAssets: words[rule + 1]!,
    counting,
    isFixed: counting === FIXED_RATE,
  };
}

function open(graph: PoolGraph): PoolFamily {
  const at = (pool: PoolIndex) => wrapperOf(graph.stateWords, graph.poolStateStart[pool]!);

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
    const [deposited, redeemed] = isDeposit ? [amountIn, 0n] : [0n, amountIn];
    const limits = {
      depositMax: found.depositMax - deposited,
      redeemMax: found.redeemMax - redeemed,
    };
    if (found.isFixed) return wrapperState({ ...found, ...limits });
    const [shares, assets] = isDeposit ? [amountOut, amountIn] : [-amountIn, -amountOut];
    const totals = { shares: found.shares + shares, assets: found.assets + assets };
    return wrapperState({ ...found, ...totals, ...limits });
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
    typicalGas: (_pool, from) => (isZeroForOne(from) ? DEPOSIT_GAS : REDEMPTION_GAS),
    leastGas: REDEMPTION_GAS,
    feeFollowsSwaps: (pool) => at(pool).counting === COUNTED_LATER,
    /** What it would give for shares; it mints shares on demand, so it holds none. */
    tokenAmounts: (pool) => {
      const found = at(pool);
      const redeemed = wrapperAmountOut(found, false, wrapperCapacity(found, false));
      return [redeemed > 0n ? redeemed : 0n, 0n];
    },
  };
}
