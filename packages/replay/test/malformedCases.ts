import {
  CONCENTRATED,
  concentrated,
  concentratedState,
  type Market,
  PAIR,
  set,
  TOKEN_A,
} from "./soundMarket.ts";

/** What is spoiled, how, and what the fault has to say. */
export const CASES: ReadonlyArray<readonly [string, (market: Market) => unknown, ...string[]]> = [
  ["a list instead of a market", () => [], "a list of 0"],
  ["null instead of a market", () => null, "null"],
  ["no tokens", (m) => ({ ...m, tokens: undefined }), "tokens"],
  ["pools that are no list", (m) => ({ ...m, pools: { 0: 1 } }), "pools", "an object"],
  ["a chain id of zero", (m) => set(m, "chainId", 0), "chainId", "is 0"],
  ["a chain id as text", (m) => set(m, "chainId", "1"), "chainId", 'is "1"'],
  ["a negative block", (m) => set(m, "block", -1), "block", "is -1"],
  ["a block with a fraction", (m) => set(m, "block", 1.5), "block", "is 1.5"],
  ["a time beyond all times", (m) => set(m, "blockTimestamp", 1e300), "blockTimestamp"],
  ["a token that is none", (m) => set(m.tokens, 1, 7), "tokens[1]", "is 7"],
  [
    "a token's address too short",
    (m) => set(m.tokens[0]!, "address", "0xaa"),
    "tokens[0].address",
    '"0xaa"',
  ],
  [
    "impossible decimals",
    (m) => set(m.tokens[1]!, "decimals", 256),
    "tokens[1].decimals",
    "is 256",
  ],
  [
    "a symbol that is no text",
    (m) => set(m.tokens[1]!, "symbol", {}),
    "tokens[1].symbol",
    "an object",
  ],
  [
    "a token twice",
    (m) => set(m.tokens[1]!, "address", TOKEN_A.toUpperCase().replace("0X", "0x")),
    "tokens[1]",
    "stands twice",
  ],
  ["a pool without a kind", (m) => set(m.pools[0]!, "kind", undefined), "pools[0].kind", "missing"],
  ["an unknown kind", (m) => set(m.pools[0]!, "kind", "v4"), "pools[0].kind", '"v4"'],
  ["a pool's id half an address", (m) => set(m.pools[0]!, "id", "0x12"), "pools[0].id", '"0x12"'],
  ["a pool twice", (m) => set(m.pools, 1, { ...m.pools[0]! }), "pools[1]", "stands twice"],
  [
    "an unknown token",
    (m) => set(m.pools[0]!, "token1", `0x${"cc".repeat(20)}`),
    "pools[0].token1",
    "unknown token 0xcc",
  ],
  ["a pool of one token", (m) => set(m.pools[0]!, "token1", TOKEN_A), "pools[0]", "the same"],
  [
    "a DEX with a strange id",
    (m) => set(m.pools[0]!, "dex", "uni swap"),
    "pools[0].dex",
    '"uni swap"',
  ],
  [
    "a DEX of the other kind",
    (m) => set(m.pools[0]!, "dex", "uniswap_v3"),
    "pools[0].dex",
    "UNISWAP_V3",
  ],
  [
    "a DEX of both kinds",
    (m) => set(m.pools[1]!, "dex", "mine") && set(m.pools[0]!, "dex", "MINE"),
    "pools[1].dex",
    "MINE",
  ],
  ["a fee of everything", (m) => set(m.pools[0]!, "fee", 1_000_000), "pools[0].fee", "is 1000000"],
  ["a negative fee", (m) => set(m.pools[1]!, "fee", -1), "pools[1].fee", "is -1"],
  ["a reserve as a number", (m) => set(m.pools[0]!, "reserve0", 5), "pools[0].reserve0", "is 5"],
  ["a reserve with a sign", (m) => set(m.pools[0]!, "reserve0", "-5"), "pools[0].reserve0", '"-5"'],
  [
    "a reserve with a leading zero",
    (m) => set(m.pools[0]!, "reserve1", "007"),
    "pools[0].reserve1",
    '"007"',
  ],
  [
    "a reserve of a million digits",
    (m) => set(m.pools[0]!, "reserve1", "9".repeat(1_000_000)),
    "pools[0].reserve1",
    "…",
  ],
  [
    "a reserve too wide",
    (m) => set(m.pools[0]!, "reserve0", (2n ** 112n).toString()),
    "pools[0].reserve0",
    "2^112",
  ],
  [
    "a price too wide",
    (m) => set(concentrated(m), "sqrtPriceX96", (2n ** 160n).toString()),
    "pools[1].sqrtPriceX96",
    "2^160",
  ],
  ["a price of another tick", (m) => set(concentrated(m), "tick", 5), "pools[1]", "tick 5"],
  [
    "a price below all",
    (m) => set(concentrated(m), "sqrtPriceX96", "1"),
    "pools[1]",
    "sqrtPriceX96 1",
  ],
  [
    "liquidity too wide",
    (m) => set(concentrated(m), "liquidity", (2n ** 128n).toString()),
    "pools[1].liquidity",
    "2^128",
  ],
  [
    "a tick spacing of zero",
    (m) => set(concentrated(m), "tickSpacing", 0),
    "pools[1].tickSpacing",
    "is 0",
  ],
  [
    "ticks out of order",
    (m) =>
      set(concentrated(m), "ticks", [
        [60, "-5000"],
        [-60, "5000"],
      ]),
    "pools[1].ticks[1]",
    "after 60",
  ],
  [
    "a tick twice",
    (m) =>
      set(concentrated(m), "ticks", [
        [-60, "2500"],
        [-60, "2500"],
        [60, "-5000"],
      ]),
    "pools[1].ticks[1]",
    "stands twice",
  ],
  [
    "a tick off the spacing",
    (m) =>
      set(concentrated(m), "ticks", [
        [-61, "5000"],
        [60, "-5000"],
      ]),
    "pools[1].ticks[0]",
    "-61",
  ],
  [
    "a tick out of range",
    (m) =>
      set(concentrated(m), "ticks", [
        [-887_280, "5000"],
        [60, "-5000"],
      ]),
    "pools[1].ticks[0][0]",
    "-887280",
  ],
  [
    "a tick without liquidity",
    (m) => set(concentrated(m), "ticks", [[-60]]),
    "pools[1].ticks[0][1]",
    "missing",
  ],
  [
    "a liquidityNet of minus zero",
    (m) => set(concentrated(m), "ticks", [[-60, "-0"]]),
    "pools[1].ticks[0][1]",
    '"-0"',
  ],
  [
    "a liquidityNet too wide",
    (m) => set(concentrated(m), "ticks", [[-60, (2n ** 127n).toString()]]),
    "pools[1].ticks[0][1]",
    "2^127",
  ],
  [
    "liquidity below zero upwards",
    (m) =>
      set(concentrated(m), "ticks", [
        [-60, "5000"],
        [60, "-5001"],
      ]),
    "pools[1].ticks",
    "tick 60",
    "-1",
  ],
  [
    "liquidity below zero downwards",
    (m) =>
      set(concentrated(m), "ticks", [
        [-60, "5001"],
        [60, "-5000"],
      ]),
    "pools[1].ticks",
    "tick -60",
    "-1",
  ],
  ["updates that are no list", (m) => ({ ...m, updates: "none" }), "updates", '"none"'],
  [
    "an update of the first block",
    (m) => set(m.updates[0]!, "block", 100),
    "updates[0].block",
    "block 100 after block 100",
  ],
  [
    "updates out of order",
    (m) => set(m.updates[1]!, "block", 101),
    "updates[1].block",
    "block 101 after block 101",
  ],
  ["an update without pools", (m) => set(m.updates[0]!, "pools", []), "updates[0].pools", "a list"],
  [
    "an update of an unknown pool",
    (m) => set(m.updates[0]!, "pools", { "pool-9": {} }),
    'updates[0].pools["pool-9"]',
    "unknown pool",
  ],
  [
    "an update of a prototype",
    (m) => set(m.updates[0]!, "pools", JSON.parse('{"__proto__": {}}')),
    'updates[0].pools["__proto__"]',
    "unknown pool",
  ],
  [
    "an update that changes the kind",
    (m) => set(m.updates[0]!, "pools", { [PAIR]: concentratedState() }),
    `updates[0].pools["${PAIR}"]`,
    "kind",
  ],
  [
    "an update that is no state",
    (m) => set(m.updates[0]!, "pools", { [PAIR]: null }),
    `updates[0].pools["${PAIR}"]`,
    "null",
  ],
  [
    "an update with half a state",
    (m) => set(m.updates[0]!, "pools", { [PAIR]: { reserve0: "1" } }),
    `updates[0].pools["${PAIR}"].reserve1`,
    "missing",
  ],
  [
    "an update that changes the fee",
    (m) => set(m.updates[1]!, "pools", { [CONCENTRATED]: { ...concentratedState(), fee: 500 } }),
    ".fee",
    "3000 as before, is 500",
  ],
  [
    "an update that changes the tick spacing",
    (m) =>
      set(m.updates[1]!, "pools", { [CONCENTRATED]: { ...concentratedState(), tickSpacing: 10 } }),
    ".tickSpacing",
    "60 as before, is 10",
  ],
  [
    "a pool twice in an update",
    (m) =>
      set(m.updates[0]!, "pools", {
        [PAIR]: { reserve0: "1", reserve1: "1" },
        [PAIR.replace("0x", "0X")]: {},
      }),
    "updates[0].pools",
    '"0X',
  ],
];
