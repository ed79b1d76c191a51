import { describe, expect, it } from "vitest";
import type { SwapIntent } from "../src/SwapIntent.ts";
import {
  type Commands,
  check,
  FEE,
  fromRouter,
  mixed,
  nativeOut,
  nativeOutCommands,
  oneV2,
  oneV3,
  toRouter,
  turned,
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
  v3Leg,
} from "./decodeSupport.ts";

describe("commands of the Universal Router that mean something else", () => {
  const two = intentOf([[v2Leg(B, C)], [v3Leg(B, C)]]);
  const otherV2 = { dexId: "OTHER_V2" };
  const refused: ReadonlyArray<readonly [RegExp, string, SwapIntent, Commands]> = [
    // Who gets it.
    [/, to/, "to a stranger", oneV3, [v3In(v3Path, { to: STRANGER })]],
    [/, to/, "to the sender instead", oneV3, [v3In(v3Path, { to: TO_SENDER })]],
    [
      /left in the router/,
      "to the router, and left there",
      oneV3,
      [v3In(v3Path, { ...toRouter, limit: 0n })],
    ],
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
      { ...nativeOut, fee: FEE },
      [v2In([B, A])],
    ],
    [
      /between pools: to/,
      "to a stranger between pools",
      mixed,
      [
        v2In([B, C], { to: STRANGER, limit: 0n }),
        v3In([C, 500, D], { ...fromRouter, amount: ALL }),
      ],
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
      [
        v2In([B, C], { to: mixed.paths[0]!.legs[1]!.pool, limit: 0n }),
        v3In([C, 500, D], { ...fromRouter, amount: 0n }),
      ],
    ],
    [
      /went elsewhere/,
      "a part direct, and a part by way of the router",
      two,
      [
        v2In([B, C], { limit: 0n }),
        v3In([B, 500, C], { ...toRouter, limit: 0n }),
        sweep(C, RECIPIENT, two.amountOutMin),
      ],
    ],
    [
      /went elsewhere/,
      "a part by way of the router, and a part direct",
      two,
      [
        v2In([B, C], { ...toRouter, limit: 0n }),
        v3In([B, 500, C], { limit: 890n }),
        sweep(C, RECIPIENT, 890n),
      ],
    ],
    // How much.
    [/amount in/, "a unit more in", oneV3, [v3In(v3Path, { amount: 1001n })]],
    [/amount in/, "all that the sender has", oneV3, [v3In(v3Path, { amount: ALL })]],
    [/amount in/, "paid already, by nobody", oneV2, [v2In([D, C, B], { amount: 0n })]],
    [/^least out/, "a unit less out", oneV3, [v3In(v3Path, { limit: 889n })]],
    [/^least out/, "a unit more out", oneV3, [v3In(v3Path, { limit: 891n })]],
    [/more than it gives/, "more than it gives", oneV3, [v3In(v3Path, { limit: 901n })]],
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
      [v2In([B, C], { ...toRouter, limit: 1n }), v3In([C, 500, D], { ...fromRouter, amount: ALL })],
    ],
    [
      /what the leg before gave/,
      "a fixed amount between pools",
      mixed,
      [
        v2In([B, C], { ...toRouter, limit: 0n }),
        v3In([C, 500, D], { ...fromRouter, amount: 900n }),
      ],
    ],
    [
      /the sender pays/,
      "the sender pays again between pools",
      mixed,
      [v2In([B, C], { ...toRouter, limit: 0n }), v3In([C, 500, D], { amount: ALL })],
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
    [/token in/, "another token in", oneV3, [v3In([A, 500, C, 500, D])]],
    [/token out/, "another token out", oneV3, [v3In([B, 500, C, 500, A])]],
    [/token out/, "another token between", oneV2, [v2In([D, A, B])]],
    [/leg 1, fee/, "another fee", oneV3, [v3In([B, 500, C, 3000, D])]],
    [/token in/, "backwards", oneV3, [v3In(v3Path.toReversed())]],
    [/leg 0, fee/, "V2 for V3", oneV3, [v2In([B, C, D])]],
    [/fee|venue/, "V3 for V2", oneV2, [v3In([D, 3000, C, 3000, B])]],
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
    [/before all paths/, "half of a path", mixed, [v2In([B, C], { ...toRouter, limit: 0n })]],
    [/more pools/, "more of a path", oneV3, [v3In([...v3Path, 500, A])]],
    [/before all paths/, "one path of two", two, [v2In([B, C], { limit: 890n })]],
    [/leg 0, fee/, "the second path first", two, [v3In([B, 500, C]), v2In([B, C])]],
    [/after all paths/, "a path twice", two, [v2In([B, C]), v3In([B, 500, C]), v3In([B, 500, C])]],
  ];
  it.each(refused)("are refused with %s: %s", (words, _, intent, commands) => {
    expect(check(intent, commands)).toMatch(words);
  });

  it("are refused for every command that is no part of a swap, flags included", () => {
    const [, input] = v3In(v3Path);
    for (let byte = 1; byte < 256; byte++) {
      expect(check(oneV3, [[byte, input]]), `0x${byte.toString(16)}`).toBeDefined();
    }
    // What may fail, and a bit that this version does not look at.
    for (const byte of [0x80, 0x40]) expect(check(oneV3, [[byte, input]])).toMatch(/no part/);
  });

  it("are refused where a recipient would be read as a shorthand", () => {
    const shorthand = { ...oneV3, recipient: TO_ROUTER };
    expect(check(shorthand, [v3In(v3Path, { to: TO_ROUTER })])).toBeDefined();
    const router = { ...withFee, recipient: UNIVERSAL };
    expect(check(router, withFeeCommands.with(3, sweep(C, UNIVERSAL, 1n)))).toMatch(/^recipient/);
    const partner = { ...withFee, fee: { recipient: TO_SENDER, bps: 100 } };
    expect(check(partner, withFeeCommands.with(2, payPortion(C, TO_SENDER, 100n)))).toMatch(/^fee/);
  });
});
