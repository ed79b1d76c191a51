import {
  type Curve,
  FEE_IN_STATE,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  REFUSED,
  smoothFamily,
  type TokenPosition,
} from "@millrace/core/pure";
import { curveLegGas } from "../../legGas.ts";
import { type CryptoFace, cryptoFace, cryptoInput, cryptoPoint, firstRate } from "./estimates.ts";
import {
  CRYPTO_BALANCE_MAX,
  type CryptoDraw,
  type CryptoPool,
  type CryptoRefusal,
  type CryptoSwap,
  drawFromCrypto,
  scaledBalance,
  settleCrypto,
  TOO_LITTLE,
} from "./math.ts";
import { isSureToSettle, leastGain, settledFrom } from "./settling.ts";
import { checkCrypto, cryptoStateWords, decodeCrypto, encodeCrypto } from "./state.ts";

/**
 * Transactions of a swap were seen to take 163k to 240k, with the oldest contract up to twice that;
 * the contract alone some 20k less.
 */
const SWAP_GAS = 600_000;
const TYPICAL_GAS = curveLegGas(180_000);
const PIPS = 1_000_000;
const AMOUNT_BITS = 128n;

/**
 * Curve's crypto pools of two or three tokens: what never changes is the contract and its tokens'
 * precisions, all else is state.
 *
 * The state after a swap is exact except for the price scale, which the contract may move then:
 * that depends on the price of an oracle, which moves with the time of the swap's block. So the
 * output of a second swap in the same transaction is unknown, and routes take only one
 * (`feeFollowsSwaps`).
 */
export const cryptoSwap: Curve = {
  name: "crypto-swap",
  stateWords: cryptoStateWords,
  check: (shape, state) =>
    shape.feePips === FEE_IN_STATE ? checkCrypto(shape, state) : "a fixed fee",
  open,
};

/** A pool in one version of its state, with the directions computed so far. */
interface KnownPool {
  readonly version: number;
  readonly pool: CryptoPool;
  /** See `isSureToSettle`. */
  readonly least: number;
  readonly faces: Map<number, CryptoFace | undefined>;
}

const TOKENS_MAX = 3;
const directionOf = (from: TokenPosition, to: TokenPosition): number => from * TOKENS_MAX + to;

