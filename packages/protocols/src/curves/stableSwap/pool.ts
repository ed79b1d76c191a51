import {
  type Curve,
  FEE_IN_STATE,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolShape,
  type PoolState,
  REFUSED,
  smoothFamily,
  type TokenPosition,
} from "@millrace/core/pure";
import { curveLegGas } from "../../legGas.ts";
import {
  SIDE_ERROR,
  type StableSwapSide,
  stableSwapAdded,
  stableSwapPoint,
  stableSwapPrice,
  stableSwapSide,
} from "./estimates.ts";
import { stableSwapInput } from "./exactOutput.ts";
import { E10, RULES_END, SCALED_BITS, type StableSwapMarket, stableSwapMarket } from "./market.ts";
import { balancesAfter, stableSwapExchange, startOf } from "./math.ts";
import { encodeStableSwap, readStableSwap, stableSwapWords } from "./state.ts";

const TOKENS_MAX = 8;
/** The contracts take no A from here up. */
const A_END = 1_000_000n;
const PRECISIONS = [1n, 100n];
/** The contract's fees are in 1/10^10. */
const FEE_PER_PIP = 10_000;

/** Estimates are upper bounds, inverses lower ones. */
const UP = 1 + SIDE_ERROR;
/** A part of a unit that counts for nothing. */
const PART_LEAST = 2 ** -36;
/** In outputs of this many roundings or more, a rounding is a small part. */
const ROUNDINGS_FEW = 2 ** 38;

/**
 * Transactions of a swap were seen to take 128k to 183k with two and three coins; each more is read
 * and solved.
 */
const GAS = 190_000;
const GAS_PER_TOKEN = 20_000;
/** Typical gas of the contract alone. */
const USED_GAS = 85_000;
const USED_GAS_PER_TOKEN = 12_000;

/**
 * Pools of two to eight tokens of Curve's StableSwap. Constants: the precision of A. The parameter
 * says how the contract's version computes (`DIVIDES_EACH`). Rates, A and fees are of the state.
 */
export const stableSwap: Curve = {
  name: "stable-swap",
  stateWords: stableSwapWords,
  check,
  open,
};

function check(
  { decimals, feePips, parameter, constants }: PoolShape,
  state: PoolState | undefined,
): string | undefined {
  const [aPrecision = 0n] = constants;
  if (decimals.length < 2 || decimals.length > TOKENS_MAX) return `${decimals.length} tokens`;
  if (feePips !== FEE_IN_STATE) return `a fixed fee of ${feePips} pips`;
  if (!(parameter >= 0 && parameter < RULES_END)) return `rules of ${parameter}`;
  if (!PRECISIONS.includes(aPrecision)) return `an A with a precision of ${aPrecision}`;
  if (state === undefined) return undefined;
  if (state.words.length !== stableSwapWords(decimals.length)) return "amounts of other tokens";
  const { amp, fee, offpegFeeMultiplier, adminFee, rates } = readStableSwap(
    state.words,
    0,
    decimals.length,
  );
  if (amp === 0n || amp >= A_END * aPrecision) return `an A of ${amp}`;
  if (fee >= E10 || offpegFeeMultiplier * fee >= E10 * E10) return `a fee of ${fee}`;
  if (adminFee > E10) return `an admin's part of ${adminFee}`;
  return rates.includes(0n) ? "a rate of nothing" : undefined;
}

/** What is computed for one version of a pool. */
interface Faced {
  readonly version: number;
  readonly market: StableSwapMarket;
  /** Directions by positionIn × n + positionOut; null of those that give nothing. */
  readonly faces: Array<Face | null | undefined>;
}

interface Face extends StableSwapSide {
  readonly raise: number;
  readonly bonus: number;
  readonly capacity: number;
}

