import {
  bytesToHex,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  parseAbi,
  size,
  slice,
  toFunctionSelector,
} from "viem";
import { describe, expect, it } from "vitest";
import { checkCalldata } from "../../src/decode/checkCalldata.ts";
import { executorAbi } from "../../src/executor/abi.ts";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import type { SwapCall } from "../../src/SwapRouter.ts";
import {
  A,
  B,
  C,
  D,
  type ExecutorParts,
  executorCall,
  executorParts,
  intentOf,
  PARTNER,
  PERMIT,
  SENDER,
  STRANGER,
  TABLE,
  v2Leg,
  v3Leg,
} from "./decodeSupport.ts";

const FORK = { dexId: "OTHER_V2", feePips: 2500 } as const;
const FEE_FIRST = { dexId: "OTHER_FIRST", parameter: 1 } as const;
const FEE = { recipient: PARTNER, bps: 30 };

const split = intentOf(
  [
    [v2Leg(B, A, FORK), v3Leg(A, D)],
    [v2Leg(B, C, FEE_FIRST), v2Leg(C, A), v3Leg(A, D)],
    [v3Leg(B, D)],
  ],
  { fee: FEE },
);
const half = (byte: string): `0x${string}` => `0x${byte.repeat(32)}`;
const { amount, deadline } = PERMIT;
const signature = { amount, deadline, v: 28, r: half("ab"), s: half("cd") };

const check = (intent: SwapIntent, call: SwapCall) => checkCalldata(TABLE, intent, undefined, call);

describe("a call of the executor that viem has written", () => {
  const shapes: Readonly<Record<string, SwapIntent>> = {
    "three paths with a fee": split,
    "one leg": intentOf([[v3Leg(A, B)]]),
    "native in": intentOf([[v3Leg(A, B)]], { isNativeIn: true }),
    "native out": intentOf([[v2Leg(C, B), v2Leg(B, A)]], { isNativeOut: true, fee: FEE }),
    "exact output": intentOf([[v2Leg(C, B), v3Leg(B, A)], [v3Leg(C, A)]], { kind: "exactOut" }),
    "exact output, native in": intentOf([[v2Leg(A, B)]], { kind: "exactOut", isNativeIn: true }),
    "a fee of nothing": intentOf([[v3Leg(A, B)]], { fee: { recipient: PARTNER, bps: 0 } }),
  };
  for (const [name, intent] of Object.entries(shapes)) {
    it(`is what was meant: ${name}`, () => {
      const zeroFee = intent.fee?.bps === 0;
      const parts = executorParts(intent);
      const order = zeroFee ? { ...parts.order, fee: 0n } : parts.order;
      expect(check(intent, executorCall(intent, { ...parts, order }))).toBeUndefined();
    });
  }

  it("may give an exact output as the exact input that it is where no more may go in", () => {
    const intent = intentOf([[v2Leg(C, B)], [v3Leg(C, B)]], { kind: "exactOut" });
    const asInput = (bound: SwapIntent) =>
      check(
        bound,
        executorCall(bound, executorParts({ ...bound, kind: "exactIn" }), undefined, "exactIn"),
      );
    expect(asInput({ ...intent, amountInMax: intent.amountIn })).toBeUndefined();
    expect(asInput(intent)).toMatch(/^kind/);
  });

  it("may carry the permit of the order, and no other", () => {
    const intent = intentOf([[v3Leg(B, C)]]);
    const parts = executorParts(intent);
    const by = (permit = signature, given = PERMIT) =>
      checkCalldata(TABLE, intent, given, executorCall(intent, parts, permit));
    expect(by()).toBeUndefined();
    // A parity, as some wallets write it.
    const parity = { ...PERMIT, signature: `${PERMIT.signature.slice(0, 130)}01` as `0x${string}` };
    expect(by(signature, parity)).toBeUndefined();
    expect(by({ ...signature, amount: 5001n })).toMatch(/^permit amount/);
    expect(by({ ...signature, deadline: 1n })).toMatch(/^permit deadline/);
    expect(by({ ...signature, v: 27 })).toMatch(/^permit v/);
    expect(by({ ...signature, r: signature.s })).toMatch(/^permit r/);
    expect(by({ ...signature, s: signature.r })).toMatch(/^permit s/);
    expect(by({ ...signature, amount: 999n }, { ...PERMIT, amount: 999n })).toMatch(
      /^permit amount: less/,
    );
    for (const text of ["0x", `${PERMIT.signature}zz`, `${PERMIT.signature}00`]) {
      const wrong = { ...PERMIT, signature: text as `0x${string}` };
      expect(by(signature, wrong)).toMatch(/^permit: no signature/);
    }
    expect(check(intent, executorCall(intent, parts, signature))).toMatch(/^permit/);
    expect(checkCalldata(TABLE, intent, PERMIT, executorCall(intent, parts))).toMatch(/^permit/);
    const native = { ...intentOf([[v3Leg(A, B)]]), isNativeIn: true };
    const nativeCall = executorCall(native, executorParts(native), signature);
    expect(checkCalldata(TABLE, native, PERMIT, nativeCall)).toMatch(/^permit/);
  });
});

