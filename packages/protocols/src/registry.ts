import type { Protocol } from "@millrace/core";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import { concentratedLiquidityCalldata } from "./concentratedLiquidity/calldata.ts";
import { concentratedLiquidityChain } from "./concentratedLiquidity/chain.ts";
import { concentratedLiquidity } from "./concentratedLiquidity/pool.ts";
import { constantProductCalldata } from "./constantProduct/calldata.ts";
import { constantProductChain } from "./constantProduct/chain.ts";
import { constantProduct } from "./constantProduct/pool.ts";

/** Every pool family that this package knows, one line each. */
export const protocols: ReadonlyArray<Protocol> = [constantProduct, concentratedLiquidity];

/** How the families show themselves on a chain, in the order of `protocols`. */
export const chainProtocols: ReadonlyArray<ChainProtocol> = [
  constantProductChain,
  concentratedLiquidityChain,
];

/** How swaps through their pools are written into transactions, in the order of `protocols`. */
export const calldataProtocols: ReadonlyArray<CalldataProtocol> = [
  constantProductCalldata,
  concentratedLiquidityCalldata,
];
