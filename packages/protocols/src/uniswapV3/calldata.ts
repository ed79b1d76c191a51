import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";
import { bytesWords, pathCommandHead } from "../calldataWords.ts";
import { PERMIT2_AMOUNT_END, type RouterCommand, type RouterLeg } from "../RouterCommand.ts";

/** The kind of a leg of the executor contract. */
const CONCENTRATED = 3;

/** Of `Commands.sol`. */
const V3_SWAP_EXACT_IN = "00";
const V3_SWAP_EXACT_OUT = "01";
const FEE_BYTES = 3;

const universalRouter: RouterCommand = {
  dexKey: "v3DexId",
  entrance: "router",
  weighsOutput: false,
  amountEnd: PERMIT2_AMOUNT_END,
  exactIn: ({ legs, recipient, amountIn, amountOutMin, isPaidBySender }) => ({
    code: V3_SWAP_EXACT_IN,
    input: pathCommandHead(recipient, amountIn, amountOutMin, isPaidBySender) + pathWords(legs),
  }),
  exactOut: ({ legs, recipient, amountOut, amountInMax, isPaidBySender }) => ({
    code: V3_SWAP_EXACT_OUT,
    input: pathCommandHead(recipient, amountOut, amountInMax, isPaidBySender) + pathBackWords(legs),
  }),
};

/** Token, fee in three bytes, token, … */
function pathWords(legs: ReadonlyArray<RouterLeg>): string {
  let digits = legs[0]!.tokenIn.slice(2);
  for (const { feePips, tokenOut } of legs) {
    digits += uintDigits(feePips, FEE_BYTES) + tokenOut.slice(2);
  }
  return bytesWords(digits);
}

/** Likewise from the last token to the first. */
function pathBackWords(legs: ReadonlyArray<RouterLeg>): string {
  let digits = legs[legs.length - 1]!.tokenOut.slice(2);
  for (const { feePips, tokenIn } of legs.toReversed()) {
    digits += uintDigits(feePips, FEE_BYTES) + tokenIn.slice(2);
  }
  return bytesWords(digits);
}

/** Pools of Uniswap V3 and its forks in transactions. */
export const uniswapV3Calldata: CalldataProtocol = {
  name: "concentrated-liquidity",
  executorLeg: (leg) => legDigits(CONCENTRATED, leg),
  givesExactOutput: true,
  universalRouter,
};
