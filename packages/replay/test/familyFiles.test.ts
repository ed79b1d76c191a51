import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { bookOf, type MarketBlock, openMarket } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { marketFileOf, recordedFamily } from "@millrace/testing";
import { Effect, Stream } from "effect";
import { marketFile } from "../src/index.ts";
import { SLIPSTREAM, soundFamilies, ticksState, V4_ID } from "./soundFamilies.ts";

const FAMILIES = [
  "aerodrome-stable",
  "algebra-integral",
  "balancer-v2-stable",
  "balancer-v2-weighted",
  "balancer-v3",
  "curve-stable",
  "curve-stable-ng",
  "pancake-v2",
  "pancake-v3",
  "slipstream",
  "uniswap-v4",
];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "family-files-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a market file with pools of further families", () => {
  it.effect.each(FAMILIES)(
    "holds every recorded pool of %s in its state",
    Effect.fnUntraced(function* (name) {
      const recorded = recordedFamily(name);
      const block = yield* loaded(marketFileOf([recorded]));
      const market = opened(block);
      for (const [place, [, { state }]] of [...recorded.pools].entries()) {
        const at = poolAt(market, block, place);
        const { sqrtPriceX96, liquidity } = at.family.priceAndLiquidity(at.pool);
        if (state["scalingFactors"] !== undefined) {
          assert.deepStrictEqual(at.family.tokenAmounts(at.pool), heldIn(state));
          continue;
        }
        if (state["sqrtPriceX96"] === undefined) {
          const texts = state["balances"] ?? [state["reserve0"], state["reserve1"]];
          const reserves = (texts as ReadonlyArray<string>).map(BigInt);
          assert.deepStrictEqual(at.family.tokenAmounts(at.pool), reserves);
          continue;
        }
        assert.strictEqual(`${sqrtPriceX96}`, state["sqrtPriceX96"]);
        assert.strictEqual(`${liquidity}`, state["liquidity"]);
        const book = bookOf(market.graph, at.pool);
        const ticks = state["ticks"] as ReadonlyArray<readonly [string, string]>;
        assert.deepStrictEqual(
          [...book.keys],
          ticks.map(([tick]) => Number(tick)),
        );
      }
    }),
  );

  it.effect(
    "takes the fees as they are charged, each direction's own, and small numbers as numbers too",
    Effect.fnUntraced(function* () {
      const market = soundFamilies();
      const state = { ...market.pools[0]!.state, tickSpacing: 60, tick: 0, lpFee: 500 };
      market.pools[0] = { ...market.pools[0]!, state };
      const block = yield* loaded(market);
      const open = opened(block);
      const fees = market.pools.map((_, place) => {
        const { family, pool } = poolAt(open, block, place);
        return [family.feePips(pool, 0, 1), family.feePips(pool, 1, 0)];
      });
      // 2048500 is 500 in the high bits and 500 in the low ones; 500 + 500 - 0.25.
      assert.deepStrictEqual(fees, [
        [1_000, 1_000],
        [500, 500], // the last update's
        [2_500, 2_500],
        [111, 111],
        [2_500, 2_500],
        [500, 500],
      ]);
    }),
  );

  it.effect(
    "knows pools by address, by an id of 32 bytes or by a label",
    Effect.fnUntraced(function* () {
      const { graph } = opened(yield* loaded(soundFamilies()));
      const pool = graph.findPool(V4_ID)!;
      assert.strictEqual(graph.poolId(pool), V4_ID);
      assert.strictEqual(graph.poolAddress(pool), V4_ID.slice(0, 42));
      assert.strictEqual(graph.poolId(graph.findPool(SLIPSTREAM)!), undefined);
      assert.strictEqual(graph.livePoolCount, 6);
    }),
  );

  it.effect(
    "has pools of any kind with an id of 32 bytes",
    Effect.fnUntraced(function* () {
      const market = soundFamilies();
      market.pools = market.pools.map((pool, at) => ({ ...pool, id: `0x${`0${at}`.repeat(32)}` }));
      const block = yield* loaded({ ...market, updates: [] });
      const { graph } = opened(block);
      for (const { id } of market.pools) assert.strictEqual(graph.poolId(graph.findPool(id)!), id);
    }),
  );

  it.effect(
    "names the DEX of a kind where its pools name none",
    Effect.fnUntraced(function* () {
      const dexesOn = Effect.fnUntraced(function* (chainId: number) {
        const { dexes } = yield* loaded({ ...soundFamilies(), chainId });
        return dexes.map(({ id, name, protocol, factory }) =>
          [id, name, protocol, factory.slice(0, 8)].join(", "),
        );
      });
      assert.deepStrictEqual(yield* dexesOn(1), [
        "UNISWAP_V4, Uniswap V4, uniswap-v4, 0x000000",
        "SLIPSTREAM, Slipstream, slipstream, 0x000000",
        "PANCAKESWAP_V3, PancakeSwap V3, concentrated-liquidity, 0x0bfbcf",
        "ALGEBRA_INTEGRAL, Algebra Integral, algebra-integral, 0x000000",
        "PANCAKESWAP_V2, PancakeSwap V2, constant-product, 0x109705",
        "AERODROME, Aerodrome, aerodrome, 0x000000",
      ]);
      assert.deepStrictEqual(yield* dexesOn(8453), [
        "UNISWAP_V4, Uniswap V4, uniswap-v4, 0x498581",
        "SLIPSTREAM, Slipstream, slipstream, 0x5e7bb1",
        "PANCAKESWAP_V3, PancakeSwap V3, concentrated-liquidity, 0x0bfbcf",
        "ALGEBRA_INTEGRAL, Algebra Integral, algebra-integral, 0x000000",
        "PANCAKESWAP_V2, PancakeSwap V2, constant-product, 0x000000",
        "AERODROME, Aerodrome, aerodrome, 0x420dd3",
      ]);
    }),
  );

  it.effect(
    "takes updates with the state by itself or under its key, repeating what never changes or not",
    Effect.fnUntraced(function* () {
      const { tickSpacing, ...changing } = ticksState();
      const forms = [
        { ...ticksState(), fee: "777" },
        { ...changing, fee: 777 },
        { state: { ...changing, fee: "777" } },
        { state: { ...changing, tickSpacing: Number(tickSpacing), fee: "777" } },
      ];
      for (const form of forms) {
        const market = soundFamilies();
        market.updates[0]!.pools = { [SLIPSTREAM]: form, [V4_ID]: market.pools[0]!.state };
        const block = yield* loaded(market);
        const { family, pool } = poolAt(opened(block), block, 1);
        assert.strictEqual(family.feePips(pool, 1, 0), 777);
        assert.strictEqual(block.stamp.number, 101);
      }
    }),
  );
});

