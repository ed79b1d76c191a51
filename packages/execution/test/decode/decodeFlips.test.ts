import { law } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { checkCalldata } from "../../src/decode/checkCalldata.ts";
import type { Permit } from "../../src/Permit.ts";
import { openRouters } from "../../src/routers/openRouters.ts";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import type { SwapCall, SwapRouter } from "../../src/SwapRouter.ts";
import {
  exactOut,
  FEE,
  mixed,
  nativeExactOut,
  nativeIn,
  nativeOut,
  oneV2,
  oneV3,
  turned,
  withFee,
} from "./decodeRouterCases.ts";
import {
  A,
  B,
  C,
  D,
  ETHER,
  intentOf,
  PERMIT,
  SENDER,
  TABLE,
  UNIVERSAL,
  v2Leg,
  v3Leg,
  v4Leg,
} from "./decodeSupport.ts";

// Calldata as our encoders write it, with each byte turned: nothing of it may pass for what was
// meant. A push turns each in one way, with more effort in more, until every bit of every byte has
// been turned, and every byte whole.

type Shape = readonly [name: string, intent: SwapIntent, permit?: Permit];

const split = intentOf(
  [
    [v2Leg(B, A, { dexId: "OTHER_V2", feePips: 2500 }), v3Leg(A, D)],
    [v2Leg(B, C, { dexId: "OTHER_FIRST", parameter: 1 }), v2Leg(C, A), v3Leg(A, D)],
    [v3Leg(B, D)],
  ],
  { fee: FEE },
);
const bound = { ...exactOut, amountInMax: exactOut.amountIn };
const [ofA, forA] = [{ tokenIn: A }, { tokenOut: A }];
const intoNative = [[v4Leg(ETHER, B)], [v3Leg(A, B)]];
const outOfNative = [[v4Leg(B, ETHER)], [v3Leg(B, A)]];
/** Of shapes that both routers execute. */
const both: ReadonlyArray<Shape> = [
  ["one pool", intentOf([[v3Leg(B, C)]])],
  ["one pair", intentOf([[v2Leg(C, B)]])],
  ["a path of V3", oneV3],
  ["a path of V2", oneV2],
  ["a pair, then a pool", mixed],
  ["a pool, then a pair", turned],
  ["two paths and a fee", withFee],
  ["native in", nativeIn],
  ["native in and a fee", { ...nativeIn, fee: FEE, amountOutMin: 1763n }],
  ["native out and a fee", nativeOut],
  ["native out", intentOf([[v3Leg(B, A)]], { isNativeOut: true })],
  ["exact output of a pool", intentOf([[v3Leg(B, C)]], { kind: "exactOut" })],
  ["exact output of a pair", intentOf([[v2Leg(B, C)]], { kind: "exactOut" })],
  ["exact output, no more than it takes", bound],
  ["exact output, native in", nativeExactOut],
  ["exact output, native out", intentOf([[v2Leg(B, A)]], { kind: "exactOut", isNativeOut: true })],
  ["a path of V4", intentOf([[v4Leg(B, C), v4Leg(C, D)]])],
  ["pools of V3 and V4, then a pair", intentOf([[v3Leg(B, D), v4Leg(D, C), v2Leg(C, A)]])],
  ["native into V4, and wrapped", intentOf(intoNative, { ...ofA, isNativeIn: true })],
  ["wrapped into V4, unwrapped", intentOf(intoNative, { ...ofA, fee: FEE })],
  ["native out of V4, and of V3", intentOf(outOfNative, { ...forA, isNativeOut: true })],
  ["native out of V4, and a fee", intentOf(outOfNative, { ...forA, isNativeOut: true, fee: FEE })],
  ["wrapped out of V4's native", intentOf([[v4Leg(B, ETHER)]], forA)],
  ["wrapping between pools", intentOf([[v4Leg(B, ETHER), v2Leg(A, C)]])],
  ["unwrapping between pools", intentOf([[v3Leg(B, A), v4Leg(ETHER, C)]])],
  ["exact output of V4", intentOf([[v4Leg(B, C), v4Leg(C, D)]], { kind: "exactOut" })],
  [
    "exact output, native into V4",
    intentOf([[v4Leg(ETHER, B)]], { ...ofA, kind: "exactOut", isNativeIn: true }),
  ],
  ["exact output, wrapped into V4", intentOf([[v4Leg(ETHER, B)]], { ...ofA, kind: "exactOut" })],
  ["a permit", oneV3, PERMIT],
  ["a permit for V4", intentOf([[v4Leg(B, C)]]), PERMIT],
  ["a permit and a fee", withFee, PERMIT],
  ["a permit for an exact output", intentOf([[v3Leg(B, C)]], { kind: "exactOut" }), PERMIT],
];
const shares: Shape = ["exact output of two paths", exactOut];
const wrapped = { amountIn: 700n, amountOut: 700n, amountInMax: 700n, amountOutMin: 700n };

