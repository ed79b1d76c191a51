import { type Address, recomputeRoute } from "@millrace/core";
import {
  type BuildResult,
  buildSwap,
  openRouters,
  type RouterTable,
  type SwapOrder,
} from "@millrace/execution";
import { engineMarket, type PlainPool } from "@millrace/testing/reference";
import {
  EXECUTOR,
  NOW_SECONDS,
  PARTNER,
  PERMIT2,
  SENDER,
  swapMarket,
  TABLE,
  TOKENS,
  UNIVERSAL,
  WRAPPED,
} from "./swapMarket.ts";
import { execute } from "./swapModel.ts";

/** The engine with the market of attacks, and the builder on it. */
const market = swapMarket();
const open = engineMarket(market);

export const POOLS: ReadonlyMap<string, PlainPool> = new Map(
  market.pools.map((pool) => [pool.address, pool]),
);

/** The same pools at another time. */
export const LATER_POOLS: typeof POOLS = new Map(
  swapMarket(77).pools.map((pool) => [pool.address, pool]),
);

const { executor: _executor, ...withoutExecutor } = TABLE;
const { universalRouter: _universal, ...withoutUniversal } = TABLE;
/** Both routers, the Universal Router alone, the executor alone. */
export const TABLES: ReadonlyArray<RouterTable> = [TABLE, withoutExecutor, withoutUniversal];

const routersOf = new Map(TABLES.map((table) => [table, openRouters(table)]));

/** A transaction or a refusal, by one of `TABLES`. */
export function build(order: SwapOrder, table: RouterTable = TABLE): BuildResult {
  return buildSwap(order, {
    engine: {
      graph: open.graph,
      familyOf: (pool) => open.families[open.graph.poolCurve[pool]!]!,
      recompute: (route) => recomputeRoute(open, route),
    },
    wrappedNative: WRAPPED,
    forbiddenRecipients: new Set<Address>([EXECUTOR, UNIVERSAL, PERMIT2]),
    nowSeconds: NOW_SECONDS,
    table,
    routers: routersOf.get(table)!,
  });
}

type DexId = "UNISWAP_V2" | "UNISWAP_V3" | "OTHER_V2" | "OTHER_FIRST" | "OTHER_V3";
/** A pool by dex and the numbers of its tokens. */
export type Hop = readonly [dex: DexId, from: number, to: number];

/** Of a dex's pools of two tokens the one with the lowest fee. */
export function poolOf([dex, from, to]: Hop): Address {
  const ends = [TOKENS[from], TOKENS[to]];
  const found = market.pools.find(
    ({ dexId, token0, token1 }) => dexId === dex && ends.includes(token0) && ends.includes(token1),
  );
  return found!.address;
}

/** What a client was quoted for paths of 10^18 units each, with half a percent of slippage. */
export function orderOf(
  paths: ReadonlyArray<ReadonlyArray<Hop>>,
  change: Partial<SwapOrder> = {},
): SwapOrder {
  const { kind = "exactIn" } = change;
  const routes = paths.map((hops) =>
    hops.map((hop) => {
      const [tokenIn, tokenOut] = [TOKENS[hop[1]]!, TOKENS[hop[2]]!];
      return { pool: poolOf(hop), tokenIn, tokenOut };
    }),
  );
  const amounts = paths.map((_, place) => 10n ** 18n + BigInt(place));
  const done = execute(kind, routes, amounts, POOLS);
  if (done === undefined) throw new Error(`a path that gives nothing: ${paths}`);
  return {
    ...{ sender: SENDER, fee: { recipient: PARTNER, bps: 30 } },
    tokenIn: routes[0]![0]!.tokenIn,
    tokenOut: routes[0]!.at(-1)!.tokenOut,
    ...{ isNativeIn: false, isNativeOut: false, kind, slippagePpm: 5_000 },
    ...{ amountIn: done.amountIn, amountOut: done.amountOut },
    steps: routes.flatMap((path, place) => {
      const { inputs, amountOut } = done.paths[place]!;
      return path.map((step, n) => {
        return { ...step, amountIn: inputs[n]!, amountOut: inputs[n + 1] ?? amountOut };
      });
    }),
    ...change,
  };
}
