import type { Address } from "@millrace/core";
import type { SwapCall } from "@millrace/execution";
import type { PlainPool } from "@millrace/testing/reference";
import { type ExecutorLeg, executorCall, executorLegs, wrapperCall } from "./swapCalls.ts";
import { Ledger, type LedgerHop, must, NATIVE } from "./swapLedger.ts";
import { EXECUTOR, UNIVERSAL, WRAPPED } from "./swapMarket.ts";
import { runUniversalRouter } from "./swapRouterRun.ts";

/**
 * Executes a call as the sources of the routers have it, with pools of the reference, for a sender
 * who has enough and has approved. Gives who gains and loses what; throws where it would revert.
 */
export function run(
  call: SwapCall,
  sender: Address,
  pools: ReadonlyMap<string, PlainPool>,
): ReadonlyMap<string, bigint> {
  const ledger = new Ledger(pools);
  if (call.to === EXECUTOR) runExecutor(call, sender, ledger);
  else if (call.to === UNIVERSAL) runUniversalRouter(call, sender, ledger);
  else if (call.to === WRAPPED) runWrapper(call, sender, ledger);
  else throw new Error(`no router: ${call.to}`);
  return ledger.entries();
}

const lower = (address: string) => address.toLowerCase() as Address;

function runWrapper({ data, value }: SwapCall, sender: Address, ledger: Ledger): void {
  const withdrawn = wrapperCall(data);
  if (withdrawn === undefined) return ledger.wrap(WRAPPED, sender, value);
  must(value === 0n, "a withdrawal with value");
  ledger.unwrap(WRAPPED, sender, withdrawn);
}

function runExecutor({ data, value }: SwapCall, sender: Address, ledger: Ledger): void {
  const { isInput, order, paths, permit } = executorCall(data);
  const [tokenIn, tokenOut] = [lower(order.tokenIn), lower(order.tokenOut)];
  const recipient = lower(order.recipient);
  const bps = order.fee >> 160n;
  must(order.amountOutMin > 0n && tokenIn !== tokenOut && bps <= 1_000n, "no order");
  must(!order.nativeOut || tokenOut === WRAPPED, "native out of what is not");
  if (value > 0n) {
    must(value === order.amountIn && tokenIn === WRAPPED && permit === undefined, "no payment");
    ledger.pay(NATIVE, sender, EXECUTOR, value);
    ledger.wrap(WRAPPED, EXECUTOR, value);
  }
  const payer = value > 0n ? EXECUTOR : sender;
  const isHeld = bps > 0n || order.nativeOut;
  const receiver = isHeld ? EXECUTOR : recipient;
  const before = ledger.gained(tokenOut, receiver);
  let spent = 0n;
  for (const { amount, legs } of paths) {
    const read = executorLegs(legs);
    const hops = read.map((leg, place) => {
      const from = place === 0 ? tokenIn : read[place - 1]!.tokenOut;
      return checkedLeg(leg, from, ledger);
    });
    must(hops.at(-1)?.tokenOut === tokenOut, "a path to elsewhere");
    const inputs = isInput ? [amount] : ledger.inputsFor(hops, amount);
    spent += inputs[0]!;
    ledger.pay(tokenIn, payer, hops[0]!.pool, inputs[0]!);
    for (const [place, hop] of hops.entries()) {
      const to = hops[place + 1]?.pool ?? receiver;
      if (isInput) ledger.swap(hop.pool, hop.tokenIn, to);
      else ledger.swapFor(hop.pool, hop.tokenIn, inputs[place + 1] ?? amount, to);
    }
  }
  must(isInput ? spent === order.amountIn : spent <= order.amountIn, "another amount in");
  const gross = ledger.gained(tokenOut, receiver) - before;
  const fee = (gross * bps) / 10_000n;
  must(gross - fee >= order.amountOutMin, "too little out");
  if (order.nativeOut) ledger.unwrap(WRAPPED, EXECUTOR, gross - fee);
  if (isHeld) ledger.pay(order.nativeOut ? NATIVE : tokenOut, EXECUTOR, recipient, gross - fee);
  if (fee > 0n) ledger.pay(tokenOut, EXECUTOR, addressOfFee(order.fee), fee);
  const rest = value > 0n ? ledger.gained(WRAPPED, EXECUTOR) : 0n;
  ledger.unwrap(WRAPPED, EXECUTOR, rest);
  ledger.pay(NATIVE, EXECUTOR, sender, rest);
}

const addressOfFee = (fee: bigint) =>
  `0x${(fee & ((1n << 160n) - 1n)).toString(16).padStart(40, "0")}`;

/** What a leg says of its pool must be so: the contract takes its word. */
function checkedLeg(
  { head, target, tokenOut }: ExecutorLeg,
  tokenIn: string,
  ledger: Ledger,
): LedgerHop & { readonly tokenOut: string } {
  const pool = ledger.pool(target);
  const direction = tokenIn === pool.token0 ? "8" : "0";
  const rules = { feeInside: 0, feeFirst: 1 };
  const fee = pool.feePips.toString(16).padStart(6, "0");
  const kind = pool.family === "constantProduct" ? `${rules[pool.rule]} ${fee}` : "3 ";
  must(head === direction + kind, `leg ${head}`);
  const ends = tokenIn === pool.token0 ? pool.token1 : pool.token0;
  must(tokenOut === ends, `leg to ${tokenOut}`);
  return { pool: target, tokenIn, tokenOut };
}
