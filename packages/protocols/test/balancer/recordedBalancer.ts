import type { Address } from "@millrace/core";
import type { BalancerPool } from "@millrace/testing/reference";

const ONE = 10n ** 18n;

interface RecordedState {
  readonly balances?: ReadonlyArray<string>;
  readonly balances18?: ReadonlyArray<string>;
  readonly scalingFactors: ReadonlyArray<string>;
  readonly rates?: ReadonlyArray<string>;
  readonly fee?: string;
  readonly swapFee?: string;
  readonly weights?: ReadonlyArray<string>;
  readonly pow?: "v1" | "v2";
  readonly amp?: string;
  readonly invariant?: "up" | "curve";
  readonly bptIndex?: string | null;
  readonly surge?: { readonly threshold: string; readonly max: string };
}

/** A pool as the files of families have it, for the reference. */
export function recordedBalancer(
  name: string,
  recorded: Readonly<Record<string, unknown>>,
): BalancerPool {
  const state = recorded as unknown as RecordedState;
  const vault = name === "balancer-v3" ? 3 : 2;
  const factors = state.scalingFactors.map(BigInt);
  // V2's scaling factors have the rates in them.
  const rates = vault === 3 ? state.rates!.map(BigInt) : factors;
  const decimalScalingFactors = vault === 3 ? factors : factors.map(() => 1n);
  const balances =
    state.balances?.map(BigInt) ??
    state.balances18!.map((balance, at) => {
      const factor = decimalScalingFactors[at]! * rates[at]!;
      return (BigInt(balance) * ONE + factor - 1n) / factor;
    });
  return {
    address: `0x${"b0".repeat(20)}`,
    tokens: balances.map((_, at): Address => `0x${"a0".repeat(19)}0${at}`),
    ...{ vault, balances, decimalScalingFactors, rates },
    fee: BigInt(state.fee ?? state.swapFee!),
    aggregateFee: 0n,
    isPaused: false,
    math:
      state.weights !== undefined
        ? {
            name: "weighted",
            weights: state.weights.map(BigInt),
            powVersion: state.pow === "v1" ? 1 : 2,
            minTokenBalances: undefined,
          }
        : {
            name: "stable",
            amp: BigInt(state.amp!),
            isFirstFormula: state.invariant === "up",
            isBounded: false,
            bptIndex: state.bptIndex == null ? undefined : Number(state.bptIndex),
            surge: state.surge && {
              threshold: BigInt(state.surge.threshold),
              max: BigInt(state.surge.max),
            },
          },
  };
}
