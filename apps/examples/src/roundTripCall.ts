import type { Cycle, Engine } from "@millrace/core";
import {
  checkCalldata,
  openRouters,
  type RouterTable,
  type SwapCall,
  type SwapIntent,
  swapLeg,
} from "@millrace/execution";

const DEADLINE_SECONDS = 60;

/** Who sends round trips, and by which router: of these the Universal Router can make them. */
export interface RoundTripTerms {
  readonly engine: Engine["Service"];
  readonly table: RouterTable;
  readonly sender: SwapIntent["sender"];
}

/**
 * Gives the one transaction of a round trip from the wrapped native token, which reverts unless it
 * ends with `profitMin` more than it began with; undefined where a pool is out of the router's
 * reach. (`buildSwap` is for quotes of strangers, and a round trip is none.)
 */
export function roundTripWriter({ engine, table, sender }: RoundTripTerms) {
  const router = openRouters(table).all.find(({ kind }) => kind === "universal-router")!;
  return (cycle: Cycle, profitMin: bigint): SwapCall | undefined => {
    const { amountIn, amountOut, steps } = cycle;
    const token = table.wrappedNative;
    const intent: SwapIntent = {
      ...{ chainId: table.chainId, kind: "exactIn", sender, recipient: sender },
      ...{ tokenIn: token, tokenOut: token, wrappedNative: token },
      ...{ isNativeIn: false, isNativeOut: false, feeAmount: 0n },
      paths: [{ amountIn, amountOut, legs: steps.map((step) => swapLeg(engine, step)) }],
      ...{ amountIn, amountOut, amountInMax: amountIn, amountOutMin: amountIn + profitMin },
      deadline: Math.floor(Date.now() / 1_000) + DEADLINE_SECONDS,
      blockNumber: cycle.stamp.number,
    };
    if (router.obstacle(intent) !== undefined) return undefined;
    const call = router.encode(intent);
    // Read back by a second decoder: what is signed is what was meant.
    const difference = checkCalldata(table, intent, undefined, call);
    if (difference !== undefined) throw new Error(difference);
    return call;
  };
}
