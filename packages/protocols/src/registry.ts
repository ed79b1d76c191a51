import type { Curve } from "@millrace/core";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import { solidlyStable } from "./curves/solidlyStable/pool.ts";
import type { Protocol } from "./Protocol.ts";
import { uniswapV2 } from "./uniswapV2/index.ts";
import { uniswapV3 } from "./uniswapV3/index.ts";

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

/** How swaps through their pools are written into transactions. */
export const calldataProtocols: ReadonlyArray<CalldataProtocol> = protocols.map(
  ({ calldata }) => calldata,
);
