import type { Address } from "@millrace/core";
import { decodeFunctionResult, encodeFunctionData, numberToHex, parseAbi } from "viem/utils";
import type { ContractCall, StateOverrides } from "../chain/callContract.ts";
import swapProbe from "../compiled/SwapProbe.json" with { type: "json" };
import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapCall } from "../SwapRouter.ts";

/** `contracts/SwapProbe.sol`. */
const probeAbi = parseAbi([
  "struct Call { address to; uint256 value; bytes data; }",
  "struct Answer { uint256 callsDone; bytes revertData; uint256 inputBefore; uint256 inputAfter; uint256 outputBefore; uint256 outputAfter; uint256 gasUsed; }",
  "function probe(Call[] calls, address input, address output, address recipient) returns (Answer answer)",
]);

/** What the probe saw. Balances are undefined where the token does not answer. */
export interface ProbeAnswer {
  /** Calls that went through, of the approvals and the swap. */
  readonly callsDone: number;
  readonly revertData: `0x${string}`;
  readonly inputBefore: bigint | undefined;
  readonly inputAfter: bigint | undefined;
  readonly outputBefore: bigint | undefined;
  readonly outputAfter: bigint | undefined;
  readonly gasUsed: bigint;
}

const NATIVE: Address = "0x0000000000000000000000000000000000000000";
const UINT256_MAX = 2n ** 256n - 1n;
/** More than any gas costs. */
const NATIVE_PLENTY_WEI = 10n ** 24n;

/** The probe at the sender's address, with the sender as the transaction's origin too. */
export function probeCall(
  { sender, recipient, tokenIn, tokenOut, isNativeIn, isNativeOut }: SwapIntent,
  calls: ReadonlyArray<SwapCall>,
): ContractCall {
  const assets = [isNativeIn ? NATIVE : tokenIn, isNativeOut ? NATIVE : tokenOut] as const;
  const args = [calls, ...assets, recipient] as const;
  return {
    from: sender,
    to: sender,
    data: encodeFunctionData({ abi: probeAbi, functionName: "probe", args }),
  };
}

/** The sender's code and native balance for the time of the call. */
export function probeOverrides(sender: Address, calls: ReadonlyArray<SwapCall>): StateOverrides {
  const spent = calls.reduce((sum, { value }) => sum + value, NATIVE_PLENTY_WEI);
  return {
    [sender]: {
      code: swapProbe.deployedBytecode as `0x${string}`,
      balance: numberToHex(spent < UINT256_MAX ? spent : UINT256_MAX),
    },
  };
}

/** Undefined when the data is no answer of the probe: the node did not apply the override. */
export function readProbe(data: `0x${string}`): ProbeAnswer | undefined {
  try {
    const answer = decodeFunctionResult({ abi: probeAbi, functionName: "probe", data });
    return {
      ...answer,
      callsDone: Number(answer.callsDone),
      inputBefore: knownBalance(answer.inputBefore),
      inputAfter: knownBalance(answer.inputAfter),
      outputBefore: knownBalance(answer.outputBefore),
      outputAfter: knownBalance(answer.outputAfter),
    };
  } catch {
    return undefined;
  }
}

/** The probe's sign for a balance that is not known. */
const knownBalance = (balance: bigint) => (balance === UINT256_MAX ? undefined : balance);