function open(graph: PoolGraph): PoolFamily {
  const known = new Map<PoolIndex, KnownPool>();

  function knownOf(pool: PoolIndex): KnownPool {
    const version = graph.poolVersion[pool]!;
    const before = known.get(pool);
    if (before?.version === version) return before;
    const start = graph.poolStateStart[pool]!;
    const decoded = decodeCrypto(graph.poolConstants(pool), graph.stateWords, start);
    const found = { version, pool: decoded, least: leastGain(decoded), faces: new Map() };
    known.set(pool, found);
    return found;
  }

  function faceOf(pool: PoolIndex, from: TokenPosition, to: TokenPosition): CryptoFace | undefined {
    const { faces, pool: decoded } = knownOf(pool);
    const direction = directionOf(from, to);
    const before = faces.get(direction);
    if (before !== undefined || faces.has(direction)) return before;
    const face = cryptoFace(decoded, from, to);
    faces.set(direction, face);
    return face;
  }

  // What was drawn last.
  let drawnFrom: CryptoPool | undefined;
  let drawnIn = 0n;
  let drawnDirection = 0;
  let lastDraw: CryptoDraw | CryptoRefusal = REFUSED;

  /** What a swap would give, computed once for the several calls of one swap. */
  function draw(pool: PoolIndex, from: TokenPosition, to: TokenPosition, amountIn: bigint) {
    const { pool: decoded } = knownOf(pool);
    const direction = directionOf(from, to);
    if (drawnFrom === decoded && drawnDirection === direction && drawnIn === amountIn) {
      return lastDraw;
    }
    lastDraw = drawFromCrypto(decoded, from, to, amountIn);
    drawnFrom = decoded;
    drawnDirection = direction;
    drawnIn = amountIn;
    return lastDraw;
  }

  /** The output of a swap that is accepted. */
  function given(
    pool: PoolIndex,
    from: TokenPosition,
    to: TokenPosition,
    amountIn: bigint,
  ): bigint | CryptoRefusal {
    const found = draw(pool, from, to, amountIn);
    if (typeof found === "bigint") return found;
    const { pool: decoded, least } = knownOf(pool);
    if (isSureToSettle(decoded, least, found.x)) return found.amountOut;
    const swap = settleCrypto(decoded, found);
    return typeof swap === "bigint" ? swap : swap.amountOut;
  }

  const quoteExactIn: PoolFamily["quoteExactIn"] = (pool, from, to, amountIn) => {
    if (faceOf(pool, from, to) === undefined) return REFUSED;
    const amountOut = given(pool, from, to, amountIn);
    return amountOut === TOO_LITTLE ? REFUSED : amountOut;
  };

  const family = smoothFamily({
    quoteExactIn,
    inputEnd: () => CRYPTO_BALANCE_MAX,
    stateAfter: (pool, from, to, amountIn, amountOut) => {
      const { pool: before } = knownOf(pool);
      const found = draw(pool, from, to, amountIn) as CryptoDraw;
      const { d, virtualPrice } = settleCrypto(before, found) as CryptoSwap;
      const balances = [...before.balances];
      balances[from]! += amountIn;
      balances[to]! -= amountOut;
      return encodeCrypto({ ...before, balances, d, virtualPrice });
    },
    at: (pool, from, to, amountIn, into) => cryptoPoint(faceOf(pool, from, to)!, amountIn, into),
    inputFor: (pool, from, to, amountOut) => cryptoInput(faceOf(pool, from, to)!, amountOut),
    capacityIn: (pool, from, to) => faceOf(pool, from, to)?.capacity ?? 0,
    feePips: (pool, from, to) => Math.floor((faceOf(pool, from, to)?.fee ?? 0) * PIPS),
    bonusIn: (pool, from, to) => faceOf(pool, from, to)?.bonus ?? 0,
    midPrice: (pool, from, to) => {
      const face = faceOf(pool, from, to);
      return face === undefined ? 0 : (firstRate(face) * face.perUnitIn) / face.perUnitOut;
    },
  });

  /**
   * The contracts have only exact inputs, and more input may give a little less; with a fee below
   * what roundings cost the pool it may even be TOO_LITTLE. The input of an exact output is one
   * that gives it while one unit less does not. It is found bit by bit, from the highest on: a bit
   * stays set where the input still gives too little. Inputs are not tried that the estimate shows
   * to be too little, or that are beyond one whose output exceeds, by more than a larger input may
   * give less, both the asked one and what is sure to settle.
   */
  const quoteExactOut: PoolFamily["quoteExactOut"] = (pool, from, to, amountOut) => {
    const face = faceOf(pool, from, to);
    const { pool: decoded, least: leastOfPool } = knownOf(pool);
    const held = decoded.balances[to]!;
    if (face === undefined || amountOut >= held) return REFUSED;
    const least = family.estimateExactOut(pool, from, to, Number(amountOut));
    if (!Number.isFinite(least)) return REFUSED;
    // An input that is TOO_LITTLE gives nothing. One that is REFUSED is too large, or it leaves too
    // little of the input for the contract: where the mean of both balances is not reached.
    const scaled = (at: number, more: bigint) =>
      scaledBalance(decoded, at, decoded.balances[at]! + more);
    const isBelowMean = (amountIn: bigint) =>
      scaled(from, amountIn) ** 2n < scaled(from, 0n) * scaled(to, 0n);
    const giving = (amountIn: bigint) => {
      const found = given(pool, from, to, amountIn);
      if (found === REFUSED) return isBelowMean(amountIn) ? 0n : undefined;
      return found === TOO_LITTLE ? 0n : found;
    };
    const isShort = (amountIn: bigint) => (giving(amountIn) ?? amountOut) < amountOut;
    const short = BigInt(Math.floor(least * (1 - 2 ** -36)));
    const settled = Math.ceil(Math.min(settledFrom(face, leastOfPool), Number(held)));
    const kept = amountOut > settled ? amountOut : BigInt(settled);
    let sure = kept + BigInt(Math.ceil(face.uneven));
    if (face.steepFee > 1)
      sure = BigInt(Math.ceil(Math.min(Number(sure) * face.steepFee, Number(held))));
    const likely = family.estimateExactOut(pool, from, to, Number(sure));
    let enough = 1n + (Number.isFinite(likely) ? BigInt(Math.floor(likely)) : short);
    for (let width = 1n; enough <= CRYPTO_BALANCE_MAX; width *= 4n) {
      const found = giving(enough);
      if (found === undefined || found >= sure) break;
      const missing = Number(sure - found) / Number(sure);
      const more = BigInt(Math.ceil(Number(enough) * missing));
      enough += more > width ? more : width;
    }
    let amountIn = 0n;
    for (let bit = 1n << (AMOUNT_BITS - 1n); bit > 0n; bit >>= 1n) {
      const tried = amountIn + bit;
      if (tried <= short || (tried < enough && isShort(tried))) amountIn = tried;
    }
    return quoteExactIn(pool, from, to, amountIn + 1n) >= amountOut ? amountIn + 1n : REFUSED;
  };

  return {
    ...family,
    quoteExactOut,
    /** Output beyond the requested amount is no part of the swap, as more may cost less. */
    swapExactOut: (pool, from, to, amountOut) => {
      const amountIn = quoteExactOut(pool, from, to, amountOut);
      if (amountIn === REFUSED) return undefined;
      const swap = family.swapExactIn(pool, from, to, amountIn);
      return swap && { ...swap, amountOut };
    },
    feeFollowsSwaps: () => true,
    gas: () => SWAP_GAS,
    typicalGas: () => TYPICAL_GAS,
    leastGas: TYPICAL_GAS,
    tokenAmounts: (pool) => [...knownOf(pool).pool.balances],
  };
}
