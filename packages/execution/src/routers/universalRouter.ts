import type { Address } from "@millrace/core";
import {
  ALL_OF_IT,
  calldataProtocols,
  NATIVE_ADDRESS,
  PAID_ALREADY,
  type RouterCommand,
} from "@millrace/protocols";
import type { IntentPath, SwapIntent, SwapLeg } from "../SwapIntent.ts";
import type { RoutedDex, RoutedLeg, RoutedSwap, RouterTable, SwapRouter } from "../SwapRouter.ts";
import { Commands, ROUTER } from "./commands.ts";
import { takesExactInput } from "./takesExactInput.ts";

type Deployment = NonNullable<RouterTable["universalRouter"]>;

const COMMANDS: ReadonlyMap<string, RouterCommand | undefined> = new Map(
  calldataProtocols.map(({ name, universalRouter }) => [name, universalRouter]),
);

/** Uniswap's Universal Router 2.0: pools of one deployment of each family that it knows. */
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
      // An exact output uses pools of one kind only.
      return kind === "exactIn" ? [reached] : reached.map((index) => [index]);
    },
    obstacle: (swap) => obstacle(deployment, swap),
    encode: (intent, permit) => {
      const commands = new Commands();
      if (permit !== undefined) commands.permit(intent.tokenIn, address, permit);
      const isInput = takesExactInput(intent);
      const inputs = isInput ? intent.paths.map(({ amountIn }) => amountIn) : inputShares(intent);
      takeInput(commands, intent, inputs);
      const payee = isPaidStraight(intent) ? intent.recipient : ROUTER;
      intent.paths.forEach((path, place) => {
        if (isInput) swapIn(commands, intent, path, payee);
        else swapOut(commands, intent, path, inputs[place]!, payee);
      });
      payOut(commands, intent);
      if (!isInput) giveBack(commands, intent);
      const value = intent.isNativeIn ? intent.amountInMax : 0n;
      return { to: address, data: commands.execute(intent.deadline), value };
    },
  };
}

function obstacle(deployment: Deployment, swap: RoutedSwap): string | undefined {
  if (swap.paths.length === 0) return "it swaps through pools only";
  const isInput = takesExactInput(swap);
  for (const { legs } of swap.paths) {
    for (const leg of legs) {
      const fault = legObstacle(deployment, leg, swap);
      if (fault !== undefined) return fault;
    }
    if (!isInput && isMixed(legs)) {
      return "it has no exact output through pools of several kinds on one path";
    }
    for (let place = 1; place < legs.length; place++) {
      // The wrap takes all that the router has of the token.
      const isEnd =
        isWrapping(legs, place) && hasEnd(swap, [legs[place - 1]!.tokenOut, legs[place]!.tokenIn]);
      if (isEnd) return "it cannot wrap on the way what begins or ends a path as well";
    }
  }
  return undefined;
}

/** Whether a path has pools of several kinds, or wraps on the way. */
function isMixed(legs: ReadonlyArray<RoutedLeg>): boolean {
  const first = commandOf(legs[0]!);
  return legs.some((leg, place) => commandOf(leg) !== first || isWrapping(legs, place));
}

function hasEnd({ paths }: RoutedSwap, tokens: ReadonlyArray<Address>): boolean {
  return paths.some(
    ({ legs }) => tokens.includes(legs[0]!.tokenIn) || tokens.includes(legs.at(-1)!.tokenOut),
  );
}

/** The one DEX of a protocol whose pools it reaches. */
function reachedBy(deployment: Deployment, protocol: string): string | undefined {
  const command = COMMANDS.get(protocol);
  return command && deployment[command.dexKey];
}

/** Reads the pool's address only for the text: that takes as long as all else here. */
function legObstacle(
  deployment: Deployment,
  leg: RoutedLeg,
  { amountInMax, amountOut }: RoutedSwap,
): string | undefined {
  const command = COMMANDS.get(leg.protocol);
  if (command === undefined || deployment[command.dexKey] !== leg.dexId) {
    return `it does not reach pool ${leg.pool} of ${leg.dexId}`;
  }
  const { amountEnd } = command;
  if (amountInMax >= amountEnd || amountOut >= amountEnd) {
    return `it moves amounts of ${amountEnd.toString(2).length - 1} bits at most`;
  }
  return command.feePips !== undefined && leg.feePips !== command.feePips
    ? `it does not reach pool ${leg.pool} with a fee of ${leg.feePips} pips`
    : undefined;
}

/** The command of a leg without obstacle. */
function commandOf({ protocol }: Pick<RoutedLeg, "protocol">): RouterCommand {
  return COMMANDS.get(protocol)!;
}

/** Whether the amount is wrapped or unwrapped before a leg. */
function isWrapping(legs: ReadonlyArray<RoutedLeg>, place: number): boolean {
  return place > 0 && legs[place - 1]!.tokenOut !== legs[place]!.tokenIn;
}

const takesNative = ({ legs }: IntentPath): boolean => legs[0]!.tokenIn === NATIVE_ADDRESS;
const givesNative = ({ legs }: IntentPath): boolean => legs.at(-1)!.tokenOut === NATIVE_ADDRESS;

/**
 * Provides native tokens for the paths that take them and wrapped ones for the others, where the
 * sender does not pay the pools directly.
 */
