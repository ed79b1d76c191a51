import { decodeErrorResult, isHex, parseAbi } from "viem";
import { executorAbi } from "../executor/abi.ts";

/** Errors of routers, Permit2 and tokens, beside the executor's own. */
const errorsAbi = [
  ...executorAbi.filter(({ type }) => type === "error"),
  ...parseAbi([
    // Universal Router 2.0.
    "error ExecutionFailed(uint256 commandIndex, bytes message)",
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
    "error InvalidNonce()",
    "error InvalidSigner()",
    "error InvalidSignature()",
    "error InvalidSignatureLength()",
    "error InvalidContractSignature()",
    "error SignatureExpired(uint256 signatureDeadline)",
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
/** A router's error around a pool's around a token's. */
const DEPTH_MAX = 3;

/** What a call reverted with, in words: known errors by name, others by their selector. */
export function revertWords(data: `0x${string}`, depth = DEPTH_MAX): string {
  if (data === "0x") return "no reason given";
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errorsAbi, data });
    return `${errorName}(${args.map((value) => argumentWords(value, depth)).join(", ")})`;
  } catch {
    return `unknown error ${data.slice(0, 10)}`;
  }
}

function argumentWords(value: unknown, depth: number): string {
  if (typeof value !== "string") return String(value);
  if (!isHex(value)) return `"${printable(value)}"`;
  // Addresses are no nested errors; those are of 4 bytes and whole words.
  const isNested = depth > 0 && (value.length === 2 || value.length % 64 === 10);
  return isNested ? revertWords(value, depth - 1) : value.slice(0, TEXT_LENGTH_MAX);
}

/** A stranger's text without what is not plain ASCII, cut off. */
function printable(text: string): string {
  return text.slice(0, TEXT_LENGTH_MAX).replace(/[^ !#-~]/g, "?");
}
