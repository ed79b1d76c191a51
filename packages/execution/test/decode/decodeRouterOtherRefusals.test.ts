import { describe, expect, it } from "vitest";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import {
  type Commands,
  check,
  exactOut,
  exactOutCommands,
  exactOutPath,
  FEE,
  fromRouter,
  gathered,
  nativeExactOut,
  nativeExactOutCommands,
  nativeIn,
  nativeInCommands,
  oneV2,
  oneV3,
  oneV3Commands,
  toRouter,
  withFee,
  withFeeCommands,
} from "./decodeRouterCases.ts";
import {
  A,
  ALL,
  B,
  C,
  D,
  ETHER,
  intentOf,
  PARTNER,
  payPortion,
  RECIPIENT,
  STRANGER,
  sweep,
  TO_ROUTER,
  TO_SENDER,
  transfer,
  unwrap,
  v2In,
  v2Out,
  v3In,
  v3Leg,
  v3Out,
  wrap,
} from "./decodeSupport.ts";

describe("commands of the Universal Router that mean something else in fee, native token or kind", () => {
  const refused: ReadonlyArray<readonly [RegExp, string, SwapIntent, Commands]> = [
    // The fee.
    [
      /fee recipient/,
      "the fee to a stranger",
      withFee,
      withFeeCommands.with(2, payPortion(C, STRANGER, 100n)),
    ],
    [
      /fee in basis points/,
      "another fee",
      withFee,
      withFeeCommands.with(2, payPortion(C, PARTNER, 101n)),
    ],
    [
      /fee token/,
      "a fee of another token",
      withFee,
      withFeeCommands.with(2, payPortion(B, PARTNER, 100n)),
    ],
    [/fee: not paid/, "no fee", withFee, withFeeCommands.toSpliced(2, 1)],
    [/fee: twice/, "the fee twice", withFee, withFeeCommands.toSpliced(2, 0, withFeeCommands[2]!)],
    [
      /fee: twice/,
      "the fee after the sweep",
      withFee,
      [...withFeeCommands.slice(0, 2), withFeeCommands[3]!, withFeeCommands[2]!].toSpliced(
        2,
        0,
        withFeeCommands[2]!,
      ),
    ],
    [
      /before all paths/,
      "the fee of one path only",
      withFee,
      [withFeeCommands[0]!, withFeeCommands[2]!, withFeeCommands[1]!, withFeeCommands[3]!],
    ],
    [
      /escapes the fee/,
      "output beside the fee",
      { ...oneV2, fee: FEE },
      [v2In([D, C, B], { limit: oneV2.amountOutMin })],
    ],
    [/^fee/, "a fee that nobody asked", { ...withFee, fee: undefined as never }, withFeeCommands],
    // Native.
    [
      /native left in the router/,
      "native that is not wrapped",
      nativeExactOut,
      nativeExactOutCommands
        .with(0, wrap(TO_ROUTER, 1009n))
        .with(1, v2Out([A, B], { ...toRouter, ...fromRouter, limit: 1009n })),
    ],
    [
      /^wrap: 2001, there are 2000/,
      "more wrapped than there is",
      nativeIn,
      nativeInCommands.with(0, wrap(TO_ROUTER, 2001n)),
    ],
    [
      /^wrap: to/,
      "wrapped to a stranger",
      nativeIn,
      nativeInCommands.with(0, wrap(STRANGER, 1000n)),
    ],
    [
      /^wrap, amount/,
      "more wrapped to the pair than it takes",
      nativeIn,
      nativeInCommands.with(0, wrap(nativeIn.paths[0]!.legs[0]!.pool, 1001n)),
    ],
    [
      /^wrap: 1, there are 0/,
      "wrapped without native",
      oneV2,
      [wrap(TO_ROUTER, 1n), v2In([D, C, B])],
    ],
    [
      /the sender pays/,
      "wrapped, and the sender pays too",
      nativeIn,
      nativeInCommands.with(1, v2In([A, B], gathered)),
    ],
    [
      /amount in/,
      "all of what is held for one path",
      nativeIn,
      nativeInCommands.with(1, v2In([A, B], { ...gathered, ...fromRouter, amount: ALL })),
    ],
    [
      /the sender pays/,
      "the router pays for what is not native",
      oneV2,
      [v2In([D, C, B], fromRouter)],
    ],
    [/rest of the input/, "a rest that stays", nativeExactOut, nativeExactOutCommands.slice(0, 3)],
    [
      /rest, to/,
      "a rest to a stranger",
      nativeExactOut,
      nativeExactOutCommands.with(3, unwrap(STRANGER, 0n)),
    ],
    [
      /rest, to/,
      "a rest to the recipient",
      nativeExactOut,
      nativeExactOutCommands.with(3, unwrap(RECIPIENT, 0n)),
    ],
    [
      /rest, at least/,
      "a rest that must be",
      nativeExactOut,
      nativeExactOutCommands.with(3, unwrap(TO_SENDER, 1n)),
    ],
    [
      /unwrap: before/,
      "a rest before the swap",
      nativeExactOut,
      [0, 3, 1, 2].map((place) => nativeExactOutCommands[place]!),
    ],
    [
      /^sweep: of/,
      "a rest given back wrapped",
      nativeExactOut,
      [...nativeExactOutCommands.slice(0, 3), sweep(A, TO_SENDER, 0n)],
    ],
    [
      /unwrap: nothing/,
      "an unwrapping that nobody asked",
      oneV2,
      [v2In([D, C, B]), unwrap(TO_SENDER, 0n)],
    ],
    // Exact output.
    [
      /amount out/,
      "a unit more of output",
      exactOut,
      exactOutCommands.with(0, v2Out([B, C, D], { ...toRouter, amount: 901n })),
    ],
    [
      /amount out/,
      "a unit less of output",
      exactOut,
      exactOutCommands.with(1, v3Out(exactOutPath, { ...toRouter, amount: 899n })),
    ],
    [
      /^most in/,
      "more at most",
      exactOut,
      exactOutCommands.with(0, v2Out([B, C, D], { ...toRouter, limit: 1011n })),
    ],
    [
      /^most in/,
      "much less at most",
      exactOut,
      exactOutCommands.with(0, v2Out([B, C, D], { ...toRouter, limit: 1000n })),
    ],
    [
      /most in: 999/,
      "less at most than it takes",
      exactOut,
      exactOutCommands.with(0, v2Out([B, C, D], { ...toRouter, limit: 999n })),
    ],
    [
      /the sender pays/,
      "the router pays an exact output of what is not native",
      exactOut,
      exactOutCommands.with(0, v2Out([B, C, D], { ...toRouter, ...fromRouter })),
    ],
    [
      /takes 1010, the router has 1009/,
      "less wrapped than an exact output may take",
      nativeExactOut,
      nativeExactOutCommands.with(0, wrap(TO_ROUTER, 1009n)),
    ],
    [
      /token in/,
      "V3 forwards",
      exactOut,
      exactOutCommands.with(1, v3Out(exactOutPath.toReversed(), toRouter)),
    ],
    [
      /^kind/,
      "exact input",
      exactOut,
      exactOutCommands
        .with(0, v2In([B, C, D], gathered))
        .with(1, v3In([B, 500, C, 500, D], gathered)),
    ],
    [
      /^kind/,
      "exact output for exact input",
      oneV2,
      [v2Out([D, C, B], toRouter), sweep(B, RECIPIENT, oneV2.amountOutMin)],
    ],
    [
      /not all of it/,
      "half of a path",
      exactOut,
      exactOutCommands.with(0, v2Out([B, C], toRouter)),
    ],
    [
      /paid straight/,
      "an exact output of pairs straight to the recipient",
      nativeExactOut,
      [nativeExactOutCommands[0]!, v2Out([A, B], fromRouter), nativeExactOutCommands[3]!],
    ],
    [
      /paid straight/,
      "an exact output of pools straight to the recipient",
      intentOf([[v3Leg(B, C), v3Leg(C, D)]], { kind: "exactOut" }),
      [v3Out(exactOutPath)],
    ],
    [
      /went elsewhere/,
      "an exact output of pairs by way of the router, and one of pools straight",
      exactOut,
      exactOutCommands.with(1, v3Out(exactOutPath)),
    ],
    // Nothing else.
    [/sweep: of/, "a sweep of a foreign token", oneV3, [...oneV3Commands, sweep(A, TO_SENDER, 0n)]],
    [/sweep: of/, "a sweep of ether", oneV3, [...oneV3Commands, sweep(ETHER, TO_SENDER, 0n)]],
    [
      /rest, to/,
      "a sweep of what is between to a stranger",
      oneV3,
      [...oneV3Commands, sweep(C, STRANGER, 0n)],
    ],
    [
      /rest, at least/,
      "a sweep that asks what is not there",
      oneV3,
      [...oneV3Commands, sweep(C, TO_SENDER, 1n)],
    ],
    [
      /output: handed out/,
      "a second sweep of the output",
      oneV3,
      [...oneV3Commands, sweep(D, RECIPIENT, oneV3.amountOutMin)],
    ],
    [
      /output: handed out/,
      "a sweep of output that was paid straight",
      oneV2,
      [v2In([D, C, B]), sweep(B, RECIPIENT, oneV2.amountOutMin)],
    ],
    [
      /before all paths/,
      "a sweep before the swap",
      oneV3,
      [sweep(B, TO_SENDER, 0n), ...oneV3Commands],
    ],
    [/0x05 is no part/, "a transfer", oneV3, [...oneV3Commands, transfer(D, STRANGER, 1n)]],
    [/the end/, "nothing at all", oneV3, []],
  ];
  it.each(refused)("are refused with %s: %s", (words, _, intent, commands) => {
    expect(check(intent, commands)).toMatch(words);
  });
});
