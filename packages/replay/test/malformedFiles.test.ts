import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { type MarketBlock, openMarket } from "@millrace/core";
import { protocols } from "@millrace/protocols";
import { Effect, Stream } from "effect";
import { marketFile } from "../src/index.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "market-file-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const TOKEN_A = `0x${"aa".repeat(20)}`;
const TOKEN_B = `0x${"bb".repeat(20)}`;
const PAIR = `0x${"01".repeat(20)}`;
const CONCENTRATED = `0x${"02".repeat(20)}`;

/** A sound market that every case below spoils in one place. */
function soundMarket() {
  return {
    chainId: 1 as unknown,
    block: 100 as unknown,
    blockTimestamp: 1_700_000_000 as unknown,
    tokens: [
      { address: TOKEN_A, symbol: "A", decimals: 18 as unknown, name: "Token A" },
      { address: TOKEN_B, symbol: "B", decimals: 6 as unknown, name: "Token B" },
    ],
    pools: [
      {
        id: PAIR,
        dex: "uniswap_v2" as unknown,
        kind: "v2",
        token0: TOKEN_A,
        token1: TOKEN_B,
        fee: 3000 as unknown,
        reserve0: "1000000000" as unknown,
        reserve1: "2000000000" as unknown,
      },
      {
        id: CONCENTRATED,
        dex: "uniswap_v3" as unknown,
        kind: "v3",
        token0: TOKEN_A,
        token1: TOKEN_B,
        fee: 3000 as unknown,
        ...concentratedState(),
      },
    ],
    updates: [
      {
        block: 101 as unknown,
        pools: { [PAIR]: { reserve0: "1000000100", reserve1: "1999999900" } } as unknown,
      },
      { block: 103 as unknown, pools: { [CONCENTRATED]: concentratedState() } as unknown },
    ],
  };
}

function concentratedState() {
  return {
    sqrtPriceX96: (2n ** 96n).toString() as unknown,
    tick: 0 as unknown,
    liquidity: "5000" as unknown,
    tickSpacing: 60 as unknown,
    ticks: [
      [-60, "5000"],
      [60, "-5000"],
    ] as Array<[unknown, unknown]>,
  };
}

type Market = ReturnType<typeof soundMarket>;

const concentrated = (market: Market) =>
  market.pools[1] as unknown as ReturnType<typeof concentratedState>;

/** What is spoiled, how, and what the fault has to say. */
const CASES: ReadonlyArray<readonly [string, (market: Market) => unknown, ...string[]]> = [
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

describe("a malformed market file", () => {
  it.effect.each(CASES)(
    "with %s is refused, and the fault is named with its place",
    Effect.fnUntraced(function* ([, spoil, ...expected]) {
      const market = soundMarket();
      const spoiled = spoil(market);
      // A `set` gives true: the market itself was changed.
      const error = yield* refused(JSON.stringify(spoiled === true ? market : spoiled));
      assert.strictEqual(error.reason, "Malformed");
      for (const part of expected) assert.include(error.detail, part);
      for (const line of error.detail.split("\n")) assert.isBelow(line.length, 300);
    }),
  );

  it.effect(
    "is told of all its faults at once, up to twenty",
    Effect.fnUntraced(function* () {
      const market = soundMarket();
      set(market.tokens[0]!, "decimals", -1);
      set(market.pools[0]!, "fee", "3000");
      set(market.updates[0]!, "block", 5);
      const few = yield* refused(JSON.stringify(market));
      for (const part of ["tokens[0].decimals", "pools[0].fee", "updates[0].block"]) {
        assert.include(few.detail, part);
      }
      const many = yield* refused(JSON.stringify({ ...market, tokens: Array(5_000).fill(7) }));
      assert.strictEqual(many.detail.split("\n").length, 21);
      assert.match(many.detail, /and \d+ more$/);
    }),
  );

  it.effect(
    "that is missing, no JSON, no UTF-8 or too deep is unreadable",
    Effect.fnUntraced(function* () {
      const missing = yield* Effect.flip(marketFile(join(folder, "no-such-file.json")));
      assert.strictEqual(missing.reason, "Unreadable");
      assert.include(missing.detail, "no-such-file.json");
      for (const content of ["", "{", Buffer.from([0x22, 0xff, 0x22]), "[".repeat(1_000_000)]) {
        const error = yield* refused(content);
        assert.strictEqual(error.reason, "Unreadable");
      }
    }),
  );
});

describe("a sound market file", () => {
  it.effect(
    "is loaded by every engine as it stands",
    Effect.fnUntraced(function* () {
      const block = yield* loaded(soundMarket());
      assert.deepStrictEqual(openMarket(1, protocols).writer.applyBlock(block).rejected, []);
      assert.strictEqual(block.stamp.number, 103);
      assert.strictEqual(block.stamp.timestampMs, 1_700_000_036_000);
    }),
  );

  it.effect(
    "needs no block, time, updates, DEXes or names",
    Effect.fnUntraced(function* () {
      const { chainId, tokens, pools } = soundMarket();
      const block = yield* loaded({
        chainId,
        tokens: tokens.map(({ name: _, ...token }) => token),
        pools: pools.map(({ dex: _, ...pool }) => pool),
      });
      assert.deepStrictEqual(
        block.dexes.map(({ id }) => id),
        ["UNISWAP_V2", "UNISWAP_V3"],
      );
      assert.deepStrictEqual(
        block.tokens.map(({ name }) => name),
        ["A", "B"],
      );
      assert.strictEqual(block.stamp.number, 0);
    }),
  );

  it.effect(
    "names a DEX that nobody knows after its id",
    Effect.fnUntraced(function* () {
      const market = soundMarket();
      set(market.pools[0]!, "dex", "some_new_swap_v2");
      const [dex] = (yield* loaded(market)).dexes;
      assert.deepStrictEqual(dex, {
        id: "SOME_NEW_SWAP_V2",
        name: "Some New Swap V2",
        protocol: "constant-product",
        factory: `0x${"0".repeat(40)}`,
      });
    }),
  );

  it.effect(
    "shows tokens without characters that deceive, and never long",
    Effect.fnUntraced(function* () {
      const market = soundMarket();
      set(market.tokens[0]!, "symbol", "US\u202eD\u200bC\u0000\n");
      set(market.tokens[0]!, "name", "🍖".repeat(500));
      set(market.tokens[1]!, "symbol", "\u202e");
      const [first, second] = (yield* loaded(market)).tokens;
      assert.strictEqual(first!.symbol, "USDC");
      assert.strictEqual(first!.name, "🍖".repeat(64));
      assert.strictEqual(second!.symbol, TOKEN_B);
    }),
  );
});

function set<A extends object>(target: A, key: PropertyKey, value: unknown): true {
  Object.defineProperty(target, key, { value, enumerable: true });
  return true;
}

const refused = Effect.fnUntraced(function* (content: string | Buffer) {
  const path = join(folder, "market.json");
  writeFileSync(path, content);
  return yield* Effect.flip(marketFile(path));
});

const loaded = Effect.fnUntraced(function* (market: unknown) {
  const path = join(folder, "market.json");
  writeFileSync(path, JSON.stringify(market));
  const source = yield* marketFile(path);
  const blocks: ReadonlyArray<MarketBlock> = yield* Stream.runCollect(source.blocks);
  return blocks[0]!;
});