/** The balances of a pool of Balancer, but for its own token; V3's are told at their rates. */
function heldIn(state: Readonly<Record<string, unknown>>): ReadonlyArray<bigint> {
  const texts = (state["balances"] ?? state["balances18"]) as ReadonlyArray<string>;
  const factors = state["scalingFactors"] as ReadonlyArray<string>;
  const rates = state["rates"] as ReadonlyArray<string> | undefined;
  return texts.map((text, at) => {
    if (rates === undefined) return `${at}` === state["bptIndex"] ? 0n : BigInt(text);
    const factor = BigInt(factors[at]!) * BigInt(rates[at]!);
    return (BigInt(text) * 10n ** 18n + factor - 1n) / factor;
  });
}

const loaded = Effect.fnUntraced(function* (market: unknown) {
  const path = join(folder, "market.json");
  writeFileSync(path, JSON.stringify(market));
  const source = yield* marketFile(path);
  const blocks: ReadonlyArray<MarketBlock> = yield* Stream.runCollect(source.blocks);
  return blocks[0]!;
});

function opened(block: MarketBlock) {
  const market = openMarket(1, curves);
  assert.deepStrictEqual(market.writer.applyBlock(block).rejected, []);
  return market;
}

/** The pool at a place of the file. */
function poolAt({ graph, families }: ReturnType<typeof opened>, block: MarketBlock, at: number) {
  const pool = graph.findPool(block.pools[at]!.address)!;
  return { pool, family: families[graph.poolCurve[pool]!]! };
}
