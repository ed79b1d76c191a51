import type { Address } from "@millrace/core";
import { describe, expect, it } from "vitest";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import {
  type Commands,
  check,
  fromRouter,
  gathered,
  mixed,
  mixedCommands,
  nativeOut,
  nativeOutCommands,
  oneV2,
  oneV3,
  oneV3Commands,
  toRouter,
  turned,
  two,
  twoCommands,
  twoV2,
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
  intentOf,
  payPortion,
  RECIPIENT,
  STRANGER,
  sweep,
  TO_ROUTER,
  TO_SENDER,
  UNIVERSAL,
  unwrap,
  v2In,
  v2Leg,
  v3In,
} from "./decodeSupport.ts";

describe("commands of the Universal Router that mean something else", () => {
  /** Another path of V3 in the place of the right one. */
  const instead = (path: ReadonlyArray<Address | number>) =>
    oneV3Commands.with(0, v3In(path, gathered));
  const otherV2 = { dexId: "OTHER_V2" };
  const refused: ReadonlyArray<readonly [RegExp, string, SwapIntent, Commands]> = [
    // Who gets it.
    [/, to/, "to a stranger", oneV2, [v2In([D, C, B], { to: STRANGER })]],
    [/, to/, "to the sender instead", oneV2, [v2In([D, C, B], { to: TO_SENDER })]],
    [/left in the router/, "to the router, and left there", oneV3, oneV3Commands.slice(0, 1)],
    [/^recipient/, "swept to a stranger", withFee, withFeeCommands.with(3, sweep(C, STRANGER, 1n))],
    [
      /^recipient/,
      "unwrapped to the sender",
      nativeOut,
      nativeOutCommands.with(2, unwrap(TO_SENDER, nativeOut.amountOutMin)),
    ],
    [
      /not unwrapped/,
      "wrapped, where native was asked",
      intentOf([[v2Leg(B, A)]], { isNativeOut: true }),
      [v2In([B, A])],
    ],
    // Straight, where the router takes the pools' word for what arrives.
    [/paid straight/, "a path of V3 straight to the recipient", oneV3, [v3In(v3Path)]],
    [
      /paid straight/,
      "V2, and then V3 straight to the recipient",
      mixed,
      [mixedCommands[0]!, v3In([C, 500, D], { ...fromRouter, amount: ALL })],
    ],
    [
      /path 1: paid straight/,
      "V3 straight beside V2 straight, each with its part of the minimum",
      two,
      [v2In([B, C]), v3In([B, 500, C])],
    ],
    [
      /between pools: to/,
      "to a stranger between pools",
      mixed,
      mixedCommands.with(0, v2In([B, C], { to: STRANGER, limit: 0n })),
    ],
    [
      /between pools: to/,
      "to a pool that is not the next",
      turned,
      [
        v3In([B, 500, C], { to: turned.paths[0]!.legs[0]!.pool, limit: 0n }),
        v2In([C, D], { ...fromRouter, amount: 0n }),
      ],
    ],
    [
      /between pools: to/,
      "paid ahead to a pool of V3",
      mixed,
      mixedCommands
        .with(0, v2In([B, C], { to: mixed.paths[0]!.legs[1]!.pool, limit: 0n }))
        .with(1, v3In([C, 500, D], { ...gathered, ...fromRouter, amount: 0n })),
    ],
    [
      /went elsewhere/,
      "a part direct, and a part by way of the router",
      two,
      twoCommands.with(0, v2In([B, C], { limit: 0n })),
    ],
    [
      /went elsewhere/,
      "a part by way of the router, and a part direct",
      twoV2,
      [v2In([B, C], gathered), v2In([B, D, C]), sweep(C, RECIPIENT, twoV2.amountOutMin)],
    ],
    // How much.
    [
      /amount in/,
      "a unit more in",
      oneV3,
      oneV3Commands.with(0, v3In(v3Path, { ...gathered, amount: 1001n })),
    ],
    [
      /amount in/,
      "all that the sender has",
      oneV3,
      oneV3Commands.with(0, v3In(v3Path, { ...gathered, amount: ALL })),
    ],
    [/amount in/, "paid already, by nobody", oneV2, [v2In([D, C, B], { amount: 0n })]],
    [/^least out/, "a unit less out", oneV2, [v2In([D, C, B], { limit: 889n })]],
    [/^least out/, "a unit more out", oneV2, [v2In([D, C, B], { limit: 891n })]],
    [/^least out/, "a unit less swept", oneV3, oneV3Commands.with(1, sweep(D, RECIPIENT, 889n))],
    [/^least out/, "a unit more swept", oneV3, oneV3Commands.with(1, sweep(D, RECIPIENT, 891n))],
    [
      /path 0, least out: 901 is more than it gives/,
      "one path held to more than it gives, and one to less",
      twoV2,
      [v2In([B, C], { limit: 901n }), v2In([B, D, C], { limit: 879n })],
    ],
    [
      /^least out/,
      "no minimum of the sweep",
      withFee,
      withFeeCommands.with(3, sweep(C, RECIPIENT, 0n)),
    ],
    [
      /least out before it is handed out/,
      "a minimum before the sweep",
      withFee,
      withFeeCommands.with(0, v3In([B, 500, C], { ...toRouter, limit: 1n })),
    ],
    [
      /cut to 160 bits/,
      "a minimum that the router cuts",
      withFee,
      withFeeCommands.with(3, sweep(C, RECIPIENT, withFee.amountOutMin + (1n << 160n))),
    ],
    [
      /between two pools/,
      "a minimum between pools",
      mixed,
      mixedCommands.with(0, v2In([B, C], { ...toRouter, limit: 1n })),
    ],
    [
      /what the leg before gave/,
      "a fixed amount between pools",
      mixed,
      mixedCommands.with(1, v3In([C, 500, D], { ...gathered, ...fromRouter, amount: 900n })),
    ],
    [
      /the sender pays/,
      "the sender pays again between pools",
      mixed,
      mixedCommands.with(1, v3In([C, 500, D], { ...gathered, amount: ALL })),
    ],
    [
      /the pair is paid/,
      "a paid pair is paid again",
      turned,
      [
        v3In([B, 500, C], { to: turned.paths[0]!.legs[1]!.pool, limit: 0n }),
        v2In([C, D], { ...fromRouter, amount: ALL }),
      ],
    ],
    [
      /the sender pays/,
      "the sender pays a pair that is paid",
      turned,
      [
        v3In([B, 500, C], { to: turned.paths[0]!.legs[1]!.pool, limit: 0n }),
        v2In([C, D], { amount: 0n }),
      ],
    ],
    // Which pools.
    [/token in/, "another token in", oneV3, instead([A, 500, C, 500, D])],
    [/token out/, "another token out", oneV3, instead([B, 500, C, 500, A])],
    [/token out/, "another token between", oneV2, [v2In([D, A, B])]],
    [/leg 1, fee/, "another fee", oneV3, instead([B, 500, C, 3000, D])],
    [/token in/, "backwards", oneV3, instead(v3Path.toReversed())],
    [/leg 0, fee/, "V2 for V3", oneV3, [v2In([B, C, D])]],
    [
      /venue/,
      "V3 for V2",
      oneV2,
      [v3In([D, 3000, C, 3000, B], gathered), sweep(B, RECIPIENT, oneV2.amountOutMin)],
    ],
    [/venue/, "a venue that it does not reach", intentOf([[v2Leg(B, C, otherV2)]]), [v2In([B, C])]],
    [
      /fee/,
      "a fee that V2 does not have",
      intentOf([[v2Leg(B, C, { feePips: 2500 })]]),
      [v2In([B, C])],
    ],
    [
      /direction/,
      "a direction that the addresses deny",
      intentOf([[v2Leg(B, C, { zeroForOne: false })]]),
      [v2In([B, C])],
    ],
    [/before all paths/, "half of a path", mixed, mixedCommands.toSpliced(1, 1)],
    [/more pools/, "more of a path", oneV3, instead([...v3Path, 500, A])],
    [/before all paths/, "one path of two", two, twoCommands.toSpliced(1, 1)],
    [/leg 0, fee/, "the second path first", two, [1, 0, 2].map((command) => twoCommands[command]!)],
    [/after all paths/, "a path twice", two, twoCommands.toSpliced(1, 0, twoCommands[1]!)],
  ];
  it.each(refused)("are refused with %s: %s", (words, _, intent, commands) => {
    expect(check(intent, commands)).toMatch(words);
  });

  it("are refused for every command that is no part of a swap, flags included", () => {
    const [, input] = oneV3Commands[0]!;
    const by = (byte: number) => check(oneV3, oneV3Commands.with(0, [byte, input]));
    for (let byte = 1; byte < 256; byte++) {
      expect(by(byte), `0x${byte.toString(16)}`).toBeDefined();
    }
    // What may fail, and a bit that this version does not look at.
    for (const byte of [0x80, 0x40]) expect(by(byte)).toMatch(/no part/);
  });

  it("are refused where a recipient would be read as a shorthand", () => {
    const toTwo = { ...oneV3, recipient: TO_ROUTER };
    const swept = oneV3Commands.with(1, sweep(D, TO_ROUTER, oneV3.amountOutMin));
    expect(check(toTwo, swept)).toMatch(/^recipient/);
    const toOne = { ...oneV2, recipient: TO_SENDER };
    expect(check(toOne, [v2In([D, C, B], { to: TO_SENDER })])).toMatch(/, to/);
    const router = { ...withFee, recipient: UNIVERSAL };
    expect(check(router, withFeeCommands.with(3, sweep(C, UNIVERSAL, 1n)))).toMatch(/^recipient/);
    const partner = { ...withFee, fee: { recipient: TO_SENDER, bps: 100 } };
    expect(check(partner, withFeeCommands.with(2, payPortion(C, TO_SENDER, 100n)))).toMatch(/^fee/);
  });
});
