import type { Address } from "@millrace/core";
import fc from "fast-check";
import { solidlyPool } from "./arbitrarySolidlyPool.ts";
import { anyWidth, arbitraryTicks } from "./arbitraryTicks.ts";
import type { ConcentratedPool } from "./concentratedLiquidity.ts";
import { type ConstantProductPool, RESERVE_MAX } from "./constantProduct.ts";
import { type ExactSwap, exactSwap } from "./exactSwap.ts";
import type { FamilyPool, PlainPool } from "./plainMarket.ts";
import type { PlainRequest } from "./plainRequest.ts";
import { StepCache } from "./StepCache.ts";

/** Random sound pools and tiny markets of them, biased towards where arithmetic breaks. */

const feePips = fc.constantFrom(0, 1, 100, 500, 2500, 3000, 10_000, 500_000, 999_999);

const constantProductPool: fc.Arbitrary<ConstantProductPool> = fc
  .constantFrom("feeInside" as const, "feeFirst" as const)
  .chain((rule) => {
    const max = RESERVE_MAX[rule];
    const reserve = fc.oneof(
      { weight: 3, arbitrary: fc.bigInt({ min: 10n ** 9n, max: 10n ** 24n }) },
      { weight: 3, arbitrary: fc.bigInt({ min: 1n, max: 1_000n }) },
      { weight: 2, arbitrary: anyWidth(112) },
      { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 1_000n }).map((room) => max - room) },
      { weight: 1, arbitrary: fc.constant(0n) },
    );
    return fc.record({ feePips, rule: fc.constant(rule), reserve0: reserve, reserve1: reserve });
  });

/** Uniswap V3 as likely as the other two together. */
const concentratedPool: fc.Arbitrary<ConcentratedPool> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(arbitraryTicks([1, 10, 60, 200, 2_000, 16_383]), feePips)
      .map(([ticks, fee]) => ({ ...ticks, feePips: fee })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(arbitraryTicks([1, 60, 32_767]), feePips, fc.nat(1_000), fc.nat(1_000))
      .map(([ticks, fee, low, high]) => {
        // Both fees together would take the whole input.
        const protocolFee = fee === 999_999 ? 0 : low + 2 ** 12 * high;
        return { ...ticks, feePips: fee, contract: "uniswapV4" as const, protocolFee };
      }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(arbitraryTicks([1, 60, 500]), feePips).map(([ticks, fee]) => ({
      ...ticks,
      feePips: fee,
      contract: "algebraIntegral" as const,
    })),
  },
);

/** A pool of a family between two numbered tokens; `id` makes it unique. */
export function poolOf(
  family: PlainPool["family"],
  id: number,
  token0: number,
  token1: number,
): fc.Arbitrary<PlainPool> {
  const listing = listingOf(id, token0, token1);
  return family === "constantProduct"
    ? constantProductPool.map((state) => ({
        ...listing,
        ...state,
        family,
        dexId: `PRODUCT_${id % 2}`,
      }))
    : concentratedPool.map((state) => ({
        ...listing,
        ...state,
        family,
        dexId: `CONCENTRATED_${id % 2}`,
      }));
}

/** A Solidly stable pool between the first two tokens. */
export const stablePool: fc.Arbitrary<FamilyPool> = solidlyPool.map((state) => ({
  ...listingOf(0, 0, 1),
  ...state,
  family: "solidlyStable",
  dexId: "SOLIDLY",
}));

/** Three to six tokens and up to ten pools between them, parallel ones included. */
export const tinyMarket: fc.Arbitrary<ReadonlyArray<PlainPool>> = fc
  .record({
    tokenCount: fc.integer({ min: 3, max: 6 }),
    links: fc.array(
      fc.record({
        family: fc.constantFrom("constantProduct" as const, "concentratedLiquidity" as const),
        from: fc.nat(5),
        to: fc.nat(4),
      }),
      { minLength: 1, maxLength: 10 },
    ),
  })
  .chain(({ tokenCount, links }) =>
    fc.tuple(
      ...links.map(({ family, from, to }, id) => {
        const token0 = from % tokenCount;
        const token1 = (token0 + 1 + (to % (tokenCount - 1))) % tokenCount;
        return poolOf(family, id, token0, token1);
      }),
    ),
  );

