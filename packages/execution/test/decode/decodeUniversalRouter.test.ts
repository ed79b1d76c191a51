import { describe, expect, it } from "vitest";
import { checkCalldata } from "../../src/decode/checkCalldata.ts";
import type { Permit } from "../../src/Permit.ts";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import {
  type Commands,
  check,
  exactOut,
  exactOutCommands,
  exactOutPath,
  fromRouter,
  gathered,
  mixed,
  mixedCommands,
  nativeExactOut,
  nativeExactOutCommands,
  nativeIn,
  nativeInCommands,
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
  withFee,
  withFeeCommands,
} from "./decodeRouterCases.ts";
import {
  A,
  ALL,
  B,
  C,
  D,
  DEADLINE,
  PERMIT,
  permit2,
  RECIPIENT,
  routerCall,
  SENDER,
  STRANGER,
  sweep,
  TABLE,
  TO_ROUTER,
  TO_SENDER,
  UNIVERSAL,
  unwrap,
  v2In,
  v2Out,
  v3In,
  v3Out,
  wrap,
} from "./decodeSupport.ts";

describe("commands of the Universal Router that viem has written", () => {
  const meant: ReadonlyArray<readonly [string, SwapIntent, Commands]> = [
    ["a path of V3, swept", oneV3, oneV3Commands],
    ["a path of V2, straight", oneV2, [v2In([D, C, B])]],
    [
      "a path of V2, swept",
      oneV2,
      [v2In([D, C, B], gathered), sweep(B, RECIPIENT, oneV2.amountOutMin)],
    ],
    ["to the sender, by name", { ...oneV2, recipient: SENDER }, [v2In([D, C, B], { to: SENDER })]],
    [
      "to the sender, by shorthand",
      { ...oneV2, recipient: SENDER },
      [v2In([D, C, B], { to: TO_SENDER })],
    ],
    ["V2 then V3, by way of the router", mixed, mixedCommands],
    [
      "V3 then V2, by way of the router",
      turned,
      [
        v3In([B, 500, C], { to: UNIVERSAL, limit: 0n }),
        v2In([C, D], { ...fromRouter, amount: ALL }),
      ],
    ],
    [
      "V3 straight to the pair of V2",
      turned,
      [
        v3In([B, 500, C], { to: turned.paths[0]!.legs[1]!.pool, limit: 0n }),
        v2In([C, D], { ...fromRouter, amount: 0n }),
      ],
    ],
    [
      "V3 then V2, swept",
      turned,
      [
        v3In([B, 500, C], gathered),
        v2In([C, D], { ...gathered, ...fromRouter, amount: ALL }),
        sweep(D, RECIPIENT, turned.amountOutMin),
      ],
    ],
    [
      "two hops of V3 in two commands",
      oneV3,
      [
        v3In([B, 500, C], gathered),
        v3In([C, 500, D], { ...gathered, ...fromRouter, amount: ALL }),
        sweep(D, RECIPIENT, oneV3.amountOutMin),
      ],
    ],
    ["two paths, weighed together", two, twoCommands],
    ["two paths and a fee", withFee, withFeeCommands],
    [
      "two paths of V2, each with its part of the minimum",
      twoV2,
      [v2In([B, C], { limit: 900n }), v2In([B, D, C], { limit: 880n })],
    ],
    ["native in", nativeIn, nativeInCommands],
    [
      "native in, wrapped to the pair",
      nativeIn,
      [
        wrap(nativeIn.paths[0]!.legs[0]!.pool, 1000n),
        v2In([A, B], { ...gathered, ...fromRouter, amount: 0n }),
        wrap(TO_ROUTER, ALL),
        v3In([A, 500, B], { ...gathered, ...fromRouter, amount: ALL }),
        nativeInCommands[3]!,
      ],
    ],
    ["native in, and what may be left", nativeIn, [...nativeInCommands, unwrap(TO_SENDER, 0n)]],
    ["native out with a fee", nativeOut, nativeOutCommands],
    ["what may be left between pools", mixed, [...mixedCommands, sweep(C, TO_SENDER, 0n)]],
    ["exact output of two paths", exactOut, exactOutCommands],
    [
      "exact output with other shares of the most",
      exactOut,
      [
        v2Out([B, C, D], { ...toRouter, limit: 1001n }),
        v3Out(exactOutPath, { ...toRouter, limit: 1018n }),
        exactOutCommands[2]!,
      ],
    ],
    ["exact output, native in", nativeExactOut, nativeExactOutCommands],
    [
      "exact output as the exact input that it is",
      { ...exactOut, amountInMax: 2000n },
      [
        v2In([B, C, D], gathered),
        v3In([B, 500, C, 500, D], gathered),
        sweep(D, RECIPIENT, exactOut.amountOutMin),
      ],
    ],
  ];
  it.each(meant)("are what was meant: %s", (_, intent, commands) => {
    expect(check(intent, commands)).toBeUndefined();
  });

  it("may begin with the permit of the order, and no other", () => {
    const swap = oneV3Commands;
    const by = (commands: Commands, permit: Permit | undefined = PERMIT) =>
      check(oneV3, commands, permit);
    expect(by([permit2(), ...swap])).toBeUndefined();
    expect(by(swap)).toMatch(/^permit/);
    expect(check(oneV3, [permit2(), ...swap])).toMatch(/^permit/);
    expect(by([permit2(), permit2(), ...swap])).toMatch(/^permit: twice/);
    expect(by([swap[0]!, permit2(), swap[1]!])).toMatch(/^permit: after/);
    expect(by([permit2({ token: C }), ...swap])).toMatch(/^permit token/);
    expect(by([permit2({ amount: 4999n }), ...swap])).toMatch(/^permit amount/);
    expect(by([permit2({ nonce: 4 }), ...swap])).toMatch(/^permit nonce/);
    expect(by([permit2({ spender: STRANGER }), ...swap])).toMatch(/^permit spender/);
    expect(by([permit2({}, `0x${"12".repeat(65)}`), ...swap])).toMatch(/^permit signature/);
    expect(by([permit2({}, `${PERMIT.signature}00`), ...swap])).toMatch(/^permit signature/);
    expect(by([permit2(), ...swap], { ...PERMIT, expiration: 1n })).toMatch(/^permit expiration/);
    const { expiration: _, ...other } = PERMIT;
    expect(by([permit2(), ...swap], other)).toMatch(/^permit expiration/);
    expect(by([permit2(), ...swap], { ...PERMIT, deadline: 1n })).toMatch(/^permit deadline/);
    const little = { ...PERMIT, amount: 999n };
    expect(by([permit2({ amount: 999n }), ...swap], little)).toMatch(/^permit amount: less/);
    expect(check(nativeIn, [permit2({ token: A }), ...nativeInCommands], PERMIT)).toMatch(/native/);
  });
});

