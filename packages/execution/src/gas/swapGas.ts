import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapRouter } from "../SwapRouter.ts";
import type { RouteShape } from "./routeShape.ts";

/** What a swap's gas depends on beside its pools. */
export interface GasShape extends RouteShape {
  readonly kind: SwapIntent["kind"];
  readonly router: SwapRouter["kind"];
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
  readonly hasFee: boolean;
  /** The last pool is a pair; matters for the Universal Router only. */
  readonly endsInPair?: boolean;
  /**
   * Gas of swaps in pools that an earlier path has used, as far as it repeats: see `repeatedGasOf`.
   * Crossed ticks do not repeat. By default each repeated leg counts its share of all gas.
   */
  readonly repeatedGas?: number;
  /** Whether the recipient, and the fee's recipient, hold nothing yet of what they get. */
  readonly isFirstReceipt?: boolean;
  readonly isFirstFee?: boolean;
}

/**
 * Gas that the whole transaction typically uses: `typicalGas` of all its swaps (see
 * `PoolFamily.typicalGas`), and what shape and router add. Assumes a sender who keeps some of the
 * input and has given the approvals, pools that have been traded in both directions, and recipients
 * who hold some of the output, unless the shape says that they do not.
 */
export function swapGas(shape: GasShape, typicalGas: number): number {
  const { isNativeIn, isNativeOut, hopCount, pathCount, poolCount } = shape;
  const firsts =
    (shape.isFirstReceipt === true ? (isNativeOut ? NEW_ACCOUNT : NEW_BALANCE) : 0) +
    (shape.isFirstFee === true ? NEW_BALANCE : 0);
  if (shape.router === "wrapper") return firsts + (isNativeIn ? DEPOSIT : WITHDRAWAL);
  const costs = COSTS[shape.router];
  const { base, perHop, sharedUnlock } = costs[shape.kind];
  const { repeatedGas = ((hopCount - poolCount) * typicalGas) / hopCount } = shape;
  const isGathered = shape.hasFee || isNativeOut;
  // The Universal Router pays the recipient directly only for one exact input that ends in a pair.
  const isHeld = pathCount > 1 || shape.kind === "exactOut" || shape.endsInPair !== true;
  return (
    typicalGas -
    AGAIN_SAVED * repeatedGas +
    shape.gasBesideCurves +
    firsts +
    base +
    inputGas(shape, costs) +
    outputGas(shape, costs) +
    (shape.hasFee ? costs.fee : 0) +
    (pathCount - 1) * costs.perPath +
    (isHeld && !isGathered ? costs.gathering : 0) +
    (hopCount - pathCount) * perHop +
    shape.sharedUnlockCount * sharedUnlock +
    shape.wrapCount * costs.wrap
  );
}

/** Gas of wrapping or unwrapping before the first pools. */
function inputGas(
  { kind, isNativeIn, pathCount, nativeInCount }: GasShape,
  costs: RouterCosts,
): number {
  const { nativeIn, passedIn, unwrappedIn } = costs[kind];
  if (!isNativeIn) return unwrappedIn * timesOf(nativeInCount, costs);
  if (nativeInCount === 0) return nativeIn;
  const wrapped = pathCount - nativeInCount;
  return wrapped === 0 ? passedIn : costs.nativeInBeside * timesOf(wrapped, costs);
}

/** Gas of wrapping or unwrapping after the last pools. */
function outputGas(
  { isNativeOut, hasFee, pathCount, nativeOutCount }: GasShape,
  costs: RouterCosts,
): number {
  if (nativeOutCount > 0 && isNativeOut && (costs.wrapsEachPath || !hasFee)) {
    const unwrapped = costs.wrap * timesOf(pathCount - nativeOutCount, costs);
    return costs.passedOut + unwrapped + (hasFee ? FEE_WRAPPED : 0);
  }
  const nativeOut = isNativeOut ? costs.nativeOut + (hasFee ? FEE_OF_NATIVE : 0) : 0;
  return nativeOut + costs.wrapOut * timesOf(nativeOutCount, costs);
}

/** How often a router wraps or unwraps for a number of paths. */
const timesOf = (paths: number, { wrapsEachPath }: RouterCosts): number =>
  wrapsEachPath ? paths : Math.min(paths, 1);

