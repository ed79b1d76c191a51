import type { Address } from "@millrace/core";
import { calldataProtocols } from "@millrace/protocols";
import type { IntentPath, SwapIntent, SwapLeg } from "../SwapIntent.ts";
import type { RoutedDex, RoutedLeg, RoutedSwap, RouterTable, SwapRouter } from "../SwapRouter.ts";
import { ALL_OF_IT, Commands, PAID_ALREADY, ROUTER } from "./commands.ts";
import { takesExactInput } from "./takesExactInput.ts";

type Deployment = NonNullable<RouterTable["universalRouter"]>;
type Kind = "v2" | "v3";

const KINDS: ReadonlyMap<string, Kind | undefined> = new Map(
  calldataProtocols.map(({ name, universalRouter }) => [name, universalRouter]),
);

/** What the router's own library of V2 takes (`UniswapV2Library.sol`: 997 of 1000). */
const V2_FEE_PIPS = 3_000;
/** Permit2 moves amounts of 160 bits, and SWEEP reads as many. */
const AMOUNT_END = 1n << 160n;

/** Uniswap's Universal Router 2.0: pools of one deployment of V2 and V3. */
export function universalRouter(deployment: Deployment): SwapRouter {
  const { address } = deployment;
  return {
    kind: "universal-router",
    address,
    allowance: "permit2",
    permitKind: "PERMIT2",
    dexSets: (kind, dexes) => {
      const isReached = ({ id, protocol }: RoutedDex) => id === reachedBy(deployment, protocol);
      const reached = dexes.flatMap((dex, index) => (isReached(dex) ? [index] : []));
      // An exact output keeps to pools of one kind.
      return kind === "exactIn" ? [reached] : reached.map((index) => [index]);
    },
    obstacle: (swap) => obstacle(deployment, swap),
    encode: (intent, permit) => {
      const commands = new Commands();
      if (permit !== undefined) commands.permit(intent.tokenIn, address, permit);
      if (intent.isNativeIn) commands.wrap(intent.amountInMax);
      const payee = isPaidStraight(intent) ? intent.recipient : ROUTER;
      if (takesExactInput(intent)) {
        for (const path of intent.paths) swapIn(commands, intent, path, payee);
      } else {
        const shares = inputShares(intent);
        intent.paths.forEach((path, place) => {
          swapOut(commands, intent, path, shares[place]!, payee);
        });
      }
      payOut(commands, intent);
      // What an exact output has left of the native input.
      if (intent.isNativeIn && !takesExactInput(intent)) commands.unwrap(intent.sender, 0n);
      const value = intent.isNativeIn ? intent.amountInMax : 0n;
      return { to: address, data: commands.execute(intent.deadline), value };
    },
  };
}

function obstacle(deployment: Deployment, swap: RoutedSwap): string | undefined {
  if (swap.paths.length === 0) return "it swaps through pools only";
  if (swap.amountInMax >= AMOUNT_END || swap.amountOut >= AMOUNT_END) {
    return "it moves amounts of 160 bits at most";
  }
  for (const { legs } of swap.paths) {
    for (const leg of legs) {
      const fault = legObstacle(deployment, leg);
      if (fault !== undefined) return fault;
    }
    const isMixed = legs.some((leg) => kindOf(leg) !== kindOf(legs[0]!));
    if (isMixed && !takesExactInput(swap)) {
      return "it has no exact output through pools of V2 and V3 on one path";
    }
  }
  return undefined;
}

/** The one DEX of a protocol whose pools it reaches. */
function reachedBy({ v2DexId, v3DexId }: Deployment, protocol: string): string | undefined {
  const kind = KINDS.get(protocol);
  return kind === "v2" ? v2DexId : kind === "v3" ? v3DexId : undefined;
}

function legObstacle(
  deployment: Deployment,
  { pool, dexId, protocol, feePips }: RoutedLeg,
): string | undefined {
  if (reachedBy(deployment, protocol) !== dexId)
    return `it does not reach pool ${pool} of ${dexId}`;
  return KINDS.get(protocol) === "v2" && feePips !== V2_FEE_PIPS
    ? `it does not reach pool ${pool} with a fee of ${feePips} pips`
    : undefined;
}

/** Of a leg without obstacle. */
function kindOf({ protocol }: RoutedLeg): Kind {
  return KINDS.get(protocol)!;
}

/**
 * Whether the one path pays the recipient, with nothing to take off, add up or unwrap before. Only
 * where the router weighs what the recipient gains, which it does for an exact input that ends in a
 * pair: else it takes the pools' word, and a token that has begun to keep a tax gives less.
 */
function isPaidStraight(intent: SwapIntent): boolean {
  const { paths, fee, isNativeOut } = intent;
  if (paths.length !== 1 || fee !== undefined || isNativeOut) return false;
  return takesExactInput(intent) && kindOf(paths[0]!.legs.at(-1)!) === "v2";
}

/** Pools of one kind go into one command; what one gives the next one takes. */
function swapIn(commands: Commands, intent: SwapIntent, path: IntentPath, payee: Address): void {
  const segments = segmentsOf(path.legs);
  segments.forEach((legs, place) => {
    const isFirst = place === 0;
    const next = segments[place + 1];
    const kind = kindOf(legs[0]!);
    commands.swapExactIn(kind, {
      legs,
      recipient: next === undefined ? payee : entranceOf(next),
      amountIn: isFirst ? path.amountIn : kind === "v2" ? PAID_ALREADY : ALL_OF_IT,
      amountOutMin: next === undefined && isPaidStraight(intent) ? intent.amountOutMin : 0n,
      isPaidBySender: isFirst && !intent.isNativeIn,
    });
  });
}

function segmentsOf(legs: ReadonlyArray<SwapLeg>): ReadonlyArray<ReadonlyArray<SwapLeg>> {
  const segments: SwapLeg[][] = [];
  for (const leg of legs) {
    const segment = segments.at(-1);
    if (segment !== undefined && kindOf(segment[0]!) === kindOf(leg)) segment.push(leg);
    else segments.push([leg]);
  }
  return segments;
}

/** Pairs of V2 are paid beforehand; pools of V3 ask the router. */
function entranceOf([first]: ReadonlyArray<SwapLeg>): Address {
  return kindOf(first!) === "v2" ? first!.pool : ROUTER;
}

function swapOut(
  commands: Commands,
  intent: SwapIntent,
  { amountOut, legs }: IntentPath,
  amountInMax: bigint,
  recipient: Address,
): void {
  const isPaidBySender = !intent.isNativeIn;
  commands.swapExactOut(kindOf(legs[0]!), {
    ...{ legs, recipient, amountOut, amountInMax, isPaidBySender },
  });
}

/**
 * The most that each path may take, together no more than the intent's: what it may need in the
 * block that was looked at, and its share of the rest.
 */
function inputShares({ paths, amountIn, amountInMax }: SwapIntent): bigint[] {
  if (paths.length === 1) return [amountInMax];
  let rest = amountInMax;
  for (const { inputBound } of paths) rest -= inputBound!; // takesExactInput where there is none
  return paths.map((path) => path.inputBound! + (rest * path.amountIn) / amountIn);
}

/** From the router to those who get it, unless the swap has paid the recipient. */
function payOut(commands: Commands, intent: SwapIntent): void {
  if (isPaidStraight(intent)) return;
  const { tokenOut, recipient, amountOutMin, fee } = intent;
  if (fee !== undefined) commands.payPortion(tokenOut, fee.recipient, fee.bps);
  if (intent.isNativeOut) commands.unwrap(recipient, amountOutMin);
  else commands.sweep(tokenOut, recipient, amountOutMin);
}
