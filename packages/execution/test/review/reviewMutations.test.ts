import { law, surely } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reviewSwap } from "../../src/review/reviewSwap.ts";
import type { OrderedStep, SwapOrder } from "../../src/SwapOrder.ts";
import {
  address,
  FRIEND,
  type Hop,
  NOW_SECONDS,
  orderOf,
  PARTNER,
  pool,
  SENDER,
  TABLE,
  testMarket,
  testTerms,
  token,
  WRAPPED,
} from "../market.ts";

// Good orders with some of their parts exchanged for others, possible and impossible.

const market = testMarket();
const terms = testTerms(market);
const { graph } = market;

const ROUTES: ReadonlyArray<Hop[][]> = [
  [[["UNISWAP_V3", 0, 1]]],
  [
    [
      ["UNISWAP_V2", 0, 1],
      ["OTHER_V2", 1, 2],
      ["UNISWAP_V3", 2, 3],
    ],
  ],
  [
    [
      ["OTHER_V2", 1, 2],
      ["UNISWAP_V3", 2, 0],
    ],
    [["OTHER_FIRST", 1, 0]],
    [
      ["OTHER_V2", 1, 2],
      ["OTHER_FIRST", 2, 0],
    ],
  ],
];
const good = ROUTES.flatMap((paths) =>
  (["exactIn", "exactOut"] as const).map((kind) => orderOf(market, paths, { kind })),
);

const anyAddress = fc.constantFrom(
  ...[0, 1, 2, 3, 4].map(token),
  ...[pool("UNISWAP_V3", 0, 1), pool("OTHER_V2", 1, 2), pool("OTHER_FIRST", 0, 4)],
  ...[SENDER, FRIEND, PARTNER, WRAPPED, TABLE.executor!, TABLE.universalRouter!.permit2],
  ...[address(0x7777), `0x${"0".repeat(40)}`, `0x${"e".repeat(40)}`, "0x", "0xAB", "nonsense"],
) as fc.Arbitrary<SwapOrder["sender"]>;
const anyAmount = fc.oneof(
  fc.constantFrom(-1n, 0n, 1n, 2n, 1n << 128n, (1n << 256n) - 1n, 1n << 256n, -(1n << 300n)),
  fc.bigInt({ min: 1n, max: 10n ** 24n }),
);
const anyNumber = fc.oneof(
  fc.constantFrom(-1, 0, 0.5, Number.NaN, Number.POSITIVE_INFINITY, -0, 1e300, 2 ** 53),
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.integer({ min: NOW_SECONDS - 10, max: NOW_SECONDS + 4_000 }),
);
const anyStep: fc.Arbitrary<OrderedStep> = fc.oneof(
  fc.constantFrom(...good.flatMap(({ steps }) => steps)),
  fc.record(
    { pool: anyAddress, tokenIn: anyAddress, tokenOut: anyAddress, amountIn: anyAmount },
    { requiredKeys: ["pool", "tokenIn", "tokenOut"] },
  ),
);
const anyChange = fc.record({
  sender: anyAddress,
  recipient: anyAddress,
  tokenIn: anyAddress,
  tokenOut: anyAddress,
  isNativeIn: fc.boolean(),
  isNativeOut: fc.boolean(),
  kind: fc.constantFrom<SwapOrder["kind"]>("exactIn", "exactOut"),
  amountIn: anyAmount,
  amountOut: anyAmount,
  slippagePpm: anyNumber,
  fee: fc.record({ recipient: anyAddress, bps: anyNumber }),
  deadline: anyNumber,
});

const NAMES = [
  ...["sender", "recipient", "tokenIn", "tokenOut", "isNativeIn", "isNativeOut", "kind"],
  ...["amountIn", "amountOut", "slippagePpm", "fee", "deadline"],
] as ReadonlyArray<Exclude<keyof SwapOrder, "steps" | "permit">>;

/** A good order with at most three of its parts, and two of its steps, exchanged. */
const anyOrder: fc.Arbitrary<SwapOrder> = fc
  .record({
    order: fc.constantFrom(...good),
    change: anyChange,
    names: fc.subarray([...NAMES], { maxLength: 3 }),
    steps: fc.array(fc.tuple(fc.nat(6), anyStep), { maxLength: 2 }),
    keepsSteps: fc.boolean(),
  })
  .map(({ order, change, names, steps, keepsSteps }) => {
    const changed = Object.fromEntries(names.map((name) => [name, change[name]]));
    const own = [...order.steps];
    for (const [place, step] of keepsSteps ? [] : steps) own.splice(place, place % 2, step);
    return { ...order, ...changed, steps: own };
  });

describe("a mutated order", () => {
  it("never throws, and what it becomes is made of our own graph and within our rules", () => {
    const { cases, options } = law("mutated orders reviewed", 1_000);
    let accepted = 0;
    fc.assert(
      fc.property(anyOrder, (order) => {
        const intent = reviewSwap(order, terms);
        if ("refused" in intent) {
          expect(intent.path === undefined).toBe(intent.code !== "INVALID_REQUEST");
          return;
        }
        accepted++;
        const { paths, recipient, fee } = intent;
        expect([SENDER, FRIEND, PARTNER, address(0x7777)]).toContain(recipient);
        expect([undefined, SENDER, FRIEND, PARTNER, address(0x7777)]).toContain(fee?.recipient);
        expect(fee?.bps ?? 1).toBeLessThanOrEqual(1_000);
        expect(intent.amountOutMin).toBeGreaterThanOrEqual(1n);
        expect(intent.amountInMax).toBeGreaterThanOrEqual(intent.amountIn);
        expect(intent.amountOut - intent.feeAmount).toBeGreaterThanOrEqual(intent.amountOutMin);
        expect(intent.deadline).toBeGreaterThanOrEqual(NOW_SECONDS);
        expect(intent.deadline).toBeLessThanOrEqual(NOW_SECONDS + 3_600);
        for (const { legs } of paths) {
          const tokens = [intent.tokenIn, ...legs.map(({ tokenOut }) => tokenOut)];
          expect(tokens.at(-1)).toBe(intent.tokenOut);
          expect(new Set(tokens).size).toBe(tokens.length);
          for (const [place, leg] of legs.entries()) {
            expect(leg.tokenIn).toBe(tokens[place]);
            const known = graph.findPool(leg.pool)!;
            const ends = leg.zeroForOne ? [leg.tokenIn, leg.tokenOut] : [leg.tokenOut, leg.tokenIn];
            expect([0, 1].map((at) => graph.tokenAddress(graph.poolToken(known, at)))).toEqual(
              ends,
            );
          }
        }
        const sum = (side: "amountIn" | "amountOut") =>
          paths.reduce((total, path) => total + path[side], 0n);
        if (paths.length === 0) return;
        expect([sum("amountIn"), sum("amountOut")]).toEqual([intent.amountIn, intent.amountOut]);
        const fixed = order.kind === "exactIn" ? "amountIn" : "amountOut";
        expect(intent[fixed]).toBe(order[fixed]);
      }),
      options,
    );
    expect(accepted).toBeGreaterThanOrEqual(surely(cases / 20));
  });
});