// All constants: least squares over 600 swaps of every shape, mined on two devnets. Amounts and
// routes were drawn as in `test/execution/swapGas.test.ts`, which holds the sums to a tenth. 200 of
// the swaps went mostly through pools of Uniswap V4, native and wrapped.

interface RouterCosts {
  readonly exactIn: KindCosts;
  readonly exactOut: KindCosts;
  /** Each path wraps or unwraps its own tokens; otherwise all paths do so together. */
  readonly wrapsEachPath: boolean;
  /** A wrap or unwrap between two legs, or for a path beside others that need none. */
  readonly wrap: number;
  /** Native input is wrapped for paths beside others that take the native token itself. */
  readonly nativeInBeside: number;
  /** The output is paid to the router, unwrapped and sent on. */
  readonly nativeOut: number;
  /** The last pools give the native token itself, which is sent on; or it is wrapped. */
  readonly passedOut: number;
  readonly wrapOut: number;
  /** The output is paid to the router, which pays the fee and the recipient. */
  readonly fee: number;
  /** Of each path but the first. */
  readonly perPath: number;
  /** The router gathers outputs to add them up or check them, where no fee or unwrap does so. */
  readonly gathering: number;
}

interface KindCosts {
  /** The transaction's 21,000, its calldata, checks, and what only the first swap needs. */
  readonly base: number;
  /** Of each hop of a path but the first: below 0 where later ones are cheaper. */
  readonly perHop: number;
  /** Of a leg whose pool is in the manager of the leg before: see `RouteShape`. */
  readonly sharedUnlock: number;
  /** The input is wrapped; with exact output what is left is given back. */
  readonly nativeIn: number;
  /** The first pools take the native input itself: no token is transferred. */
  readonly passedIn: number;
  /** A wrapped input is unwrapped for pools that take the native token itself. */
  readonly unwrappedIn: number;
}

const COSTS: Readonly<Record<Exclude<SwapRouter["kind"], "wrapper">, RouterCosts>> = {
  executor: {
    exactIn: {
      ...{ base: 46_000, perHop: 3_300, sharedUnlock: -37_300 },
      ...{ nativeIn: 6_700, passedIn: -13_000, unwrappedIn: 14_000 },
    },
    exactOut: {
      ...{ base: 49_200, perHop: -1_900, sharedUnlock: -27_800 },
      ...{ nativeIn: 20_100, passedIn: -9_700, unwrappedIn: 14_000 },
    },
    ...{ wrapsEachPath: true, wrap: 14_000, nativeInBeside: 9_000 },
    ...{ nativeOut: 16_400, passedOut: 1_100, wrapOut: 14_000 },
    ...{ fee: 17_500, perPath: 200, gathering: 0 },
  },
  "universal-router": {
    exactIn: {
      ...{ base: 50_800, perHop: 5_700, sharedUnlock: -38_300 },
      ...{ nativeIn: 5_400, passedIn: -16_600, unwrappedIn: 20_500 },
    },
    exactOut: {
      ...{ base: 54_500, perHop: -2_200, sharedUnlock: -33_700 },
      ...{ nativeIn: 18_100, passedIn: -13_200, unwrappedIn: 41_500 },
    },
    ...{ wrapsEachPath: false, wrap: 15_000, nativeInBeside: 5_500 },
    ...{ nativeOut: 19_400, passedOut: 5_800, wrapOut: 12_000 },
    ...{ fee: 18_500, perPath: 3_700, gathering: 8_400 },
  },
};

/** A fee and an unwrap both need the output paid to the router: once is enough. */
const FEE_OF_NATIVE = -7_600;
/** A fee of an output that pools gave as the native token. */
const FEE_WRAPPED = 3_100;
/** Part saved in a pool that another path has used: its slots and tokens are warm. */
const AGAIN_SAVED = 0.6;
/** Writing a storage slot that was 0, instead of another one (EIP-2929: 20,000, not 2,900). */
const NEW_BALANCE = 17_100;
/** A call that sends native tokens to an account that does not exist (EIP-161). */
const NEW_ACCOUNT = 25_000;
/** `deposit` and `withdraw` of WETH9. */
const DEPOSIT = 27_900;
const WITHDRAWAL = 35_000;
