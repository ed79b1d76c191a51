import { parseAbi } from "viem/utils";

/**
 * The interface of our executor contract (`contracts/Executor.sol`).
 *
 * `Order.amountIn`: for exact input the total input of the paths, for exact output the maximum
 * input. `amountOutMin`: the least that the recipient must gain, after the fee. `fee`: basis points
 * × 2^160 + recipient; 0 for none. `deadline`: Unix seconds. The input is native when value is
 * sent, which must equal `amountIn`. Then `tokenIn` is 0, which legs may take and give too, or the
 * wrapped native token, and all of the value is wrapped first. `nativeOut`: a wrapped output is
 * unwrapped; an output with a `tokenOut` of 0 is native already.
 *
 * `Path.amount`: for exact input what goes into the first leg, for exact output what comes out of
 * the last. `Path.legs`: the legs one after the other, see `executorLeg` of each family.
 */
export const executorAbi = parseAbi([
  "struct Path { uint256 amount; bytes legs; }",
  "struct Order { address tokenIn; address tokenOut; uint256 amountIn; uint256 amountOutMin; address recipient; uint256 fee; uint256 deadline; bool nativeOut; }",
  "struct Permit { uint256 amount; uint256 deadline; uint8 v; bytes32 r; bytes32 s; }",
  "constructor(address wrappedNative)",
  "function wrappedNative() view returns (address)",
  "function swapExactInput(Order order, Path[] paths) payable returns (uint256 amountOut)",
  "function swapExactOutput(Order order, Path[] paths) payable returns (uint256 amountIn)",
  "function swapExactInputWithPermit(Order order, Path[] paths, Permit permit) returns (uint256 amountOut)",
  "function swapExactOutputWithPermit(Order order, Path[] paths, Permit permit) returns (uint256 amountIn)",
  "function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes data)",
  "function pancakeV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes data)",
  "function algebraSwapCallback(int256 amount0Delta, int256 amount1Delta, bytes data)",
  "function unlockCallback(bytes data) returns (bytes)",
  "error DeadlinePassed()",
  "error TooLittleOut(uint256 amountOut)",
  "error TooMuchIn(uint256 amountIn)",
  "error InvalidOrder()",
  "error NotTheCalledPool()",
  "error PaymentTooLarge()",
  "error UnsoundSwap()",
  "error Reentered()",
  "error UnexpectedNative()",
  "error TransferFailed(address token)",
]);