describe("a call of the executor that differs from the intent", () => {
  const { order, paths } = executorParts(split);
  type OrderChange = readonly [words: RegExp, change: Partial<ExecutorParts["order"]>];
  const orders: ReadonlyArray<OrderChange> = [
    [/^token in/, { tokenIn: C }],
    [/^token out/, { tokenOut: C }],
    [/^most in/, { amountIn: order.amountIn + 1n }],
    [/^least out/, { amountOutMin: order.amountOutMin - 1n }],
    [/^least out/, { amountOutMin: order.amountOutMin + 1n }],
    [/^recipient/, { recipient: STRANGER }],
    [/^recipient/, { recipient: SENDER }],
    [/^fee in basis points/, { fee: order.fee + (1n << 160n) }],
    [/^fee in basis points/, { fee: 0n }],
    [/^fee in basis points/, { fee: order.fee + (1n << 255n) }],
    [/^fee recipient/, { fee: (30n << 160n) + BigInt(STRANGER) }],
    [/^deadline/, { deadline: order.deadline + 1n }],
    [/^deadline/, { deadline: order.deadline + (1n << 48n) }],
    [/^native output/, { nativeOut: true }],
  ];
  it.each(orders)("in its order is refused for its %s: %o", (words, change) => {
    expect(check(split, executorCall(split, { order: { ...order, ...change }, paths }))).toMatch(
      words,
    );
  });

  const leg = paths[1]!.legs[1]!;
  const withLeg = (changed: Hex) =>
    executorCall(split, {
      order,
      paths: paths.with(1, { ...paths[1]!, legs: paths[1]!.legs.with(1, changed) }),
    });
  const turned = (byte: number, bit: number): Hex => {
    const bytes = hexToBytes(leg);
    bytes[byte]! ^= 1 << bit;
    return bytesToHex(bytes);
  };
  type LegChange = readonly [words: RegExp, byte: number, bit: number];
  const legs: ReadonlyArray<LegChange> = [
    [/kind/, 0, 0],
    [/kind/, 0, 1],
    [/kind/, 0, 6],
    [/direction/, 0, 7],
    [/target/, 1, 7],
    [/target/, 20, 0],
    [/token out/, 21, 7],
    [/token out/, 40, 0],
    [/fee/, 41, 7],
    [/fee/, 43, 0],
  ];
  it.each(legs)("in a leg is refused for its %s: byte %i, bit %i", (words, byte, bit) => {
    expect(check(split, withLeg(turned(byte, bit)))).toMatch(words);
  });

  it("in the length of a leg is refused", () => {
    expect(check(split, withLeg(leg))).toBeUndefined();
    for (let end = 0; end < size(leg); end++)
      expect(check(split, withLeg(end === 0 ? "0x" : slice(leg, 0, end))), `${end}`).toBeDefined();
    for (const more of ["00", "05", "85", "ff"])
      expect(check(split, withLeg(`${leg}${more}`)), more).toBeDefined();
    const last = { ...paths[2]!, legs: [...paths[2]!.legs, "0x85"] as const };
    expect(check(split, executorCall(split, { order, paths: paths.with(2, last) }))).toMatch(
      /path 2, length/,
    );
  });

  it("in number, order or amounts of its paths is refused", () => {
    const by = (changed: ExecutorParts["paths"]) =>
      check(split, executorCall(split, { order, paths: changed }));
    const [first, second, third] = paths as [
      (typeof paths)[0],
      (typeof paths)[0],
      (typeof paths)[0],
    ];
    expect(by([first, second])).toMatch(/number of paths/);
    expect(by([...paths, third])).toMatch(/number of paths/);
    expect(by([third, second, first])).toBeDefined();
    expect(by([first, second, { ...third, amount: 1001n }])).toMatch(/path 2, amount/);
    expect(by([{ ...first, legs: first.legs.slice(1) }, second, third])).toBeDefined();
    expect(by([{ ...first, legs: [] }, second, third])).toBeDefined();
    expect(by([{ ...first, legs: first.legs.toReversed() }, second, third])).toBeDefined();
    const joined = { amount: 2000n, legs: [...first.legs, ...second.legs] };
    expect(by([joined, third])).toMatch(/number of paths/);
  });

  it("by an intent that contradicts itself is refused", () => {
    const torn = (change: Partial<SwapIntent>) => {
      const intent = { ...split, ...change };
      return check(intent, executorCall(intent));
    };
    expect(torn({ amountIn: 2999n })).toMatch(/together/);
    expect(torn({ tokenIn: C })).toMatch(/token in/);
    expect(torn({ tokenOut: C })).toMatch(/its end/);
    expect(torn({ isNativeIn: true })).toMatch(/native input/);
    expect(torn({ isNativeOut: true })).toMatch(/native output/);
    expect(torn({ amountOutMin: 0n })).toMatch(/least out: nothing/);
    expect(torn({ chainId: 2 })).toMatch(/chain/);
    expect(torn({ wrappedNative: B })).toMatch(/wrapped/);
    const unlinked = intentOf([[v2Leg(A, B), v2Leg(C, D)]]);
    expect(check(unlinked, executorCall(unlinked))).toMatch(/token in/);
    const unknown = intentOf([[v2Leg(A, B, { protocol: "weighted" })]]);
    expect(check(unknown, executorCall(unknown, executorParts(intentOf([[v2Leg(A, B)]]))))).toMatch(
      /kind: weighted/,
    );
    const rule = intentOf([[v2Leg(A, B, { parameter: 2 })]]);
    const asFirst = executorParts(intentOf([[v2Leg(A, B, { parameter: 1 })]]));
    expect(check(rule, executorCall(rule, asFirst))).toMatch(/kind: the call has 1, the intent 2/);
  });

  it("in target, value, selector or kind is refused", () => {
    const call = executorCall(split);
    expect(check(split, { ...call, to: STRANGER })).toMatch(/^target/);
    expect(check(split, { ...call, to: D })).toMatch(/^target/);
    expect(check(split, { ...call, to: TABLE.universalRouter.address })).toMatch(/^selector/);
    const { executor: _, ...without } = TABLE;
    expect(checkCalldata(without, split, undefined, call)).toMatch(/^target/);
    expect(check(split, { ...call, value: 1n })).toMatch(/^value/);
    const native = intentOf([[v3Leg(A, B)]], { isNativeIn: true });
    expect(check(native, { ...executorCall(native), value: 0n })).toMatch(/^value/);
    expect(check(native, { ...executorCall(native), value: 1001n })).toMatch(/^value/);
    const others = executorAbi.flatMap((item) =>
      item.type === "function" && item.name !== "swapExactInput" ? [toFunctionSelector(item)] : [],
    );
    for (const selector of [...others, "0x00000000", "0xa9059cbb", "0x23b872dd"]) {
      const data = `${selector}${call.data.slice(10)}` as `0x${string}`;
      expect(check(split, { ...call, data }), selector).toBeDefined();
    }
  });

  it("in the form of its encoding is refused", () => {
    const call = executorCall(split);
    const { data } = call;
    const by = (text: string) => check(split, { ...call, data: text as `0x${string}` });
    expect(by(data)).toBeUndefined();
    expect(by(`${data}${"00".repeat(32)}`)).toMatch(/32 bytes more/);
    expect(by(`${data}00`)).toBeDefined();
    expect(by(data.slice(0, -64))).toMatch(/too early/);
    expect(by(data.slice(0, -2))).toBeDefined();
    expect(by(data.slice(0, -1))).toBeDefined();
    expect(by(data.toUpperCase().replace("0X", "0x"))).toBeDefined();
    const capitals = data.slice(10).toUpperCase();
    expect(by(`${data.slice(0, 10)}${capitals}`)).toMatch(/lower-case/);
    expect(by(` ${data}`)).toBeDefined();
    expect(by("0x")).toBeDefined();
    expect(by("")).toBeDefined();
    expect(by(data.slice(0, 10))).toMatch(/too early/);
    // Dirt above an address, a boolean that is 2, an offset that skips a word.
    expect(by(withWord(data, 0, (word) => `1${word.slice(1)}`))).toMatch(/no address/);
    expect(by(withWord(data, 7, () => "2".padStart(64, "0")))).toMatch(/native output/);
    const skipping = withWord(data, 8, () => (0x140).toString(16).padStart(64, "0"));
    expect(by(skipping)).toMatch(/offset/);
    const end = 10 + 9 * 64;
    expect(by(`${skipping.slice(0, end)}${"0".repeat(64)}${skipping.slice(end)}`)).toMatch(
      /offset/,
    );
    const huge = withWord(data, 9, () => "f".repeat(64));
    expect(by(huge)).toMatch(/number of paths/);
  });
});

