import type { Curve } from "@millrace/core";
import { aerodromeStableCalldata, aerodromeVolatileCalldata } from "./aerodrome/calldata.ts";
import { aerodromeStableDecoder, aerodromeVolatileDecoder } from "./aerodrome/decode.ts";
import { algebraIntegral } from "./algebraIntegral/index.ts";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import { solidlyStable } from "./curves/solidlyStable/pool.ts";
import type { LegDecoder } from "./LegDecoder.ts";
import type { Protocol } from "./Protocol.ts";
import { pancakeV3 } from "./pancakeV3/index.ts";
import { slipstream } from "./slipstream/index.ts";
import { uniswapV2 } from "./uniswapV2/index.ts";
import { uniswapV3 } from "./uniswapV3/index.ts";
import { uniswapV4 } from "./uniswapV4/index.ts";

/** Every protocol that this package knows, one line each. */
export const protocols: ReadonlyArray<Protocol> = [
  uniswapV2, //
  uniswapV3,
  uniswapV4,
  pancakeV3,
  slipstream,
  algebraIntegral,
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
];

/** How the legs of our executor are read back, by code that shares nothing with the writers. */
export const legDecoders: ReadonlyArray<LegDecoder> = [
  ...protocols.map(({ decode }) => decode),
  aerodromeVolatileDecoder,
  aerodromeStableDecoder,
];
