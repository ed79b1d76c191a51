import { parseAbi } from "viem";

/** The functions of real contracts that the tests call, apart from those of pools. */

export const erc20Abi = parseAbi([
  "function transferFrom(address from, address to, uint256 amount) returns (bool)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function balanceOf(address) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
]);

export const v2RouterAbi = parseAbi([
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])",
  "function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[])",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])",
  "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])",
  "function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256, uint256, uint256)",
]);

export const swapRouterAbi = parseAbi([
  "struct InputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "struct OutputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }",
  "struct Input { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
  "struct Output { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }",
  "function exactInputSingle(InputSingle params) payable returns (uint256)",
  "function exactOutputSingle(OutputSingle params) payable returns (uint256)",
  "function exactInput(Input params) payable returns (uint256)",
  "function exactOutput(Output params) payable returns (uint256)",
]);

export const quoterAbi = parseAbi([
  "struct InputSingle { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
  "struct OutputSingle { address tokenIn; address tokenOut; uint256 amount; uint24 fee; uint160 sqrtPriceLimitX96; }",
  "function quoteExactInputSingle(InputSingle params) returns (uint256 amount, uint160 sqrtPriceX96After, uint32 ticksCrossed, uint256 gas)",
  "function quoteExactOutputSingle(OutputSingle params) returns (uint256 amount, uint160 sqrtPriceX96After, uint32 ticksCrossed, uint256 gas)",
  "function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amount, uint160[] sqrtPricesX96After, uint32[] ticksCrossed, uint256 gas)",
  "function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amount, uint160[] sqrtPricesX96After, uint32[] ticksCrossed, uint256 gas)",
]);

export const positionsAbi = parseAbi([
  "struct Mint { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "struct Decrease { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }",
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "function mint(Mint params) payable returns (uint256, uint128, uint256, uint256)",
  "function decreaseLiquidity(Decrease params) payable returns (uint256, uint256)",
  "function multicall(bytes[] data) payable returns (bytes[])",
  "function balanceOf(address owner) view returns (uint256)",
  "function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)",
  "function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128, uint128)",
]);

export const NO_DEADLINE = 2n ** 40n;
