import { describe, expect, it } from "vitest";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import { type Commands, check, FEE, fromRouter, gathered } from "./decodeRouterCases.ts";
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
  pull,
  RECIPIENT,
  STRANGER,
  sweep,
  TO_ROUTER,
  TO_SENDER,
  unwrap,
  v2In,
  v2Leg,
  v3In,
  v3Leg,
  v4Command,
  v4Leg,
  v4Settle,
  v4Swap,
  v4Take,
  wrap,
} from "./decodeSupport.ts";

// Commands over pools of Uniswap V4, written by viem. `A` is the wrapped native token.

const two = intentOf([[v4Leg(B, C), v4Leg(C, D)]]);
const [paid, swapped, taken] = [
  v4Settle(B, 1000n, true),
  v4Swap(B, [C, D]),
  v4Take(D, TO_ROUTER),
] as const;
const swept = sweep(D, RECIPIENT, 890n);
const twoCommands: Commands = [v4Command([paid, swapped, taken]), swept];

const out = intentOf([[v4Leg(B, C), v4Leg(C, D)]], { kind: "exactOut" });
const outSwap = v4Swap(D, [B, C], { amount: 900n, limit: 1010n, byte: 0x09 });
const outSettle = v4Settle(B, 0n, true);
const outSwept = sweep(D, RECIPIENT, out.amountOutMin);

const mixed = intentOf([[v2Leg(B, C), v4Leg(C, D), v3Leg(D, A)]], { tokenOut: A });
const mixedCommands: Commands = [
  v2In([B, C], gathered),
  v4Command([v4Settle(C, ALL, false), v4Swap(C, [D]), v4Take(D, TO_ROUTER)]),
  v3In([D, 500, A], { ...gathered, ...fromRouter, amount: ALL }),
  sweep(A, RECIPIENT, 890n),
];

/** Of the native token, whatever the sender has. */
const intoNative = (amount: bigint, to = TO_ROUTER) =>
  v4Command([v4Settle(ETHER, amount, false), v4Swap(ETHER, [B]), v4Take(B, to)]);
const native = intentOf([[v4Leg(ETHER, B)], [v3Leg(A, B)]], { tokenIn: A, isNativeIn: true });
const nativeCommands: Commands = [
  wrap(TO_ROUTER, 1000n),
  intoNative(1000n),
  v3In([A, 500, B], { ...gathered, ...fromRouter }),
  sweep(B, RECIPIENT, 1780n),
];
const pulled = intentOf([[v4Leg(ETHER, B)], [v3Leg(A, B)]], { tokenIn: A });
const pulledCommands: Commands = [
  pull(A, TO_ROUTER, 1000n),
  unwrap(TO_ROUTER, 0n),
  intoNative(1000n),
  v3In([A, 500, B], gathered),
  sweep(B, RECIPIENT, 1780n),
];
const pulledOut = intentOf([[v4Leg(ETHER, B)]], { tokenIn: A, kind: "exactOut" });
const pulledOutSwap = v4Command([
  v4Swap(B, [ETHER], { amount: 900n, limit: 1010n, byte: 0x09 }),
  v4Settle(ETHER, 0n, false),
  v4Take(B, TO_ROUTER),
]);
const pulledOutCommands: Commands = [
  pull(A, TO_ROUTER, 1010n),
  unwrap(TO_ROUTER, 0n),
  pulledOutSwap,
  sweep(B, RECIPIENT, pulledOut.amountOutMin),
  wrap(TO_SENDER, ALL),
];

const outOfNative = v4Command([
  v4Settle(B, 1000n, true),
  v4Swap(B, [ETHER]),
  v4Take(ETHER, TO_ROUTER),
]);
const given = intentOf([[v4Leg(B, ETHER)], [v3Leg(B, A)]], { tokenOut: A, isNativeOut: true });
const givenCommands: Commands = [
  outOfNative,
  v3In([B, 500, A], gathered),
  unwrap(TO_ROUTER, 0n),
  sweep(ETHER, RECIPIENT, 1780n),
];
const charged = { ...given, fee: FEE, amountOutMin: 1762n };
const chargedCommands: Commands = [
  ...givenCommands.slice(0, 2),
  wrap(TO_ROUTER, ALL),
  payPortion(A, PARTNER, 100n),
  unwrap(RECIPIENT, 1762n),
];

