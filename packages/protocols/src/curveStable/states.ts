import { NO_CONSTANTS, type PoolListing } from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import type {
  Asking,
  CallAnswer,
  ChainCall,
  EachBlock,
  FollowedState,
  PoolRefusal,
} from "../ChainProtocol.ts";
import { callOfWords } from "../chainWords.ts";
import {
  stableSwapPoint,
  stableSwapPrice,
  stableSwapSide,
} from "../curves/stableSwap/estimates.ts";
import { KEEPS_ORACLE, stableSwapMarket } from "../curves/stableSwap/market.ts";
import { startOf } from "../curves/stableSwap/math.ts";
import { stableSwap } from "../curves/stableSwap/pool.ts";
import {
  encodeStableSwap,
  readStableSwap,
  type StableSwapState,
} from "../curves/stableSwap/state.ts";
import { listIn, numberIn } from "./answers.ts";
import { type Oracles, rateCalls, ratesOf } from "./rates.ts";

/** The calls for pools' states, and what their answers say. */

const A = toFunctionSelector("A()");
const A_PRECISE = toFunctionSelector("A_precise()");
const FEE = toFunctionSelector("fee()");
const ADMIN_FEE = toFunctionSelector("admin_fee()");
const OFFPEG_FEE_MULTIPLIER = toFunctionSelector("offpeg_fee_multiplier()");
const BALANCES = toFunctionSelector("balances(uint256)");
const GET_BALANCES = toFunctionSelector("get_balances()");
const STORED_RATES = toFunctionSelector("stored_rates()");

const ODD_RATE: PoolRefusal = { refused: "a rate that no rule describes" };
const ODD_STATE: PoolRefusal = { refused: "a state of no curve" };

/** The price of x·y = k falls by 2 % when x grows by this part. */
const DEPTH_FACTOR = 1 / Math.sqrt(0.98) - 1;
const DEPTH_FALL = 0.98;
const HALVINGS = 200;

export const isNgPool = ({ parameter }: PoolListing): boolean => (parameter & KEEPS_ORACLE) !== 0;

const ampCall = ({ address: to, constants }: PoolListing): ChainCall => ({
  to,
  data: constants?.[0] === 1n ? A : A_PRECISE,
});

/** A, fees, balances and the rates that move, in this order. */
export function stateCalls(pool: PoolListing, oracles: Oracles): ReadonlyArray<ChainCall> {
  const { address: to, tokens } = pool;
  const fees = [ampCall(pool), { to, data: FEE }, { to, data: ADMIN_FEE }];
  const amounts = isNgPool(pool)
    ? [OFFPEG_FEE_MULTIPLIER, GET_BALANCES, STORED_RATES].map((data) => ({ to, data }))
    : tokens.map((_, position) => callOfWords(to, BALANCES, [BigInt(position)]));
  return [...fees, ...amounts, ...rateCalls(pool, oracles)];
}

export function* readPool(
  pool: PoolListing,
  oracles: Oracles,
): Asking<FollowedState | PoolRefusal | undefined> {
  return stateIn(pool, yield stateCalls(pool, oracles));
}

/** Undefined when the pool would not give these answers. */
export function stateIn(
  pool: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
): FollowedState | PoolRefusal | undefined {
  const [amp, fee, adminFee] = answers.slice(0, 3).map(numberIn);
  if (amp === undefined || fee === undefined || adminFee === undefined) return undefined;
  const amounts = isNgPool(pool)
    ? ngAmounts(pool, answers.slice(3))
    : plainAmounts(pool, answers.slice(3));
  if (amounts === undefined || "refused" in amounts) return amounts;
  return soundState(pool, { ...amounts, amp, fee, adminFee });
}

type Amounts = Pick<StableSwapState, "balances" | "rates" | "offpegFeeMultiplier">;

