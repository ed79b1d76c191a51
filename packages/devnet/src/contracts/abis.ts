import { parseAbi } from "viem";

/** ABIs of the functions that deployment and traffic call. */

export const wethAbi = parseAbi(["function deposit() payable"]);

/** See `ShareVault.sol` and `WrappedStake.sol`. */
export const wrapperAbi = parseAbi([
  "function deposit(uint256 assets, address receiver) returns (uint256)",
  "function redeem(uint256 shares, address receiver, address owner) returns (uint256)",
  "function previewDeposit(uint256 assets) view returns (uint256)",
  "function previewRedeem(uint256 shares) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function totalAssets() view returns (uint256)",
  "function maxDeposit(address receiver) view returns (uint256)",
  "function getCurrentStakeLimit() view returns (uint256)",
  "function stETH() view returns (address)",
  "function totalShares() view returns (uint256)",
  "function getWstETHByStETH(uint256 amount) view returns (uint256)",
  "function earn(uint256 amount)",
]);

export const devnetTokenAbi = parseAbi([
  "function mint(address to, uint256 value)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function transferFrom(address from, address to, uint256 amount) returns (bool)",
  "function balanceOf(address) view returns (uint256)",
  "function decimals() view returns (uint8)",
]);

export const hostileTokenAbi = parseAbi([
  "function setPools(address[] pools)",
  "function setReentry(bytes reentry)",
]);

export const multicall3Abi = parseAbi([
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "struct CallWithValue { address target; bool allowFailure; uint256 value; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call[] calls) payable returns (Result[])",
  "function aggregate3Value(CallWithValue[] calls) payable returns (Result[])",
]);

export const permit2ApprovalAbi = parseAbi([
  "function approve(address token, address spender, uint160 amount, uint48 expiration)",
]);

export const v2FactoryAbi = parseAbi([
  "function createPair(address tokenA, address tokenB) returns (address)",
]);

export const v2PairAbi = parseAbi([
  "function mint(address to) returns (uint256)",
  "function burn(address to) returns (uint256, uint256)",
  "function sync()",
  "function skim(address to)",
  "function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)",
  "function getReserves() view returns (uint112, uint112, uint32)",
]);

export const v2RouterAbi = parseAbi([
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])",
  "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])",
  "function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256, uint256, uint256)",
  "function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256, uint256)",
]);

export const v3FactoryAbi = parseAbi(["function enableFeeAmount(uint24 fee, int24 tickSpacing)"]);

export const v3PoolAbi = parseAbi([
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)",
  "function liquidity() view returns (uint128)",
]);

export const positionManagerAbi = parseAbi([
  "struct Mint { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "struct Increase { uint256 tokenId; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }",
  "struct Decrease { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }",
  "struct Collect { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }",
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "function mint(Mint params) payable returns (uint256, uint128, uint256, uint256)",
  "function increaseLiquidity(Increase params) payable returns (uint128, uint256, uint256)",
  "function decreaseLiquidity(Decrease params) payable returns (uint256, uint256)",
  "function collect(Collect params) payable returns (uint256, uint256)",
  "function burn(uint256 tokenId) payable",
  "function multicall(bytes[] data) payable returns (bytes[])",
  "function balanceOf(address owner) view returns (uint256)",
  "function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)",
  "function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256, uint256, uint128, uint128)",
]);

export const swapRouter02Abi = parseAbi([
  "struct ExactInputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "struct ExactOutputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }",
  "struct ExactInput { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
  "function exactInputSingle(ExactInputSingle params) payable returns (uint256)",
  "function exactOutputSingle(ExactOutputSingle params) payable returns (uint256)",
  "function exactInput(ExactInput params) payable returns (uint256)",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256)",
  "function multicall(bytes[] data) payable returns (bytes[])",
]);

export const universalRouterAbi = parseAbi([
  "function execute(bytes commands, bytes[] inputs, uint256 deadline) payable",
]);
