import { parseAbi } from "viem";

/**
 * The interface of our executor contract (`contracts/Executor.sol`).
 *
 * `Order.amountIn`: exact input, what the paths take together; exact output, the most that may go
 * in. `amountOutMin`: what the recipient must gain at least, after the fee. `fee`: basis points ×
 * 2^160 + who gets them; 0 for none. `deadline`: Unix seconds. The input is native when value is
 * sent, which must equal `amountIn`: then `tokenIn` is 0 (and so may be what legs take and give),
 * or the wrapped native token, into which all of it goes first. `nativeOut`: a wrapped output is
 * unwrapped; a `tokenOut` of 0 is native as it is.
 *
 * `Path.amount`: exact input, what goes into its first leg; exact output, what comes out of its
 * last. `Path.legs`: one after the other, see `executorLeg` of each family.
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