const between = intentOf([
  [v3Leg(B, A), v4Leg(ETHER, C)],
  [v4Leg(B, ETHER), v2Leg(A, C)],
]);
const betweenCommands: Commands = [
  v3In([B, 500, A], gathered),
  unwrap(TO_ROUTER, 0n),
  v4Command([v4Settle(ETHER, ALL, false), v4Swap(ETHER, [C]), v4Take(C, TO_ROUTER)]),
  outOfNative,
  wrap(v2Leg(A, C).pool, ALL),
  v2In([A, C], { ...gathered, ...fromRouter, amount: 0n }),
  sweep(C, RECIPIENT, 1780n),
];

describe("commands over pools of Uniswap V4", () => {
  const meant: ReadonlyArray<readonly [string, SwapIntent, Commands]> = [
    ["two pools", two, twoCommands],
    ["an exact output", out, [v4Command([outSwap, outSettle, taken]), outSwept]],
    ["between pools of V2 and V3", mixed, mixedCommands],
    ["native in", native, nativeCommands],
    ["wrapped in, for a pool of the native token", pulled, pulledCommands],
    ["the same of an exact output", pulledOut, pulledOutCommands],
    ["native out", given, givenCommands],
    ["native out with a fee", charged, chargedCommands],
    ["wrapping and unwrapping between pools", between, betweenCommands],
  ];
  it.each(meant)("are what was meant: %s", (_, intent, commands) => {
    expect(check(intent, commands)).toBeUndefined();
  });

  const refused: ReadonlyArray<readonly [RegExp, string, SwapIntent, Commands]> = [
    [/actions/, "paid afterwards", two, [v4Command([swapped, paid, taken]), swept]],
    [/actions/, "not taken", two, [v4Command([paid, swapped]), swept]],
    [/actions/, "taken twice", two, [v4Command([paid, swapped, taken, taken]), swept]],
    [
      /^path 0, to/,
      "taken by a stranger",
      two,
      [v4Command([paid, swapped, v4Take(D, STRANGER)]), swept],
    ],
    [
      /paid straight/,
      "taken by the recipient, whom nobody weighs",
      two,
      [v4Command([paid, swapped, v4Take(D, RECIPIENT)])],
    ],
    [/take, amount/, "a part", two, [v4Command([paid, swapped, v4Take(D, TO_ROUTER, 1n)]), swept]],
    [/currency taken/, "another", two, [v4Command([paid, swapped, v4Take(C, TO_ROUTER)]), swept]],
    [
      /currency paid/,
      "paid with another",
      two,
      [v4Command([v4Settle(C, 1000n, true), swapped, taken]), swept],
    ],
    [
      /amount in/,
      "a unit more in",
      two,
      [v4Command([v4Settle(B, 1001n, true), swapped, taken]), swept],
    ],
    [
      /sender pays/,
      "paid by the router",
      two,
      [v4Command([v4Settle(B, 1000n, false), swapped, taken]), swept],
    ],
    [
      /open/,
      "not all of what was paid is swapped",
      two,
      [v4Command([paid, v4Swap(B, [C, D], { amount: 999n }), taken]), swept],
    ],
    [
      /data for hooks/,
      "data for hooks",
      two,
      [v4Command([paid, v4Swap(B, [C, D], { data: "0x01" }), taken]), swept],
    ],
    [
      /leg 0, pool/,
      "a pool of another fee",
      two,
      [v4Command([paid, v4Swap(B, [C, D], { fee: 2_346 }), taken]), swept],
    ],
    [/token out|its end/, "another way", two, [v4Command([paid, v4Swap(B, [A, D]), taken]), swept]],
    [
      /least out before/,
      "a minimum of its own",
      two,
      [v4Command([paid, v4Swap(B, [C, D], { limit: 890n }), taken]), swept],
    ],
    [
      /amount: none/,
      "an exact output of all that is owed",
      out,
      [v4Command([v4Swap(D, [B, C], { limit: 1010n, byte: 0x09 }), outSettle, taken]), outSwept],
    ],
    [
      /most in/,
      "more for an exact output",
      out,
      [
        v4Command([
          v4Swap(D, [B, C], { amount: 900n, limit: 1011n, byte: 0x09 }),
          ...[outSettle, taken],
        ]),
        outSwept,
      ],
    ],
    [
      /open/,
      "an exact output paid with a known amount",
      out,
      [v4Command([outSwap, v4Settle(B, 1000n, true), taken]), outSwept],
    ],
    [/amount in/, "all of the native input", native, nativeCommands.with(1, intoNative(ALL))],
    [/router has 999/, "too much wrapped", native, nativeCommands.with(0, wrap(TO_ROUTER, 1001n))],
    [/^pull, to/, "pulled to a stranger", pulled, pulledCommands.with(0, pull(A, STRANGER, 1000n))],
    [
      /^pull, token/,
      "another token pulled",
      pulled,
      pulledCommands.with(0, pull(B, TO_ROUTER, 1000n)),
    ],
    [/native left/, "too much pulled", pulled, pulledCommands.with(0, pull(A, TO_ROUTER, 1001n))],
    [
      /^pull: not/,
      "pulled in the middle",
      pulled,
      pulledCommands.toSpliced(4, 0, pull(A, TO_ROUTER, 1n)),
    ],
    [
      /^pull: not/,
      "pulled though native is sent",
      native,
      [pull(A, TO_ROUTER, 1n), ...nativeCommands],
    ],
    [/^pull, wrapped/, "pulled without need", two, [pull(B, TO_ROUTER, 1n), ...twoCommands]],
    [
      /unwrap before a swap, to/,
      "unwrapped to a stranger",
      pulled,
      pulledCommands.with(1, unwrap(STRANGER, 0n)),
    ],
    [
      /pulled beyond/,
      "more than the most pulled",
      pulledOut,
      pulledOutCommands.with(0, pull(A, TO_ROUTER, 1011n)),
    ],
    [/rest of the input/, "the rest not given back", pulledOut, pulledOutCommands.slice(0, 4)],
    [
      /wrap of a rest, to/,
      "the rest for a stranger",
      pulledOut,
      pulledOutCommands.with(4, wrap(STRANGER, ALL)),
    ],
    [/a part/, "a part of the rest", pulledOut, pulledOutCommands.with(4, wrap(TO_SENDER, 1n))],
    [
      /sweep: of/,
      "the rest as it is",
      pulledOut,
      pulledOutCommands.with(4, sweep(ETHER, TO_SENDER, 0n)),
    ],
    [/in parts/, "wrapped and native apart", given, givenCommands.toSpliced(2, 1)],
    [
      /^recipient/,
      "swept to a stranger",
      given,
      givenCommands.with(3, sweep(ETHER, STRANGER, 1780n)),
    ],
    [
      /160 bits/,
      "a minimum that is cut",
      given,
      givenCommands.with(3, sweep(ETHER, RECIPIENT, 1780n + (1n << 160n))),
    ],
    [/of a part/, "a fee of the wrapped part", charged, chargedCommands.toSpliced(2, 1)],
    [
      /wrap of the output, to/,
      "wrapped to a stranger",
      charged,
      chargedCommands.with(2, wrap(STRANGER, ALL)),
    ],
    [/token between|wrap/, "not unwrapped between", between, betweenCommands.toSpliced(1, 1)],
    [
      /wrap between pools: to/,
      "wrapped away",
      between,
      betweenCommands.with(4, wrap(STRANGER, ALL)),
    ],
    [
      /not all of it/,
      "wrapped in part",
      between,
      betweenCommands.with(4, wrap(v2Leg(A, C).pool, 5n)),
    ],
    [
      /not the path's alone/,
      "wrapped where an end is wrapped",
      { ...between, tokenOut: A },
      betweenCommands,
    ],
  ];
  it.each(refused)("are refused (%s): %s", (words, _, intent, commands) => {
    expect(check(intent, commands)).toMatch(words);
  });
});