const SHAPES: Readonly<Record<SwapRouter["kind"], ReadonlyArray<Shape>>> = {
  executor: [...both, shares, ["three paths of mixed forks and a fee", split]],
  "universal-router": both,
  wrapper: [
    ["a wrapping", intentOf([], { ...wrapped, isNativeIn: true, recipient: SENDER })],
    ["an unwrapping", intentOf([], { ...wrapped, isNativeOut: true, recipient: SENDER })],
  ],
};

const routers = openRouters(TABLE).all;

function callOf(kind: SwapRouter["kind"], [name, intent, permit]: Shape): SwapCall {
  const router = routers.find((one) => one.kind === kind)!;
  expect(router.obstacle(intent), name).toBeUndefined();
  const call = router.encode(intent, permit);
  expect(checkCalldata(TABLE, intent, permit, call), name).toBeUndefined();
  return call;
}

/** One bit after the other, and all at once. */
const TURNS = [1, 2, 4, 8, 16, 32, 64, 128, 255];

/** The calldata with each byte turned in so many ways, the next byte in others. */
function* turnedBytes(data: string, ways = TURNS.length): Generator<`0x${string}`> {
  for (let at = 2; at < data.length; at += 2) {
    const byte = Number.parseInt(data.slice(at, at + 2), 16);
    for (let way = 0; way < Math.min(ways, TURNS.length); way++) {
      const turn = TURNS[(at / 2 + way) % TURNS.length]!;
      const other = (byte ^ turn).toString(16).padStart(2, "0");
      yield `${data.slice(0, at)}${other}${data.slice(at + 2)}` as `0x${string}`;
    }
  }
}

/** What passes for the calldata that it is not. */
function passedOf(
  intent: SwapIntent,
  permit: Permit | undefined,
  call: SwapCall,
  ways?: number,
): SwapCall[] {
  const passed: SwapCall[] = [];
  for (const data of turnedBytes(call.data, ways)) {
    const turned = { ...call, data };
    if (checkCalldata(TABLE, intent, permit, turned) === undefined) passed.push(turned);
  }
  return passed;
}

const SELECTOR_END = 10;

function wordsOf(data: string): bigint[] {
  const words = data.slice(SELECTOR_END).match(/.{64}/g) ?? [];
  return words.map((digits) => BigInt(`0x${digits}`));
}

describe("the decoder", () => {
  for (const [kind, shapes] of Object.entries(SHAPES)) {
    for (const shape of shapes) {
      it(`refuses calldata of ${kind} with any byte turned: ${shape[0]}`, () => {
        const [, intent, permit] = shape;
        const call = callOf(kind as SwapRouter["kind"], shape);
        const ways = law(`turned bytes of ${kind}: ${shape[0]}`, 1).cases;
        expect(passedOf(intent, permit, call, ways)).toEqual([]);
      });
    }
  }

  it("lets pass one thing only: shares of the most that may go in, a unit lower together", () => {
    // A router's shares of the room above 2000 are rounded down, so that a unit may be missing of
    // what two paths may take together. Never more than the intent's most, and the output is what
    // it was.
    const [, intent] = shares;
    const call = callOf("universal-router", shares);
    const limitsAt = [0, 1].map((path) => wordsOf(call.data).indexOf(1010n, 20 * path));
    expect(passedOf(intent, undefined, call)).toEqual([]);
    const roomier = { ...intent, amountInMax: 2021n };
    const lower = callOf("universal-router", ["a unit more at most", roomier]);
    const passed = passedOf(roomier, undefined, lower).map(({ data }) => wordsOf(data));
    // Each of the two may have the unit.
    expect(passed).toEqual(limitsAt.map((place) => wordsOf(lower.data).with(place, 1011n)));
  });

  it("refuses another target or value, bit by bit", () => {
    for (const [kind, shapes] of Object.entries(SHAPES)) {
      for (const shape of shapes) {
        const [name, intent, permit] = shape;
        const call = callOf(kind as SwapRouter["kind"], shape);
        const by = (change: Partial<SwapCall>) =>
          checkCalldata(TABLE, intent, permit, { ...call, ...change });
        for (const to of turnedBytes(call.to)) expect(by({ to }), name).toMatch(/^target/);
        for (let bit = 0n; bit < 256n; bit++) {
          expect(by({ value: call.value ^ (1n << bit) }), name).toMatch(/^value/);
        }
        const other = call.to === UNIVERSAL ? TABLE.executor : UNIVERSAL;
        expect(by({ to: other }), name).toBeDefined();
      }
    }
  });
});
