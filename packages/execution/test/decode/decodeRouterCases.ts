import { checkCalldata } from "../../src/decode/checkCalldata.ts";
import type { Permit } from "../../src/Permit.ts";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import {
  A,
  ALL,
  B,
  C,
  type Command,
  D,
  intentOf,
  PARTNER,
  payPortion,
  RECIPIENT,
  routerCall,
  sweep,
  TABLE,
  TO_ROUTER,
  TO_SENDER,
  unwrap,
  v2In,
  v2Leg,
  v2Out,
  v3In,
  v3Leg,
  v3Out,
  wrap,
} from "./decodeSupport.ts";

export type Commands = ReadonlyArray<Command>;

/** What the decoder says of commands; the value is as it should be. */
export const check = (intent: SwapIntent, commands: Commands, permit?: Permit) =>
  checkCalldata(
    TABLE,
    intent,
    permit,
    routerCall(commands, { value: intent.isNativeIn ? intent.amountInMax : 0n }),
  );

export const FEE = { recipient: PARTNER, bps: 100 };
export const [toRouter, fromRouter] = [{ to: TO_ROUTER }, { payerIsUser: false }];

/** To the router, which weighs all that it gathers when it hands it out. */
export const gathered = { ...toRouter, limit: 0n };

export const oneV3 = intentOf([[v3Leg(B, C), v3Leg(C, D)]]);
export const v3Path = [B, 500, C, 500, D];
export const oneV2 = intentOf([[v2Leg(D, C), v2Leg(C, B)]]);
export const mixed = intentOf([[v2Leg(B, C), v3Leg(C, D)]]);
export const turned = intentOf([[v3Leg(B, C), v2Leg(C, D)]]);
/** Of a path of V2 and one of V3, and of two of V2. */
export const two = intentOf([[v2Leg(B, C)], [v3Leg(B, C)]]);
export const twoV2 = intentOf([[v2Leg(B, C)], [v2Leg(B, D), v2Leg(D, C)]]);
export const withFee = intentOf([[v3Leg(B, C)], [v2Leg(B, C)]], { fee: FEE });
export const nativeIn = intentOf([[v2Leg(A, B)], [v3Leg(A, B)]], { isNativeIn: true });
export const nativeOut = intentOf([[v2Leg(B, A)]], { isNativeOut: true, fee: FEE });
export const exactOut = intentOf(
  [
    [v2Leg(B, C), v2Leg(C, D)],
    [v3Leg(B, C), v3Leg(C, D)],
  ],
  {
    kind: "exactOut",
  },
);
export const nativeExactOut = intentOf([[v2Leg(A, B)]], { kind: "exactOut", isNativeIn: true });

export const oneV3Commands: Commands = [
  v3In(v3Path, gathered),
  sweep(D, RECIPIENT, oneV3.amountOutMin),
];
export const mixedCommands: Commands = [
  v2In([B, C], gathered),
  v3In([C, 500, D], { ...gathered, ...fromRouter, amount: ALL }),
  sweep(D, RECIPIENT, mixed.amountOutMin),
];
export const twoCommands: Commands = [
  v2In([B, C], gathered),
  v3In([B, 500, C], gathered),
  sweep(C, RECIPIENT, two.amountOutMin),
];
export const nativeInCommands: Commands = [
  wrap(TO_ROUTER, 2000n),
  v2In([A, B], { ...gathered, ...fromRouter }),
  v3In([A, 500, B], { ...gathered, ...fromRouter }),
  sweep(B, RECIPIENT, nativeIn.amountOutMin),
];
export const withFeeCommands: Commands = [
  v3In([B, 500, C], gathered),
  v2In([B, C], gathered),
  payPortion(C, PARTNER, 100n),
  sweep(C, RECIPIENT, withFee.amountOutMin),
];
export const nativeOutCommands: Commands = [
  v2In([B, A], gathered),
  payPortion(A, PARTNER, 100n),
  unwrap(RECIPIENT, nativeOut.amountOutMin),
];
export const exactOutPath = [D, 500, C, 500, B];
export const exactOutCommands: Commands = [
  v2Out([B, C, D], toRouter),
  v3Out(exactOutPath, toRouter),
  sweep(D, RECIPIENT, exactOut.amountOutMin),
];
export const nativeExactOutCommands: Commands = [
  wrap(TO_ROUTER, 1010n),
  v2Out([A, B], { ...toRouter, ...fromRouter }),
  sweep(B, RECIPIENT, nativeExactOut.amountOutMin),
  unwrap(TO_SENDER, 0n),
];