function withWord(data: string, place: number, change: (word: string) => string): string {
  const at = 10 + 64 * place;
  return `${data.slice(0, at)}${change(data.slice(at, at + 64))}${data.slice(at + 64)}`;
}

describe("a call of the wrapped native token", () => {
  const abi = parseAbi(["function deposit() payable", "function withdraw(uint256 amount)"]);
  const amounts = { amountIn: 700n, amountOut: 700n, amountInMax: 700n, amountOutMin: 700n };
  const wrap = intentOf([], { ...amounts, isNativeIn: true, recipient: SENDER });
  const unwrap = intentOf([], { ...amounts, isNativeOut: true, recipient: SENDER });
  const deposit = {
    to: A,
    data: encodeFunctionData({ abi, functionName: "deposit" }),
    value: 700n,
  };
  const withdrawal = (amount: bigint) =>
    encodeFunctionData({ abi, functionName: "withdraw", args: [amount] });
  const withdraw = { to: A, data: withdrawal(700n), value: 0n };

  it("is a deposit of the value, or a withdrawal of the amount", () => {
    expect(check(wrap, deposit)).toBeUndefined();
    expect(check(unwrap, withdraw)).toBeUndefined();
  });

  it("is refused when it is anything else", () => {
    expect(check(wrap, { ...deposit, value: 699n })).toMatch(/^value/);
    expect(check(wrap, { ...deposit, to: B })).toMatch(/^target/);
    expect(check(wrap, { ...deposit, data: withdraw.data })).toMatch(/^selector/);
    expect(check(wrap, { ...deposit, data: `${deposit.data}${"00".repeat(32)}` })).toMatch(/more/);
    expect(check(unwrap, { ...withdraw, value: 1n })).toMatch(/^value/);
    expect(check(unwrap, { ...withdraw, data: withdrawal(701n) })).toMatch(/^amount in/);
    expect(check(unwrap, { ...withdraw, data: deposit.data })).toMatch(/^selector/);
  });

  it("is refused for what it cannot do: another recipient, a fee, a permit, another amount", () => {
    const by = (change: Partial<SwapIntent>) => check({ ...wrap, ...change }, deposit);
    expect(by({ recipient: STRANGER })).toMatch(/^recipient/);
    expect(by({ fee: FEE })).toMatch(/^fee/);
    expect(by({ amountOutMin: 699n })).toMatch(/^least out/);
    expect(by({ amountOut: 701n })).toMatch(/^amount out/);
    expect(by({ tokenOut: B })).toMatch(/^token out/);
    expect(by({ isNativeOut: true })).toMatch(/^neither/);
    expect(check({ ...unwrap, tokenIn: B }, withdraw)).toMatch(/^token in/);
    expect(check({ ...unwrap, amountInMax: 701n }, withdraw)).toMatch(/^most in/);
    expect(checkCalldata(TABLE, wrap, PERMIT, deposit)).toMatch(/^permit/);
  });
});
