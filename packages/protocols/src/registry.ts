import type { Protocol } from "@millrace/core";
import { aerodromeStableCalldata, aerodromeVolatileCalldata } from "./aerodrome/calldata.ts";
import { aerodromeStableDecoder, aerodromeVolatileDecoder } from "./aerodrome/decode.ts";
import { algebraCalldata } from "./algebra/calldata.ts";
import { algebraDecoder } from "./algebra/decode.ts";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import { concentratedLiquidityCalldata } from "./concentratedLiquidity/calldata.ts";
import { concentratedLiquidityChain } from "./concentratedLiquidity/chain.ts";
import { concentratedLiquidityDecoder } from "./concentratedLiquidity/decode.ts";
import { concentratedLiquidity } from "./concentratedLiquidity/pool.ts";
import { constantProductCalldata } from "./constantProduct/calldata.ts";
import { constantProductChain } from "./constantProduct/chain.ts";
import { constantProductDecoder } from "./constantProduct/decode.ts";
import { constantProduct } from "./constantProduct/pool.ts";
import type { LegDecoder } from "./LegDecoder.ts";
import { pancakeV3Calldata } from "./pancakeV3/calldata.ts";
import { pancakeV3Decoder } from "./pancakeV3/decode.ts";
import { slipstreamCalldata } from "./slipstream/calldata.ts";
import { slipstreamDecoder } from "./slipstream/decode.ts";
import { uniswapV4Calldata } from "./uniswapV4/calldata.ts";
import { uniswapV4Decoder } from "./uniswapV4/decode.ts";

/** Every pool family that this package knows, one line each. */
export const protocols: ReadonlyArray<Protocol> = [constantProduct, concentratedLiquidity];

/** How the families show themselves on a chain, in the order of `protocols`. */
export const chainProtocols: ReadonlyArray<ChainProtocol> = [
  constantProductChain,
  concentratedLiquidityChain,
];

/** How swaps through pools are written into transactions. */
export const calldataProtocols: ReadonlyArray<CalldataProtocol> = [
  constantProductCalldata,
  concentratedLiquidityCalldata,
  aerodromeVolatileCalldata,
  aerodromeStableCalldata,
  slipstreamCalldata,
  uniswapV4Calldata,
  pancakeV3Calldata,
  algebraCalldata,
];

/** How the legs of our executor are read back, by code that shares nothing with the writers. */
export const legDecoders: ReadonlyArray<LegDecoder> = [
  constantProductDecoder,
  concentratedLiquidityDecoder,
  aerodromeVolatileDecoder,
  aerodromeStableDecoder,
  slipstreamDecoder,
  uniswapV4Decoder,
  pancakeV3Decoder,
  algebraDecoder,
];
