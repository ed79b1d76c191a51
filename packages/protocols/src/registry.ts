import type { Curve } from "@millrace/core";
import { aerodromeStableCalldata, aerodromeVolatileCalldata } from "./aerodrome/calldata.ts";
import { aerodromeStableDecoder, aerodromeVolatileDecoder } from "./aerodrome/decode.ts";
import { algebraCalldata } from "./algebraIntegral/calldata.ts";
import { algebraDecoder } from "./algebraIntegral/decode.ts";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import { solidlyStable } from "./curves/solidlyStable/pool.ts";
import type { LegDecoder } from "./LegDecoder.ts";
import type { Protocol } from "./Protocol.ts";
import { pancakeV3Calldata } from "./pancakeV3/calldata.ts";
import { pancakeV3Decoder } from "./pancakeV3/decode.ts";
import { slipstreamCalldata } from "./slipstream/calldata.ts";
import { slipstreamDecoder } from "./slipstream/decode.ts";
import { uniswapV2 } from "./uniswapV2/index.ts";
import { uniswapV3 } from "./uniswapV3/index.ts";
import { uniswapV4Calldata } from "./uniswapV4/calldata.ts";
import { uniswapV4Decoder } from "./uniswapV4/decode.ts";

/** Every protocol that this package knows, one line each. */
export const protocols: ReadonlyArray<Protocol> = [
  uniswapV2, //
  uniswapV3,
];

/** What their pools swap along, and what only pools of market files do so far. */
export const curves: ReadonlyArray<Curve> = [
  ...new Set([...protocols.flatMap((each) => each.curves), solidlyStable]),
];

/** How they show themselves on a chain. */
export const chainProtocols: ReadonlyArray<ChainProtocol> = protocols.map(({ chain }) => chain);

/** How swaps through pools are written into transactions; some of pools that nobody follows yet. */
export const calldataProtocols: ReadonlyArray<CalldataProtocol> = [
  ...protocols.map(({ calldata }) => calldata),
  aerodromeVolatileCalldata,
  aerodromeStableCalldata,
  slipstreamCalldata,
  uniswapV4Calldata,
  pancakeV3Calldata,
  algebraCalldata,
];

/** How the legs of our executor are read back, by code that shares nothing with the writers. */
export const legDecoders: ReadonlyArray<LegDecoder> = [
  ...protocols.map(({ decode }) => decode),
  aerodromeVolatileDecoder,
  aerodromeStableDecoder,
  slipstreamDecoder,
  uniswapV4Decoder,
  pancakeV3Decoder,
  algebraDecoder,
];
