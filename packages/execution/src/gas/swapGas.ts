import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapRouter } from "../SwapRouter.ts";
import type { RouteShape } from "./routeShape.ts";

/** What a swap's gas depends on beside its pools. */
export interface GasShape extends RouteShape {
  readonly kind: SwapIntent["kind"];
  readonly router: SwapRouter["kind"];
  /** The input is native, and wrapped: pools that take the native token itself need no wrapping. */
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
  readonly hasFee: boolean;
  /** The last pool is a pair; matters for the Universal Router only. */
  readonly endsInPair?: boolean;
  /** Whether the recipient has none of what comes out, and the fee's recipient none either. */
  readonly isFirstReceipt?: boolean;
  readonly isFirstFee?: boolean;
}

/**
 * Gas that the whole transaction uses as a rule: `typicalGas` of all its swaps (see
 * `PoolFamily.typicalGas`), and what shape and router add. For a sender who keeps some of the
 * input, with the approvals given, through pools that have been traded in both directions; and for
 * recipients who hold some of the output, unless the shape says that they do not.
 */
export function swapGas(shape: GasShape, typicalGas: number): number {
  const { isNativeIn, isNativeOut, pathCount } = shape;
  const firsts =
    (shape.isFirstReceipt === true ? (isNativeOut ? NEW_ACCOUNT : NEW_BALANCE) : 0) +
    (shape.isFirstFee === true ? NEW_BALANCE : 0);
  if (shape.router === "wrapper") return firsts + (isNativeIn ? DEPOSIT : WITHDRAWAL);
  const costs = COSTS[shape.router];
  const { base, perHop, nativeIn } = costs[shape.kind];
  const isGathered = shape.hasFee || isNativeOut;
  // The Universal Router pays one path's output straight on only where it weighs it there.
  const isHeld = pathCount > 1 || shape.kind === "exactOut" || shape.endsInPair !== true;
  return (
    typicalGas +
    firsts +
    base +
    (isNativeIn ? nativeIn : 0) +
    (isNativeOut ? costs.nativeOut : 0) +
    (shape.hasFee ? costs.fee : 0) +
    (shape.hasFee && isNativeOut ? FEE_OF_NATIVE : 0) +
    (pathCount - 1) * costs.perPath +
    (isHeld && !isGathered ? costs.gathering : 0) +
    (shape.hopCount - pathCount) * perHop +
    (shape.hopCount - shape.poolCount) * POOL_AGAIN
  );
}

// All constants: least squares over 1,000 swaps of every shape, mined on two devnets, whose amounts
// and routes were drawn as in `test/swapGas.test.ts`, which holds the sums to a tenth.

interface RouterCosts {
  readonly exactIn: KindCosts;
  readonly exactOut: KindCosts;
  /** The output is paid to the router, unwrapped and sent on. */
  readonly nativeOut: number;
  /** The output is paid to the router, and by it to two. */
  readonly fee: number;
  /** Of each path but the first. */
  readonly perPath: number;
  /** Of outputs that the router adds up or weighs, where nothing else gathers them there. */
  readonly gathering: number;
}

interface KindCosts {
  /**
   * The transaction's 21,000, its calldata, checks, and what the first swap needs but others not.
   */
  readonly base: number;
  /** Of each hop of a path but the first: below 0 where later ones are cheaper. */
  readonly perHop: number;
  /** The input is wrapped; with exact output what is left is given back. */
  readonly nativeIn: number;
}

const COSTS: Readonly<Record<Exclude<SwapRouter["kind"], "wrapper">, RouterCosts>> = {
  executor: {
    exactIn: { base: 45_000, perHop: 3_000, nativeIn: 7_500 },
    exactOut: { base: 48_500, perHop: -2_000, nativeIn: 21_000 },
    ...{ nativeOut: 17_200, fee: 18_000, perPath: 2_500, gathering: 0 },
  },
  "universal-router": {
    exactIn: { base: 51_000, perHop: 4_800, nativeIn: 1_000 },
    exactOut: { base: 53_500, perHop: -1_000, nativeIn: 16_500 },
    ...{ nativeOut: 19_000, fee: 20_000, perPath: 4_500, gathering: 8_500 },
  },
};

/** A fee and an unwrapping both let the router take the output: once is enough. */
const FEE_OF_NATIVE = -9_000;
/** A pool that another path has used: its slots and tokens have been read and written. */
const POOL_AGAIN = -34_000;
/** A word of storage that was 0, instead of one that was not (EIP-2929: 20,000, not 2,900). */
const NEW_BALANCE = 17_100;
/** A call that sends native tokens to an account that is not there (EIP-161). */
const NEW_ACCOUNT = 25_000;
/** `deposit` and `withdraw` of WETH9. */
const DEPOSIT = 27_900;
const WITHDRAWAL = 35_000;