function open(graph: PoolGraph): PoolFamily {
  const faced: Array<Faced | undefined> = [];

  function factsOf(pool: PoolIndex): Faced {
    const version = graph.poolVersion[pool]!;
    const known = faced[pool];
    if (known?.version === version) return known;
    const found = facts(pool, version);
    faced[pool] = found;
    return found;
  }

  function facts(pool: PoolIndex, version: number): Faced {
    const tokenCount = graph.poolTokenCount[pool]!;
    const market = stableSwapMarket({
      ...readStableSwap(graph.stateWords, graph.poolStateStart[pool]!, tokenCount),
      aPrecision: graph.constantWords[graph.poolConstantStart[pool]!]!,
      rules: graph.poolParameter[pool]!,
    });
    return { version, market, faces: new Array<Face | null | undefined>(tokenCount ** 2) };
  }

  function faceOf(pool: PoolIndex, from: TokenPosition, to: TokenPosition): Face | null {
    const { market, faces } = factsOf(pool);
    const direction = from * market.scaled.length + to;
    const known = faces[direction];
    if (known !== undefined) return known;
    const face = newFace(market, from, to);
    faces[direction] = face;
    return face;
  }

  const quoteExactIn: PoolFamily["quoteExactIn"] = (pool, from, to, amountIn) =>
    stableSwapExchange(factsOf(pool).market, from, to, amountIn)?.amountOut ?? REFUSED;

  const family = smoothFamily({
    quoteExactIn,
    quoteExactOut: (pool, from, to, amountOut) =>
      stableSwapInput(factsOf(pool).market, from, to, amountOut),
    stateAfter: (pool, from, to, amountIn) => {
      const { market } = factsOf(pool);
      const output = stableSwapExchange(market, from, to, amountIn)!;
      const balances = balancesAfter(market, from, to, amountIn, output);
      return encodeStableSwap({ ...market, balances });
    },
    midPrice: (pool, from, to) => {
      const face = faceOf(pool, from, to);
      return face === null ? 0 : (stableSwapPrice(face) * face.scaleIn) / face.scaleOut;
    },
    at: (pool, from, to, amountIn, into) => {
      const face = faceOf(pool, from, to)!;
      stableSwapPoint(face, amountIn * face.scaleIn, into);
      const unit = (face.raise * face.kept) / face.scaleOut;
      into[0]! *= unit;
      into[1]! *= unit * face.scaleIn;
      into[2]! *= unit * face.scaleIn * face.scaleIn;
    },
    inputFor: (pool, from, to, amountOut) => {
      const face = faceOf(pool, from, to)!;
      const output = (amountOut * face.scaleOut) / face.kept / face.raise;
      return stableSwapAdded(face, output / UP) / face.scaleIn / UP;
    },
    capacityIn: (pool, from, to) => faceOf(pool, from, to)?.capacity ?? 0,
    bonusIn: (pool, from, to) => faceOf(pool, from, to)?.bonus ?? 0,
    feePips: (pool, from, to) => {
      const { market } = factsOf(pool);
      return (faceOf(pool, from, to)?.feeRate ?? Number(market.fee)) / FEE_PER_PIP;
    },
  });

  return {
    ...family,
    gas: (pool) => GAS + GAS_PER_TOKEN * graph.poolTokenCount[pool]!,
    typicalGas: (pool) => typicalGasOf(graph.poolTokenCount[pool]!),
    leastGas: typicalGasOf(2),
    tokenAmounts: (pool) => [...factsOf(pool).market.balances],
    stateHolding: (pool, amounts) =>
      encodeStableSwap({ ...factsOf(pool).market, balances: amounts }),
  };
}

const typicalGasOf = (tokenCount: number) =>
  curveLegGas(USED_GAS + USED_GAS_PER_TOKEN * tokenCount);

/** A direction with what makes its estimates bounds; null where it gives nothing. */
function newFace(market: StableSwapMarket, from: TokenPosition, to: TokenPosition): Face | null {
  if (startOf(market, to) === REFUSED) return null;
  const side = stableSwapSide(market, from, to);
  const { raise, bonus } = boundsOf(side);
  const { balances, sum, sumEnd } = market;
  const room = Math.min(
    2 ** SCALED_BITS - Number(balances[from]),
    (Number(sumEnd - sum) + 1) / side.scaleIn,
  );
  return { ...side, raise, bonus, capacity: (room + bonus) * UP };
}

/**
 * The factor by which the formula's output is raised, and the input that is added, to allow for
 * roundings. With w the output and r the rounding:
 *
 * - where r is a small part of a unit, it is as small a part of any output;
 * - else w + r ≤ w·(1 + r/W) where w ≥ W; below W, the input that 2·W's slope needs for r gives r;
 * - where r is no small part of the balance, half of that counts from the first unit on.
 */
function boundsOf(side: StableSwapSide): { raise: number; bonus: number } {
  const { y, rounding, kept, scaleIn, scaleOut } = side;
  const part = (rounding * kept) / scaleOut;
  if (part < PART_LEAST) return { raise: UP / (1 - part), bonus: 0 };
  const many = Math.min(rounding * ROUNDINGS_FEW, y / 4);
  if (rounding > many) {
    const half = stableSwapAdded(side, y / 2) / scaleIn;
    return { raise: 4 * UP * Math.max(1, rounding / y), bonus: half * UP };
  }
  stableSwapPoint(side, stableSwapAdded(side, 2 * many), point);
  return { raise: UP * (1 + rounding / many), bonus: (rounding / point[1]! / scaleIn) * UP };
}

const point = new Float64Array(3);
