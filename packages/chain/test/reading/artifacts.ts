import { artifact } from "./anvil.ts";

/** Compiled contracts of tokens and DEXes. */

export const erc20 = artifact("@uniswap/v4-periphery/foundry-out/MockERC20.sol/MockERC20.json");
export const v2Factory = artifact("@uniswap/v2-core/build/UniswapV2Factory.json");
export const v2Pair = artifact("@uniswap/v2-core/build/UniswapV2Pair.json");
const v3Core = "@uniswap/v3-core/artifacts/contracts";
export const v3Factory = artifact(`${v3Core}/UniswapV3Factory.sol/UniswapV3Factory.json`);
export const v3Pool = artifact(`${v3Core}/UniswapV3Pool.sol/UniswapV3Pool.json`);
export const manager = artifact(
  "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
);
