import { decodeErrorResult, isAddress, parseAbi } from "viem/utils";
import { executorAbi } from "../executor/abi.ts";

/** Errors of routers, Permit2 and tokens, beside the executor's own. */
const errorsAbi = [
  ...executorAbi.filter(({ type }) => type === "error"),
  ...parseAbi([
    // Universal Router 2.0.
    "error TransactionDeadlinePassed()",
    "error InsufficientToken()",
    "error InsufficientETH()",
    "error InvalidEthSender()",
    "error InvalidBips()",
    "error V2TooLittleReceived()",
    "error V2TooMuchRequested()",
    "error V2InvalidPath()",
    "error V3TooLittleReceived()",
    "error V3TooMuchRequested()",
    "error V3InvalidAmountOut()",
    "error V3InvalidCaller()",
    "error V3InvalidSwap()",
    "error UnsafeCast()",
    // Permit2.
    "error AllowanceExpired(uint256 deadline)",
    "error InsufficientAllowance(uint256 amount)",
    // Tokens: ERC-6093 and OpenZeppelin's ERC-2612.
    "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
    "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
    "error ERC20InvalidApprover(address approver)",
    "error ERC20InvalidReceiver(address receiver)",
    "error ERC20InvalidSender(address sender)",
    "error ERC20InvalidSpender(address spender)",
    "error ERC2612ExpiredSignature(uint256 deadline)",
    "error ERC2612InvalidSigner(address signer, address owner)",
    "error SafeERC20FailedOperation(address token)",
  ]),
];

const TEXT_LENGTH_MAX = 100;

/** What a call reverted with, in words: known errors by name, others by their selector. */
export function revertWords(data: `0x${string}`): string {
  if (data === "0x") return "no reason given";
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errorsAbi, data });
    return `${errorName}(${args.map(argumentWords).join(", ")})`;
  } catch {
    return `unknown error ${data.slice(0, 10)}`;
  }
}

/** An address, a number, or an untrusted text. */
function argumentWords(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return isAddress(value) ? value : `"${printable(value)}"`;
}

/** An untrusted text, cut off; quotes and all but printable ASCII become `?`. */
function printable(text: string): string {
  return text.slice(0, TEXT_LENGTH_MAX).replace(/[^ !#-~]/g, "?");
}
