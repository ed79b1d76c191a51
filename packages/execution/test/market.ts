import {
  type Address,
  NO_HASH,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type Quote,
  recomputeRoute,
} from "@millrace/core";
import {
  curves,
  encodeConcentrated,
  encodeReserves,
  FEE_FIRST,
  FEE_INSIDE,
} from "@millrace/protocols";
import type { ReviewTerms } from "../src/review/ReviewTerms.ts";
import type { SwapOrder } from "../src/SwapOrder.ts";
import type { RouterTable } from "../src/SwapRouter.ts";

/** The n-th address of a test. */
export function address(n: number): Address {
  return `0x${(0xabc0_0000 + n).toString(16).padStart(40, "1")}`;
}

/** Token n, 0 … 4; 0 is the wrapped native one. */
export const token = (n: number): Address => address(n);
export const WRAPPED = token(0);
export const SENDER = address(0x900);
export const PARTNER = address(0x901);
export const FRIEND = address(0x902);
export const NOW_SECONDS = 1_800_000_000;

const TOKEN_COUNT = 5;
const DEXES = [
  { id: "UNISWAP_V2", protocol: "constant-product", feePips: 3_000, parameter: FEE_INSIDE },
  { id: "UNISWAP_V3", protocol: "concentrated-liquidity", feePips: 500, parameter: 10 },
  { id: "OTHER_V2", protocol: "constant-product", feePips: 2_500, parameter: FEE_INSIDE },
  { id: "OTHER_FIRST", protocol: "constant-product", feePips: 300, parameter: FEE_FIRST },
] as const;
export type DexId = (typeof DEXES)[number]["id"];

/** The pool of two tokens on a dex; each dex has one of every two. */
export function pool(dex: DexId, one: number, other: number): Address {
  const place = DEXES.findIndex(({ id }) => id === dex);
  const [low, high] = one < other ? [one, other] : [other, one];
  return address(0x100 + 0x40 * place + 8 * low + high);
}

/** All tokens are worth about the same; every pool holds about a million of each. */
export function testMarket(): OpenMarket {
  const market = openMarket(1, curves);
  const listings = DEXES.flatMap((dex) =>
    pairs().map(([low, high]) => ({
      address: pool(dex.id, low, high),
      dexId: dex.id,
      tokens: [token(low), token(high)],
      feePips: dex.feePips,
      parameter: dex.parameter,
    })),
  );
  const { rejected } = market.writer.applyBlock({
    stamp: { number: 77, hash: NO_HASH, timestampMs: NOW_SECONDS * 1_000 },
    dexes: DEXES.map(({ id, protocol }) => ({ id, name: id, protocol, factory: address(0xfff) })),
    tokens: Array.from({ length: TOKEN_COUNT }, (_, n) => ({
      ...{ address: token(n), decimals: 18, symbol: `T${n}`, name: `Token ${n}` },
    })),
    pools: listings,
    removedPools: [],
    states: listings.map((listing, place) => ({
      pool: listing.address,
      state:
        listing.dexId === "UNISWAP_V3"
          ? concentrated(place)
          : encodeReserves([reserve(3 * place), reserve(5 * place)]),
    })),
    swaps: [],
    supplies: [],
  });
  if (rejected.length > 0) throw new Error(JSON.stringify(rejected));
  return market;
}

function pairs(): ReadonlyArray<readonly [number, number]> {
  const numbers = Array.from({ length: TOKEN_COUNT }, (_, n) => n);
  return numbers.flatMap((low) => numbers.slice(low + 1).map((high) => [low, high] as const));
}

const reserve = (n: number): bigint => 10n ** 24n + (BigInt(n) % 17n) * 10n ** 21n + BigInt(n);

const concentrated = (n: number) => {
  const liquidity = 4n * 10n ** 24n + BigInt(n) * 10n ** 20n;
  return encodeConcentrated({
    ...{ sqrtPriceX96: 1n << 96n, tick: 0, liquidity },
    ticks: [
      [-20_000, liquidity],
      [20_000, -liquidity],
    ],
  });
};

export const TABLE: RouterTable = {
  chainId: 1,
  wrappedNative: WRAPPED,
  executor: address(0x800),
  universalRouter: {
    address: address(0x801),
    version: "2.0",
    permit2: address(0x802),
    v2DexId: "UNISWAP_V2",
    v3DexId: "UNISWAP_V3",
  },
};

export function testTerms(market: OpenMarket): ReviewTerms {
  const { address: universal, permit2 } = TABLE.universalRouter!;
  return {
    engine: {
      graph: market.graph,
      familyOf: (pool) => market.families[market.graph.poolCurve[pool]!]!,
      recompute: (route) => recomputeRoute(market, route),
    },
    wrappedNative: WRAPPED,
    forbiddenRecipients: new Set([TABLE.executor!, universal, permit2]),
    nowSeconds: NOW_SECONDS,
  };
}

/** A hop of a path that is given: which dex, and from which token to which. */
export type Hop = readonly [dex: DexId, from: number, to: number];

/** The order of a client who was quoted what these paths give now, of a thousand tokens each. */
export function orderOf(
  market: OpenMarket,
  paths: ReadonlyArray<ReadonlyArray<Hop>>,
  { kind = "exactIn", ...terms }: Partial<SwapOrder> = {},
): SwapOrder {
  const { graph } = market;
  const route = recomputeRoute(market, {
    kind,
    paths: paths.map((hops, place) => ({
      amount: 10n ** 21n + BigInt(place),
      hops: hops.map(([dex, from, to]) => ({
        pool: graph.findPool(pool(dex, from, to)) as PoolIndex,
        tokenIn: graph.findToken(token(from))!,
        tokenOut: graph.findToken(token(to))!,
      })),
    })),
  });
  if (!route.filled) throw new Error(route.reason);
  return { ...orderOfQuote(market, { ...route, steps: route.paths.flat() }, kind), ...terms };
}

/** The order of a client who sends a quote back as it was. */
function orderOfQuote(
  { graph }: OpenMarket,
  { steps, amountIn, amountOut }: Pick<Quote, "steps" | "amountIn" | "amountOut">,
  kind: SwapOrder["kind"],
): SwapOrder {
  return {
    sender: SENDER,
    tokenIn: graph.tokenAddress(steps[0]!.tokenIn),
    tokenOut: graph.tokenAddress(steps.at(-1)!.tokenOut),
    isNativeIn: false,
    isNativeOut: false,
    ...{ kind, amountIn, amountOut },
    steps: steps.map((step) => ({
      pool: graph.poolAddress(step.pool),
      tokenIn: graph.tokenAddress(step.tokenIn),
      tokenOut: graph.tokenAddress(step.tokenOut),
      amountIn: step.amountIn,
      amountOut: step.amountOut,
    })),
    slippagePpm: 5_000,
  };
}

/** An order's steps without amounts. */
export const bare = ({ steps }: SwapOrder): SwapOrder["steps"] =>
  steps.map(({ pool, tokenIn, tokenOut }) => ({ pool, tokenIn, tokenOut }));
