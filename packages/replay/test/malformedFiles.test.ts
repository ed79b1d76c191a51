import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { type MarketBlock, openMarket } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { law } from "@millrace/testing";
import { Effect, Exit, Stream } from "effect";
import fc from "fast-check";
import { marketFile } from "../src/index.ts";
import { CASES } from "./malformedCases.ts";
import { FAMILY_CASES, soundFamilies } from "./soundFamilies.ts";
import { set, soundMarket, TOKEN_B } from "./soundMarket.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "market-file-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

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

  it.effect.each(FAMILY_CASES)(
    "of further families with %s is refused, and the fault is named with its place",
    Effect.fnUntraced(function* ([, spoil, ...expected]) {
      const market = soundFamilies();
      spoil(market);
      const error = yield* refused(JSON.stringify(market));
      assert.strictEqual(error.reason, "Malformed");
      for (const part of expected) assert.include(error.detail, part);
      for (const line of error.detail.split("\n")) assert.isBelow(line.length, 300);
    }),
  );

  it.effect(
    "never throws, whatever stands in one of its places",
    Effect.fnUntraced(function* () {
      const spoiled = fc.tuple(
        fc.constantFrom(soundFamilies, soundMarket),
        fc.nat(),
        fc.oneof(fc.jsonValue(), fc.constantFrom(...NASTY)),
      );
      const cases = fc.sample(spoiled, law("market files with a place spoiled", 200).options);
      for (const [sound, at, value] of cases) {
        const market = sound();
        const places = placesOf(market);
        const [holder, key] = places[at % places.length]!;
        set(holder, key, value);
        const path = join(folder, "market.json");
        writeFileSync(path, JSON.stringify(market));
        const exit = yield* Effect.exit(marketFile(path));
        // Another value may be as sound; then the market is one that an engine takes.
        assert.isFalse(Exit.hasDies(exit));
        if (Exit.isFailure(exit)) continue;
        const [block] = yield* Stream.runCollect(exit.value.blocks);
        const { rejected } = openMarket(exit.value.chainId, curves).writer.applyBlock(block!);
        assert.deepStrictEqual(rejected, []);
      }
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
      assert.deepStrictEqual(openMarket(1, curves).writer.applyBlock(block).rejected, []);
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

const NASTY = [null, "", "-0", "1e9", "9".repeat(400), -1, 2 ** 53, 0.5, [], [[]], {}, true];

/** Every place of a JSON value, with what holds it. */
function placesOf(value: object): Array<readonly [holder: object, key: string]> {
  return Object.entries(value).flatMap(([key, inner]) => [
    [value, key] as const,
    ...(typeof inner === "object" && inner !== null ? placesOf(inner) : []),
  ]);
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