describe("a call of the Universal Router", () => {
  it("with another deadline, value, selector or form is refused", () => {
    const call = routerCall(oneV3Commands);
    const by = (change: Partial<typeof call>) =>
      checkCalldata(TABLE, oneV3, undefined, { ...call, ...change });
    expect(by({})).toBeUndefined();
    expect(by({ value: 1n })).toMatch(/^value/);
    const later = { deadline: BigInt(DEADLINE) + 1n };
    expect(by(routerCall(oneV3Commands, later))).toMatch(/^deadline/);
    // Without a deadline.
    expect(by({ data: `0x24856bc3${call.data.slice(10)}` })).toMatch(/^selector/);
    expect(by({ data: `${call.data}${"00".repeat(32)}` })).toMatch(/more/);
    expect(by({ data: call.data.slice(0, -64) as `0x${string}` })).toMatch(/early/);
    const { universalRouter: _, ...without } = TABLE;
    expect(checkCalldata(without, oneV3, undefined, call)).toMatch(/^target/);
    const v2Only = { ...TABLE.universalRouter, v3DexId: undefined as never };
    const table = { ...TABLE, universalRouter: v2Only };
    expect(checkCalldata(table, oneV3, undefined, call)).toMatch(/reaches no pools/);
  });

  it("with data in the padding, or inputs that overlap, is refused", () => {
    const { data, ...call } = routerCall(withFeeCommands);
    const by = (text: string) =>
      checkCalldata(TABLE, withFee, undefined, { ...call, data: text as `0x${string}` });
    expect(by(data)).toBeUndefined();
    const commands = data.indexOf("00080604");
    expect(by(`${data.slice(0, commands + 8)}01${data.slice(commands + 10)}`)).toMatch(/padded/);
    // The second input's offset to the first's.
    const offsets = commands + 64 * 2;
    const first = data.slice(offsets, offsets + 64);
    const overlapping = `${data.slice(0, offsets + 64)}${first}${data.slice(offsets + 128)}`;
    expect(by(overlapping)).toMatch(/offset of input 1/);
  });
});
