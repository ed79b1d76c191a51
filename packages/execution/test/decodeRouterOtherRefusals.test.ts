import { describe, expect, it } from "vitest";
import type { SwapIntent } from "../src/SwapIntent.ts";
import {
  type Commands,
  check,
  exactOut,
  exactOutCommands,
  exactOutPath,
  fromRouter,
  nativeExactOut,
  nativeExactOutCommands,
  nativeIn,
  nativeInCommands,
  oneV2,
  oneV3,
  toRouter,
  v3Path,
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
      withFee,
      withFeeCommands.with(0, v3In([B, 500, C])),
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
      /^wrap/,
      "more wrapped than there is",
      nativeIn,
      nativeInCommands.with(0, wrap(TO_ROUTER, 2001n)),
    ],
    [/^wrap/, "wrapped to a stranger", nativeIn, nativeInCommands.with(0, wrap(STRANGER, 2000n))],
    [/^wrap/, "wrapped without native", oneV2, [wrap(TO_ROUTER, 1n), v2In([D, C, B])]],
    [
      /the sender pays/,
      "wrapped, and the sender pays too",
      nativeIn,
      nativeInCommands.with(1, v2In([A, B])),
    ],
    [
      /amount in/,
      "all of what is held for one path",
      nativeIn,
      nativeInCommands.with(1, v2In([A, B], { ...fromRouter, amount: ALL })),
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
      /token in/,
      "V3 forwards",
      exactOut,
      exactOutCommands.with(1, v3Out(exactOutPath.toReversed(), toRouter)),
    ],
    [
      /^kind/,
      "exact input",
      exactOut,
      [v2In([B, C, D], { limit: 900n }), v3In([B, 500, C, 500, D], { limit: 900n })],
    ],
    [/^kind/, "exact output for exact input", oneV2, [v2Out([D, C, B])]],
    [
      /not all of it/,
      "half of a path",
      exactOut,
      exactOutCommands.with(0, v2Out([B, C], toRouter)),
    ],
    [
      /^least out/,
      "an exact output of pairs that nothing weighs",
      nativeExactOut,
      [nativeExactOutCommands[0]!, v2Out([A, B], fromRouter), nativeExactOutCommands[3]!],
    ],
    [
      /^least out/,
      "one of pairs beside one of pools",
      exactOut,
      [v2Out([B, C, D]), v3Out(exactOutPath)],
    ],
    // Nothing else.
    [/sweep: of/, "a sweep of a foreign token", oneV3, [v3In(v3Path), sweep(A, TO_SENDER, 0n)]],
    [/sweep: of/, "a sweep of ether", oneV3, [v3In(v3Path), sweep(ETHER, TO_SENDER, 0n)]],
    [
      /rest, to/,
      "a sweep of what is between to a stranger",
      oneV3,
      [v3In(v3Path), sweep(C, STRANGER, 0n)],
    ],
    [
      /rest, at least/,
      "a sweep that asks what is not there",
      oneV3,
      [v3In(v3Path), sweep(C, TO_SENDER, 1n)],
    ],
    [
      /output: handed out/,
      "a sweep of output that is not there",
      oneV3,
      [v3In(v3Path), sweep(D, RECIPIENT, 0n)],
    ],
    [/before all paths/, "a sweep before the swap", oneV3, [sweep(B, TO_SENDER, 0n), v3In(v3Path)]],
    [/0x05 is no part/, "a transfer", oneV3, [v3In(v3Path), transfer(D, STRANGER, 1n)]],
    [/the end/, "nothing at all", oneV3, []],
  ];
  it.each(refused)("are refused with %s: %s", (words, _, intent, commands) => {
    expect(check(intent, commands)).toMatch(words);
  });
});
