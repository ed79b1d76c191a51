import {
  type Address,
  type Curve,
  ESTIMATE_ERROR,
  isZeroForOne,
  NO_HASH,
  PIECE_STRIDE,
  REFUSED,
} from "@millrace/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type FamilyUnderTest, graphBytes } from "./FamilyUnderTest.ts";
import { familyCases, PAIR } from "./familyCases.ts";
import { budget, surely } from "./Law.ts";
import type { OpenPool } from "./reference/openPool.ts";

const RUNS = budget(70);
const PIPS = 1_000_000;
/** The input that moves the price of x·y = k by 2 %, in parts of x. */
const DEPTH_FACTOR = 1 / Math.sqrt(0.98) - 1;

/** What every curve must fulfil, tested on its random pools. */
export function describeCurve<Pool extends { readonly address: Address }>(
  curve: Curve,
  family: FamilyUnderTest<Pool>,
): void {
  const { open: openPool } = family;
  const { directionsOf, limitsOf, poolAfter, sharedPool, always } = familyCases(
    `pools of the family ${curve.name}`,
    family,
  );
  const encodedWords = (pool: Pool) => [...family.stateOf(pool).words];
  const stateWords = ({ open: { graph }, index }: OpenPool) => {
    const start = graph.poolStateStart[index]!;
    const count = graph.poolTokenCount[index]!;
    return [...graph.stateWords.slice(start, start + curve.stateWords(count))];
  };

  it("quote what the contract would, to the wei, or refuse as it does", () => {
    always((pool, direction, amount) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      const given = poolAfter(pool, direction, "exactIn", amount)?.amountOut;
      expect(quotes.quoteExactIn(index, from, to, amount)).toBe(given ?? REFUSED);
      const asked = poolAfter(pool, direction, "exactOut", amount)?.amountIn;
      expect(quotes.quoteExactOut(index, from, to, amount)).toBe(asked ?? REFUSED);
    });
  });

  it("change no byte of the graph when they are asked", () => {
    always((pool, direction, amount) => {
      const { open, family: asked, index } = sharedPool(pool);
      const [from, to] = direction;
      const before = graphBytes(open);
      for (const ask of [asked.quoteExactIn, asked.quoteExactOut]) ask(index, from, to, amount);
      for (const ask of [asked.swapExactIn, asked.swapExactOut]) ask(index, from, to, amount);
      asked.estimateExactIn(index, from, to, Number(amount));
      asked.estimateExactOut(index, from, to, Number(amount));
      for (const ask of [asked.capacityIn, asked.midPrice, asked.depth]) ask(index, from, to);
      asked.leadingPiece(index, from, to, new Float64Array(PIECE_STRIDE), 0);
      asked.tokenAmounts(index);
      asked.priceAndLiquidity(index);
      expect(graphBytes(open)).toBe(before);
    });
  });

  it("give no less for more, and refuse what is more than something refused", () => {
    always((pool, direction, amount, other) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      const [less, more] = amount < other ? [amount, other] : [other, amount];
      const unevenness = family.unevenness?.(pool, isZeroForOne(from), direction) ?? 0;
      for (const quote of [quotes.quoteExactIn, quotes.quoteExactOut]) {
        const forLess = quote(index, from, to, less);
        const forMore = quote(index, from, to, more);
        if (forLess !== REFUSED && forMore !== REFUSED) {
          const uneven =
            quote === quotes.quoteExactIn
              ? unevenness
              : (family.ownOutputs?.(pool, isZeroForOne(from), more).unevenness ?? 0);
          expect(Number(forLess - forMore)).toBeLessThanOrEqual(uneven);
        } else if (family.unevenness === undefined) expect(forMore).toBe(REFUSED);
      }
    });
  });

  it("give at least the output for the input that they ask for it", () => {
    always((pool, direction, amount) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      const asked = quotes.quoteExactOut(index, from, to, amount);
      if (asked === REFUSED) return;
      expect(asked).toBeGreaterThanOrEqual(1n);
      const own = family.ownOutputs?.(pool, isZeroForOne(from), amount);
      const given = quotes.quoteExactIn(index, from, to, asked);
      if (own !== undefined && given === REFUSED) return;
      expect(Number(amount - given)).toBeLessThanOrEqual(own?.shortfall ?? 0);
      const slack = family.slack(pool);
      if (slack === undefined || asked <= slack) return;
      expect(quotes.quoteExactIn(index, from, to, asked - slack)).toBeLessThan(amount);
    });
  });

  it("usually take no less gas than the least of the family", () => {
    always((pool, direction, amount) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      if (quotes.quoteExactIn(index, from, to, amount) === REFUSED) return;
      expect(quotes.typicalGas(index, from, to, amount)).toBeGreaterThanOrEqual(quotes.leastGas);
    });
  });

  it("refuse amounts that no pool can take or give", () => {
    always((pool, direction) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      for (const amount of [1n << 255n, (1n << 256n) - 1n]) {
        expect(quotes.quoteExactIn(index, from, to, amount)).toBe(REFUSED);
        expect(quotes.quoteExactOut(index, from, to, amount)).toBe(REFUSED);
      }
    });
  });

  it("swap as they quote, leave the state that the contract leaves, and quote from it", () => {
    always((pool, direction, amount, next) => {
      const [from, to] = direction;
      for (const kind of ["exactIn", "exactOut"] as const) {
        const opened = openPool(pool);
        const { family: swaps, index, open } = opened;
        const swap =
          kind === "exactIn"
            ? swaps.swapExactIn(index, from, to, amount)
            : swaps.swapExactOut(index, from, to, amount);
        const truth = poolAfter(pool, direction, kind, amount);
        // A swap that gives nothing counts as refused.
        const expected = truth?.amountOut === 0n ? undefined : truth;
        expect(swap && { in: swap.amountIn, out: swap.amountOut }).toEqual(
          expected && { in: expected.amountIn, out: expected.amountOut },
        );
        if (swap === undefined || expected === undefined) continue;
        open.writer.applySwap(swap);
        expect(stateWords(opened)).toEqual(encodedWords(expected.after));
        for (const nextDirection of directionsOf(pool)) {
          const [nextFrom, nextTo] = nextDirection;
          const swapped = poolAfter(expected.after, nextDirection, "exactIn", next);
          const after = swapped?.amountOut ?? REFUSED;
          expect(swaps.quoteExactIn(index, nextFrom, nextTo, next)).toBe(after);
          const fresh = openPool(expected.after);
          expect(swaps.estimateExactIn(index, nextFrom, nextTo, Number(next))).toBe(
            fresh.family.estimateExactIn(fresh.index, nextFrom, nextTo, Number(next)),
          );
        }
      }
    });
  });

  it("estimate no less output than any amount up to the asked one gives", () => {
    always((pool, direction, amount, other) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      const [less, more] = amount < other ? [amount, other] : [other, amount];
      for (const accepted of [less, more]) {
        const given = quotes.quoteExactIn(index, from, to, accepted);
        const bound = quotes.estimateExactIn(index, from, to, Number(more)) * (1 + ESTIMATE_ERROR);
        expect(bound).toBeGreaterThanOrEqual(Number(given));
      }
    });
  });

  it("estimate no more input than any output from the asked one up costs", () => {
    always((pool, direction, amount, other) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      const [less, more] = amount < other ? [amount, other] : [other, amount];
      for (const wanted of [less, more]) {
        const asked = quotes.quoteExactOut(index, from, to, wanted);
        if (asked === REFUSED) continue;
        const bound = quotes.estimateExactOut(index, from, to, Number(less)) * (1 - ESTIMATE_ERROR);
        expect(bound).toBeLessThanOrEqual(Number(asked));
      }
    });
  });

  it("have a leading piece that is the estimate up to its limit, and a rate that none exceeds", () => {
    always((pool, direction, amount) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      const written = new Float64Array(PIECE_STRIDE + 2).fill(7);
      quotes.leadingPiece(index, from, to, written, 1);
      expect([written[0], written.at(-1)]).toEqual([7, 7]);
      const [x, y, limit, bonus] = [written[1]!, written[2]!, written[3]!, written[4]!];
      expect(Math.min(x, y, limit, bonus)).toBeGreaterThanOrEqual(0);
      const end = Math.min(limit, 2 ** 256);
      for (const part of end === 0 ? [] : [1e-9, 0.01, 0.5, 0.999, 1]) {
        const raised = end * part + bonus;
        const estimate = quotes.estimateExactIn(index, from, to, end * part);
        const inline = (y * raised) / (x + raised);
        expect(inline - estimate).toBeGreaterThanOrEqual(-2 * ESTIMATE_ERROR * estimate);
        // The line that approximates a smooth curve gives a little more at its end.
        if (family.isSmooth && bonus > limit * 2 ** -14) continue;
        const more = family.isSmooth ? 2 ** -13 : 2 * ESTIMATE_ERROR;
        expect(inline - estimate).toBeLessThanOrEqual(more * estimate);
      }
      const given = quotes.quoteExactIn(index, from, to, amount);
      if (given <= 0n || x === 0) return;
      const atFirstRate = (y * (Number(amount) + bonus)) / x;
      expect(Number(given)).toBeLessThanOrEqual(atFirstRate * (1 + ESTIMATE_ERROR));
    });
  });

  it("take nothing above their capacity", () => {
    always((pool, direction, amount) => {
      const { family: quotes, index } = sharedPool(pool);
      const [from, to] = direction;
      const capacity = quotes.capacityIn(index, from, to);
      for (const tried of [amount, limitsOf(pool, direction)[0]!]) {
        if (tried < 1n || quotes.quoteExactIn(index, from, to, tried) === REFUSED) continue;
        expect(capacity).toBeGreaterThanOrEqual(Number(tried));
      }
    });
  });

  const depthLaw = family.isLinear ? "is all that they take" : "moves the price by 2 %";
  it(`have a depth that ${depthLaw}`, () => {
    let moved = 0;
    always((anyPool, direction) => {
      const pool = family.cheap(anyPool);
      const opened = openPool(pool);
      const { family: quotes, index, open } = opened;
      const [from, to] = direction;
      const before = quotes.midPrice(index, from, to);
      const depth =
        quotes.depth(index, from, to) / (1 - opened.family.feePips(index, from, to) / PIPS);
      expect(depth).toBeGreaterThanOrEqual(0);
      if (family.isLinear) {
        const most = limitsOf(pool, direction)[0]!;
        expect(Math.abs(depth - Number(most))).toBeLessThanOrEqual(depth * ESTIMATE_ERROR);
        moved++;
        return;
      }
      // Where one unit is a noticeable part of the depth, rounding moves the price too.
      if (depth < 1e8) return;
      const less = quotes.swapExactIn(index, from, to, BigInt(Math.floor(depth * 0.98)));
      const more = quotes.swapExactIn(index, from, to, BigInt(Math.floor(depth * 1.02)));
      if (less === undefined || more === undefined || less.amountOut < 10n ** 8n) return;
      open.writer.applySwap(less);
      const after = quotes.midPrice(index, from, to);
      // The swap left almost nothing of a token, where there is no estimate.
      if (after === 0) return;
      expect(after / before).toBeGreaterThan(0.979);
      open.writer.applySwap(more);
      expect(quotes.midPrice(index, from, to) / before).toBeLessThan(0.981);
      moved++;
    });
    expect(moved).toBeGreaterThanOrEqual(surely(RUNS / 20));
  });

  it("hold at least what can be drawn from them", () => {
    always((pool, direction) => {
      const { family: quotes, index } = sharedPool(pool);
      const held = quotes.tokenAmounts(index);
      expect(held).toHaveLength(new Set(directionsOf(pool).flat()).size);
      const [from, to] = direction;
      if (to === family.mints) {
        expect(held[to]).toBe(0n);
        return;
      }
      const mostOut = limitsOf(pool, direction)[1]!;
      expect(held[from]).toBeGreaterThanOrEqual(0n);
      if (mostOut < 1n || quotes.quoteExactOut(index, from, to, mostOut) === REFUSED) return;
      expect(held[to]).toBeGreaterThanOrEqual(mostOut);
    });
  });

  it("tell √price and liquidity, the equivalent ones where the state has none", () => {
    always((pool) => {
      const { family: quotes, index } = sharedPool(pool);
      const { sqrtPriceX96, liquidity } = quotes.priceAndLiquidity(index);
      if (family.priceAndLiquidity !== undefined) {
        expect([sqrtPriceX96, liquidity]).toEqual(family.priceAndLiquidity(pool));
        return;
      }
      const price = quotes.midPrice(index, 0, 1);
      expect((Number(sqrtPriceX96) / 2 ** 96) ** 2 / (price || 1)).toBeCloseTo(price > 0 ? 1 : 0);
      const depth = (Number(liquidity) / Math.sqrt(price || 1)) * DEPTH_FACTOR;
      if (depth > 1e6 && liquidity > 1_000n)
        expect(quotes.depth(index, 0, 1) / depth).toBeCloseTo(1);
    });
  });

  it.each(family.impossible)("are refused with %s", (_, pool) => {
    expect(curve.check(family.shapeOf(pool), family.stateOf(pool))).toBeTypeOf("string");
    expect(() => openPool(pool)).toThrow("left out");
  });

  it("are refused with other numbers of tokens than they have", () => {
    const [first] = fc.sample(family.pool, { seed: 1, numRuns: 1 });
    const shape = family.shapeOf(first!);
    // Pools of many tokens may have up to eight.
    const tooMany = family.directions === undefined ? shape.decimals.length + 1 : 9;
    for (const tokenCount of [1, tooMany]) {
      const decimals = new Array<number>(tokenCount).fill(18);
      expect(curve.check({ ...shape, decimals }, undefined)).toBeTypeOf("string");
    }
  });

  it("quote nothing after a block has brought an impossible state", () => {
    const [sound] = fc
      .sample(family.pool, { seed: 2, numRuns: 500 })
      .filter((pool) => family.isNarrow?.(pool) ?? true)
      .filter((pool) => (poolAfter(pool, PAIR[0]!, "exactIn", 10n ** 6n)?.amountOut ?? 0n) > 0n);
    const { open, family: quotes, index } = openPool(sound!);
    expect(quotes.quoteExactIn(index, 0, 1, 10n ** 6n)).toBeGreaterThan(0n);
    // All bits set: no pool has such a state.
    const tokenCount = open.graph.poolTokenCount[index]!;
    const words = new BigUint64Array(curve.stateWords(tokenCount)).fill(2n ** 64n - 1n);
    const { rejected } = open.writer.applyBlock({
      stamp: { number: 2, hash: NO_HASH, timestampMs: 0 },
      dexes: [],
      tokens: [],
      pools: [],
      removedPools: [],
      states: [{ pool: sound!.address, state: { words } }],
      swaps: [],
      supplies: [],
    });
    expect(rejected.map(({ what }) => what)).toEqual(["state"]);
    expect(quotes.quoteExactIn(index, 0, 1, 10n ** 6n)).toBe(REFUSED);
    expect(quotes.midPrice(index, 0, 1)).toBe(0);
  });
}

export { amountFor, type FamilyUnderTest, positions } from "./FamilyUnderTest.ts";