function ngAmounts(
  pool: PoolListing,
  [multiplier, held, stored, ...moving]: ReadonlyArray<CallAnswer>,
): Amounts | PoolRefusal | undefined {
  const offpegFeeMultiplier = numberIn(multiplier);
  const [balances, storedRates, rates] = [listIn(held), listIn(stored), ratesOf(pool, moving)];
  if (offpegFeeMultiplier === undefined || balances === undefined || storedRates === undefined) {
    return undefined;
  }
  // The source that moves the rates at the next block has to be known, and to agree with them.
  if (rates?.some((rate, position) => rate !== storedRates[position]) !== false) return ODD_RATE;
  const count = pool.tokens.length;
  if (balances.length !== count || storedRates.length !== count) return undefined;
  return { balances, rates, offpegFeeMultiplier };
}

function plainAmounts(pool: PoolListing, answers: ReadonlyArray<CallAnswer>): Amounts | undefined {
  const count = pool.tokens.length;
  const balances = answers.slice(0, count).flatMap((answer) => numberIn(answer) ?? []);
  const rates = ratesOf(pool, answers.slice(count));
  if (balances.length !== count || rates === undefined) return undefined;
  return { balances, rates, offpegFeeMultiplier: 0n };
}

/** The state, or a refusal where the curve does not take it. */
function soundState(pool: PoolListing, state: StableSwapState): FollowedState | PoolRefusal {
  const numbers = [...state.balances, ...state.rates];
  const others = [state.amp, state.fee, state.offpegFeeMultiplier, state.adminFee];
  const fits =
    numbers.every((each) => each >> 128n === 0n) && others.every((each) => each >> 64n === 0n);
  if (!fits) return ODD_STATE;
  const encoded = encodeStableSwap(state);
  const { constants = NO_CONSTANTS, tokens } = pool;
  const shape = { ...pool, constants, decimals: tokens.map(() => 18) };
  return stableSwap.check(shape, encoded) === undefined ? encoded : ODD_STATE;
}

/** A while it ramps, and rates. */
export function movingState(oracles: Oracles): EachBlock {
  return {
    calls: (pool) => [ampCall(pool), ...rateCalls(pool, oracles)],
    apply: (pool, state, [ampAnswer, ...answers]) => {
      const former = readStableSwap(state.words, 0, pool.tokens.length);
      const [amp, rates] = [numberIn(ampAnswer), ratesOf(pool, answers)];
      if (amp === undefined || rates === undefined) return undefined;
      const isSame =
        amp === former.amp && rates.every((rate, position) => rate === former.rates[position]);
      return isSame ? state : soundState(pool, { ...former, amp, rates });
    },
  };
}

/** By position, the reserves of x·y = k pools with the depth of the pool's first two coins. */
export function stableSwapReserves(
  pool: PoolListing,
  state: FollowedState | PoolRefusal | undefined,
): ReadonlyArray<bigint> | undefined {
  if (state === undefined || "refused" in state) return undefined;
  const market = stableSwapMarket({
    ...readStableSwap(state.words, 0, pool.tokens.length),
    aPrecision: pool.constants![0]!,
    rules: pool.parameter,
  });
  const others = pool.tokens.map((_, position) => position).slice(1);
  if (others.some((position) => startOf(market, position) < 0n)) return undefined;
  const first = stableSwapSide(market, 0, 1);
  // The slope falls all the way, from the price on.
  const point = new Float64Array(3);
  stableSwapPoint(first, 0, point);
  const least = point[1]! * DEPTH_FALL;
  let [low, high] = [0, 2 ** 128];
  for (let halving = 0; halving < HALVINGS && high > low * (1 + 2 ** -20); halving++) {
    const middle = low === 0 ? high * 2 ** -16 : Math.sqrt(low * high);
    stableSwapPoint(first, middle, point);
    if (point[1]! >= least) low = middle;
    else high = middle;
  }
  const reserve = low / DEPTH_FACTOR;
  const scaled = [
    reserve,
    ...others.map((at) => reserve * stableSwapPrice(stableSwapSide(market, 0, at))),
  ];
  const reserves = scaled.map((each, position) => (each * 1e18) / Number(market.rates[position]));
  if (!reserves.every(Number.isFinite)) return undefined;
  return reserves.map((each) => BigInt(Math.floor(each)));
}
