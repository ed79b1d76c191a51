import type { Address } from "@millrace/core";
import type { BuiltSwap, SwapOrder } from "@millrace/execution";
import type { PlainPool } from "@millrace/testing/reference";
import { NATIVE } from "./swapLedger.ts";
import type { Terms } from "./swapModel.ts";
import { run } from "./swapRuns.ts";

type Pools = ReadonlyMap<string, PlainPool>;

/**
 * What is wrong with what a transaction moves on the pools that it was built for: the sender's
 * input, the recipient's output and the partner's fee, to the wei, and nothing else of anybody's.
 */
export function faultOfMoves(
  order: SwapOrder,
  { swap }: BuiltSwap,
  terms: Terms,
  pools: Pools,
): string | undefined {
  let moved: ReadonlyMap<string, bigint>;
  try {
    moved = run(swap, senderOf(order), pools);
  } catch (error) {
    return `it reverts: ${error}`;
  }
  const { spent, gross } = flowsOf(moved, order);
  const { amountIn, amountOut } = terms;
  const isExact = order.kind === "exactIn" ? spent === amountIn : spent >= amountIn;
  if (!isExact) return `it takes ${spent}, not ${amountIn}`;
  // As much put in as an output takes at least may give a little more.
  if (order.kind === "exactIn" ? gross !== amountOut : gross < amountOut) {
    return `it gives ${gross}, not ${amountOut}`;
  }
  return faultOfShares(moved, order, terms);
}

/** Likewise where the pools have moved since: it reverts, or moves what its limits allow. */
export function faultOfLateMoves(
  order: SwapOrder,
  { swap }: BuiltSwap,
  terms: Terms,
  pools: Pools,
): { readonly reverts: boolean; readonly fault?: string | undefined } {
  let moved: ReadonlyMap<string, bigint>;
  try {
    moved = run(swap, senderOf(order), pools);
  } catch {
    return { reverts: true };
  }
  return { reverts: false, fault: faultOfShares(moved, order, terms) };
}

const senderOf = ({ sender }: SwapOrder) => sender.toLowerCase() as Address;

interface Flows {
  readonly spent: bigint;
  /** Before the fee. */
  readonly gross: bigint;
}

function flowsOf(moved: ReadonlyMap<string, bigint>, order: SwapOrder): Flows {
  const { paid, got, tokenOut } = tokensOf(order);
  let gross = 0n;
  for (const [entry, amount] of moved) {
    const token = entry.split(" ")[0]!;
    if (token !== paid && (token === got || token === tokenOut)) gross += amount;
  }
  return { spent: -(moved.get(`${paid} ${senderOf(order)}`) ?? 0n), gross };
}

/** Native where it is; a fee stays wrapped. */
function tokensOf({ tokenIn, tokenOut, isNativeIn, isNativeOut }: SwapOrder) {
  return {
    paid: isNativeIn ? NATIVE : tokenIn.toLowerCase(),
    got: isNativeOut ? NATIVE : tokenOut.toLowerCase(),
    tokenOut: tokenOut.toLowerCase(),
  };
}

function faultOfShares(
  moved: ReadonlyMap<string, bigint>,
  order: SwapOrder,
  { fee, recipient, leastOut, mostIn }: Terms,
): string | undefined {
  const { spent, gross } = flowsOf(moved, order);
  const { paid, got, tokenOut } = tokensOf(order);
  const share = (gross * BigInt(fee?.bps ?? 0)) / 10_000n;
  if (spent > mostIn) return `it takes ${spent}, more than ${mostIn}`;
  if (gross - share < leastOut) return `it gives ${gross - share}, less than ${leastOut}`;
  const right = new Map<string, bigint>();
  const add = (entry: string, amount: bigint) => {
    if (amount !== 0n) right.set(entry, (right.get(entry) ?? 0n) + amount);
  };
  add(`${paid} ${senderOf(order)}`, -spent);
  add(`${got} ${recipient}`, gross - share);
  if (fee !== undefined) add(`${tokenOut} ${fee.recipient}`, share);
  const isSame =
    right.size === moved.size && [...right].every(([entry, sum]) => moved.get(entry) === sum);
  return isSame ? undefined : `it moves ${[...moved].join("; ")}`;
}
