import { type LegDecoder, plainLegDecoder } from "../LegDecoder.ts";
import { must } from "../Mismatch.ts";
import { type DecodedRouterHop, readPathCommand } from "../RouterCommandDecoder.ts";
import type { WordReader } from "../WordReader.ts";

const TOKEN_DIGITS = 40;
const FEE_DIGITS = 6;
const HOP_DIGITS = TOKEN_DIGITS + FEE_DIGITS;

/** Legs of Uniswap V3 and its forks: of the executor's kind 3. */
export const uniswapV3Decoder: LegDecoder = {
  ...plainLegDecoder("concentrated-liquidity", 3),
  routerCommand: {
    codes: ["00", "01"],
    dexKey: "v3DexId",
    isPaidBefore: false,
    weighsOutput: false,
    read: (code, input) =>
      code === "00"
        ? readPathCommand("exactIn", input, readHops)
        : readPathCommand("exactOut", input, readHopsTurned),
  },
};

/** Token, fee, token … */
function readHops(input: WordReader): ReadonlyArray<DecodedRouterHop> {
  const path = input.bytes("a path");
  const count = (path.length - TOKEN_DIGITS) / HOP_DIGITS;
  must(count >= 1 && Number.isInteger(count), `a path of ${path.length / 2} bytes`);
  const hops: DecodedRouterHop[] = [];
  for (let at = 0; at + HOP_DIGITS < path.length; at += HOP_DIGITS) {
    const next = at + HOP_DIGITS;
    hops.push({
      tokenIn: `0x${path.slice(at, at + TOKEN_DIGITS)}`,
      tokenOut: `0x${path.slice(next, next + TOKEN_DIGITS)}`,
      feePips: Number.parseInt(path.slice(at + TOKEN_DIGITS, next), 16),
    });
  }
  return hops;
}

/** Exact output is written from the last token back. */
function readHopsTurned(input: WordReader): ReadonlyArray<DecodedRouterHop> {
  const turned = readHops(input).map(({ tokenIn, tokenOut, ...hop }) => ({
    ...hop,
    tokenIn: tokenOut,
    tokenOut: tokenIn,
  }));
  return turned.reverse();
}
