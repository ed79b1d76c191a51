import type { Curve } from "@millrace/core";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import type { Protocol } from "./Protocol.ts";
import { uniswapV2 } from "./uniswapV2/index.ts";
import { uniswapV3 } from "./uniswapV3/index.ts";

/** Every protocol that this package knows, one line each. */
export const protocols: ReadonlyArray<Protocol> = [
  uniswapV2, //
  uniswapV3,
];

/** What their pools swap along. */
export const curves: ReadonlyArray<Curve> = [...new Set(protocols.flatMap((each) => each.curves))];

/** How they show themselves on a chain. */
export const chainProtocols: ReadonlyArray<ChainProtocol> = protocols.map(({ chain }) => chain);

/** How swaps through their pools are written into transactions. */
export const calldataProtocols: ReadonlyArray<CalldataProtocol> = protocols.map(
  ({ calldata }) => calldata,
);