/** Requests on a market, biased towards dust, pool limits and powers of two. */
export function requestsOn(
  pools: ReadonlyArray<PlainPool>,
  count: number,
): fc.Arbitrary<ReadonlyArray<PlainRequest>> {
  const tokens = [...new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]))];
  const limits = pools.flatMap((pool) => [true, false].flatMap((down) => limitsOf(pool, down)));
  const dexIds = [...new Set(pools.map(({ dexId }) => dexId))];
  const amount = fc.oneof(
    fc.bigInt({ min: 1n, max: 20n }),
    fc
      .constantFrom(...limits, 1n)
      .chain((limit) => fc.bigInt({ min: -2n, max: 2n }).map((offset) => limit + offset)),
    fc.constantFrom(112n, 128n, 255n).map((bits) => 1n << bits),
    fc.bigInt({ min: 1n, max: 10n ** 24n }),
    anyWidth(256),
  );
  const filter = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record({ onlyDexes: fc.subarray(dexIds) }) },
    { weight: 1, arbitrary: fc.record({ withoutDexes: fc.subarray(dexIds) }) },
    {
      weight: 1,
      arbitrary: fc.record({ withoutPools: fc.subarray(pools.map(({ address }) => address)) }),
    },
  );
  const request = fc
    .record({
      ends: fc.shuffledSubarray(tokens, { minLength: 2, maxLength: 2 }),
      kind: fc.constantFrom("exactIn" as const, "exactOut" as const),
      amount: amount.map((value) => (value < 1n ? 1n : value)),
      maxHops: fc.integer({ min: 1, max: 4 }),
      filter,
    })
    .map(({ ends: [tokenIn, tokenOut], kind, amount, maxHops, filter }) => ({
      tokenIn: tokenIn!,
      tokenOut: tokenOut!,
      kind,
      amount,
      maxHops,
      ...filter,
    }));
  return fc.array(request, { minLength: count, maxLength: count });
}

/** The largest input and the largest output of a pool. */
export function limitsOf(pool: FamilyPool, zeroForOne: boolean): bigint[] {
  if (pool.family === "concentratedLiquidity") {
    const { in: most, out } = new StepCache(pool, zeroForOne).capacity();
    return [most, out];
  }
  const [reserveIn, reserveOut] = zeroForOne
    ? [pool.reserve0, pool.reserve1]
    : [pool.reserve1, pool.reserve0];
  const swap = exactSwap(pool, zeroForOne);
  const rule = pool.family === "constantProduct" ? pool.rule : "feeFirst";
  let most = RESERVE_MAX[rule] - reserveIn;
  if (pool.family === "solidlyStable") most = mostTaken(swap, most);
  return [most, swap("exactIn", most)?.out ?? reserveOut - 1n];
}

/** By bisection up to `end`: an input that is accepted while one unit more is not. */
function mostTaken(swap: ExactSwap, end: bigint): bigint {
  if (swap("exactIn", end) !== undefined) return end;
  let [taken, refused] = [0n, end];
  while (refused - taken > 1n) {
    const middle = (taken + refused) / 2n;
    if (swap("exactIn", middle) === undefined) refused = middle;
    else taken = middle;
  }
  return taken;
}

function listingOf(id: number, token0: number, token1: number) {
  return {
    address: numberedAddress(0xbb, id),
    token0: tokenAddress(token0),
    token1: tokenAddress(token1),
  };
}

function tokenAddress(token: number): Address {
  return numberedAddress(0xaa, token);
}

function numberedAddress(kind: number, number: number): Address {
  return `0x${kind.toString(16)}${number.toString(16).padStart(38, "0")}`;
}
