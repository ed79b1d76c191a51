import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";
import { addressWord, pathCommandHead, word } from "../calldataWords.ts";
import { FEE_INSIDE } from "../curves/constantProduct/math.ts";
import { PERMIT2_AMOUNT_END, type RouterCommand, type RouterLeg } from "../RouterCommand.ts";

/** Kinds of legs of the executor contract, by rounding rule. */
const PAIR = 0;
const VOLATILE = 1;
const FEE_BYTES = 3;

/** Of `Commands.sol`. */
const V2_SWAP_EXACT_IN = "08";
const V2_SWAP_EXACT_OUT = "09";
/** What the router's own library takes (`UniswapV2Library.sol`: 997 of 1000). */
const ROUTER_FEE_PIPS = 3_000;

const universalRouter: RouterCommand = {
  dexKey: "v2DexId",
  entrance: "pool",
  weighsOutput: true,
  amountEnd: PERMIT2_AMOUNT_END,
  feePips: ROUTER_FEE_PIPS,
  exactIn: ({ legs, recipient, amountIn, amountOutMin, isPaidBySender }) => ({
    code: V2_SWAP_EXACT_IN,
    input: pathCommandHead(recipient, amountIn, amountOutMin, isPaidBySender) + pathWords(legs),
  }),
  exactOut: ({ legs, recipient, amountOut, amountInMax, isPaidBySender }) => ({
    code: V2_SWAP_EXACT_OUT,
    input: pathCommandHead(recipient, amountOut, amountInMax, isPaidBySender) + pathWords(legs),
  }),
};

/** Tokens as an array of words. */
function pathWords(legs: ReadonlyArray<RouterLeg>): string {
  let words = word(legs.length + 1) + addressWord(legs[0]!.tokenIn);
  for (const { tokenOut } of legs) words += addressWord(tokenOut);
  return words;
}

/** Pairs of x·y = k in transactions. */
export const uniswapV2Calldata: CalldataProtocol = {
  name: "constant-product",
  executorLeg: (leg) =>
    legDigits(
      leg.parameter === FEE_INSIDE ? PAIR : VOLATILE,
      leg,
      uintDigits(leg.feePips, FEE_BYTES),
    ),
  givesExactOutput: true,
  universalRouter,
};
