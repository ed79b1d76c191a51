import { plainLegDecoder } from "../LegDecoder.ts";

/** Legs of Uniswap V3 and its forks: of the executor's kind 3. */
export const uniswapV3Decoder = plainLegDecoder("concentrated-liquidity", 3);