function takeInput(commands: Commands, intent: SwapIntent, inputs: ReadonlyArray<bigint>): void {
  const { paths, isNativeIn, amountInMax, tokenIn } = intent;
  let native = 0n;
  for (let place = 0; place < paths.length; place++) {
    if (takesNative(paths[place]!)) native += inputs[place]!;
  }
  if (isNativeIn) {
    if (!paths.every(takesNative)) commands.wrap(ROUTER, amountInMax - native);
  } else if (native > 0n) {
    commands.pull(tokenIn, native);
    commands.unwrap(ROUTER, 0n);
  }
}

/** Returns the rest of an exact output's input that the router holds. */
function giveBack(commands: Commands, { paths, sender, isNativeIn }: SwapIntent): void {
  if (isNativeIn) {
    if (!paths.every(takesNative)) commands.unwrap(sender, 0n);
    if (paths.some(takesNative)) commands.sweep(NATIVE_ADDRESS, sender, 0n);
  } else if (paths.some(takesNative)) {
    commands.wrap(sender);
  }
}

/**
 * Whether a single path pays the recipient directly, with no fee, sum or unwrap in between. Only
 * where the router compares the recipient's balance with the minimum, which it does for an exact
 * input that ends in a pair. Otherwise it trusts the pools, and a token that has begun to charge a
 * tax would deliver less.
 */
function isPaidStraight(intent: SwapIntent): boolean {
  const { paths, fee, isNativeOut } = intent;
  if (paths.length !== 1 || fee !== undefined || isNativeOut) return false;
  return takesExactInput(intent) && commandOf(paths[0]!.legs.at(-1)!).weighsOutput;
}

/** Consecutive pools of one kind share a command; each command takes what the one before gives. */
function swapIn(commands: Commands, intent: SwapIntent, path: IntentPath, payee: Address): void {
  const segments = segmentsOf(path.legs);
  segments.forEach((legs, place) => {
    const { tokenIn } = legs[0]!;
    const next = segments[place + 1]?.[0];
    const isFirst = place === 0;
    const command = commandOf(legs[0]!);
    if (!isFirst && tokenIn !== segments[place - 1]!.at(-1)!.tokenOut) {
      if (tokenIn === NATIVE_ADDRESS) commands.unwrap(ROUTER, 0n);
      else commands.wrap(entranceOf(legs[0]!));
    }
    const isWrapped = next !== undefined && next.tokenIn !== legs.at(-1)!.tokenOut;
    const whole = command.entrance === "pool" ? PAID_ALREADY : ALL_OF_IT;
    commands.swap(
      command.exactIn({
        legs,
        recipient: next === undefined ? payee : isWrapped ? ROUTER : entranceOf(next),
        amountIn: isFirst ? path.amountIn : whole,
        amountOutMin: next === undefined && isPaidStraight(intent) ? intent.amountOutMin : 0n,
        isPaidBySender: isFirst && isPaidBySender(intent, path),
      }),
    );
  });
}

const isPaidBySender = ({ isNativeIn }: SwapIntent, path: IntentPath): boolean =>
  !isNativeIn && !takesNative(path);

function segmentsOf(legs: ReadonlyArray<SwapLeg>): ReadonlyArray<ReadonlyArray<SwapLeg>> {
  const segments: SwapLeg[][] = [];
  legs.forEach((leg, place) => {
    const segment = segments.at(-1);
    const isOne = segment !== undefined && commandOf(segment[0]!) === commandOf(leg);
    if (isOne && !isWrapping(legs, place)) segment.push(leg);
    else segments.push([leg]);
  });
  return segments;
}

/** Where the leg before pays the input of this one. */
function entranceOf(leg: SwapLeg): Address {
  return commandOf(leg).entrance === "pool" ? leg.pool : ROUTER;
}

function swapOut(
  commands: Commands,
  intent: SwapIntent,
  path: IntentPath,
  amountInMax: bigint,
  recipient: Address,
): void {
  const { amountOut, legs } = path;
  const command = commandOf(legs[0]!);
  commands.swap(
    command.exactOut({
      ...{ legs, recipient, amountOut, amountInMax },
      isPaidBySender: isPaidBySender(intent, path),
    }),
  );
}

/**
 * The most that each path may take: its input bound, and its share of the rest. Together no more
 * than the intent's maximum.
 */
function inputShares({ paths, amountIn, amountInMax }: SwapIntent): bigint[] {
  if (paths.length === 1) return [amountInMax];
  let rest = amountInMax;
  for (const { inputBound } of paths) rest -= inputBound!; // takesExactInput where there is none
  return paths.map((path) => path.inputBound! + (rest * path.amountIn) / amountIn);
}

/**
 * Pays the output from the router, unless the swap has paid the recipient. A fee is paid in the
 * wrapped token where the output is native.
 */
function payOut(commands: Commands, intent: SwapIntent): void {
  if (isPaidStraight(intent)) return;
  const { tokenOut, recipient, amountOutMin, fee, isNativeOut, paths } = intent;
  const isNative = paths.some(givesNative);
  if (isNative && isNativeOut && fee === undefined) {
    if (!paths.every(givesNative)) commands.unwrap(ROUTER, 0n);
    return commands.sweep(NATIVE_ADDRESS, recipient, amountOutMin);
  }
  if (isNative) commands.wrap(ROUTER);
  if (fee !== undefined) commands.payPortion(tokenOut, fee.recipient, fee.bps);
  if (isNativeOut) commands.unwrap(recipient, amountOutMin);
  else commands.sweep(tokenOut, recipient, amountOutMin);
}
