import type { Address } from "@millrace/core";
import { decodeFunctionResult, encodeFunctionData, numberToHex, parseAbi } from "viem/utils";
import { readBytes } from "../chain/answers.ts";
import type { ContractCall, StateOverrides } from "../chain/callContract.ts";
import tokenProbe from "../compiled/TokenProbe.json" with { type: "json" };
import { executorCode } from "../executor/executorCode.ts";
import type { Trial, TrialLeg } from "./planTrial.ts";

/** `contracts/TokenProbe.sol`. */
const probeAbi = parseAbi([
  "struct Path { uint256 amount; bytes legs; }",
  "struct Order { address tokenIn; address tokenOut; uint256 amountIn; uint256 amountOutMin; address recipient; uint256 fee; uint256 deadline; bool nativeOut; }",
  "struct Sale { Order order; Path[] paths; address pool; }",
  "struct Answer { uint256 held; uint256 paidOut; uint256 bought; bytes purchaseError; uint256 sale; bytes firstSaleError; uint256 sent; uint256 arrived; uint256 output; }",
  "function buyAndSell(address executor, address token, address pool, Order order, Path[] paths, Sale[] sales) returns (Answer answer)",
]);

/** What the probe saw, all of it as the token reports it; see `TokenProbe.Answer`. */
export interface TrialAnswer {
  readonly held: bigint;
  readonly paidOut: bigint;
  readonly bought: bigint;
  readonly purchaseError: `0x${string}`;
  readonly sale: bigint;
  readonly firstSaleError: `0x${string}`;
  readonly sent: bigint;
  readonly arrived: bigint;
  readonly output: bigint;
}

/** The addresses of a trial's contracts. */
export interface TrialPlaces {
  readonly probe: Address;
  readonly executor: Address;
}

const UINT256_MAX = 2n ** 256n - 1n;
/** More than any gas costs. */
const NATIVE_PLENTY_WEI = 10n ** 24n;

export function trialCall(trial: Trial, { probe, executor }: TrialPlaces): ContractCall {
  const order = (tokenIn: Address, tokenOut: Address, amountIn: bigint) => ({
    ...{ tokenIn, tokenOut, amountIn, amountOutMin: 1n, recipient: probe },
    ...{ fee: 0n, deadline: UINT256_MAX, nativeOut: false },
  });
  const path = (amount: bigint, legs: ReadonlyArray<TrialLeg>) => ({
    amount,
    legs: `0x${legs.map(({ digits }) => digits).join("")}` as const,
  });
  const { token, wrappedNative, purchase, sales } = trial;
  const args = [
    ...[executor, token, purchase.legs.at(-1)!.holder],
    order(wrappedNative, token, purchase.amountIn),
    [path(purchase.amountIn, purchase.legs)],
    // The probe fills in what it has bought.
    sales.map(({ leg }) => ({
      order: order(token, leg.tokenOut, 0n),
      paths: [path(0n, [leg])],
      pool: leg.holder,
    })),
  ] as const;
  return {
    from: probe,
    to: probe,
    data: encodeFunctionData({ abi: probeAbi, functionName: "buyAndSell", args: args as never }),
  };
}

/** The probe's code with a native balance, and the executor's code as it is deployed. */
export function trialOverrides(trial: Trial, { probe, executor }: TrialPlaces): StateOverrides {
  return {
    [probe]: {
      code: tokenProbe.deployedBytecode as `0x${string}`,
      balance: numberToHex(trial.purchase.amountIn + NATIVE_PLENTY_WEI),
    },
    [executor]: { code: executorCode(trial.wrappedNative) },
  };
}

/** Undefined when the data is no answer of the probe: the node did not apply the override. */
export function readTrial(raw: unknown): TrialAnswer | undefined {
  const data = readBytes(raw);
  if (data === undefined) return undefined;
  try {
    return decodeFunctionResult({ abi: probeAbi, functionName: "buyAndSell", data });
  } catch {
    return undefined;
  }
}
