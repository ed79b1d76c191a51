import { DATA_START, type LegDecoder, readHead, readUint } from "../LegDecoder.ts";
import { must } from "../Mismatch.ts";
import { type DecodedRouterHop, readPathCommand } from "../RouterCommandDecoder.ts";
import type { WordReader } from "../WordReader.ts";

/** Bytes of the fee. */
const FEE = 3;
const WORD_BYTES = 32;
/** What the router's library computes with, whatever the pair does. */
const ROUTER_FEE_PIPS = 3000;

/** Legs of pairs: of the executor's kinds 0 and 1, which are the rounding rules of the family. */
export const uniswapV2Decoder: LegDecoder = {
  name: "constant-product",
  byteCount: DATA_START + FEE,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind > 1) return undefined;
    const feePips = readUint(digits, DATA_START, FEE);
    return { target, pool: target, tokenOut, zeroForOne, feePips, parameter: kind };
  },
  routerCommand: {
    codes: ["08", "09"],
    dexKey: "v2DexId",
    isPaidBefore: true,
    // `V2SwapRouter.sol` compares the payee's balances before and after.
    weighsOutput: true,
    read: (code, input) => readPathCommand(code === "08" ? "exactIn" : "exactOut", input, readHops),
  },
};

/** An array of tokens. */
function readHops(input: WordReader): ReadonlyArray<DecodedRouterHop> {
  const count = input.number("tokens of a path");
  must(count >= 2 && count * WORD_BYTES === input.bytesLeft, `a path of ${count} tokens`);
  const hops: DecodedRouterHop[] = [];
  let tokenIn = input.address("a path");
  for (let place = 1; place < count; place++) {
    const tokenOut = input.address("a path");
    hops.push({ tokenIn, tokenOut, feePips: ROUTER_FEE_PIPS });
    tokenIn = tokenOut;
  }
  return hops;
}
