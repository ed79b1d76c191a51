import { chainSource } from "@millrace/chain";
import {
  type Address,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type Quote,
  recomputeRoute,
} from "@millrace/core";
import { type Devnet, startDevnet } from "@millrace/devnet";
import {
  type BuildResult,
  buildSwap,
  executorCreationCode,
  openRouters,
  type RouterTable,
  type SwapOrder,
} from "@millrace/execution";
import { curves } from "@millrace/protocols";
import { Effect, Stream } from "effect";
import { rpc } from "./rpc.ts";

/** A devnet with our executor, its market, and a sender who builds and sends swaps. */
export interface SwapFixture {
  readonly devnet: Devnet;
  readonly market: OpenMarket;
  /** An account of the devnet; the node signs for it. */
  readonly sender: Address;
  readonly table: RouterTable;
  /** Builds as a server does, without the simulation. */
  readonly build: (order: SwapOrder) => BuildResult;
  /** Builds through these routers only. */
  readonly buildThrough: (order: SwapOrder, table: RouterTable) => BuildResult;
}

/** Seconds between blocks, as on Ethereum, so that no pool was used in the same second before. */
const BLOCK_SECONDS = 12;

export const openSwapFixture = Effect.gen(function* () {
  const deploy = ({ wrappedNative }: { readonly wrappedNative: Address }) => [
    executorCreationCode(wrappedNative),
  ];
  const devnet = yield* startDevnet({ network: "ETH", deploy });
  yield* rpc(devnet.rpcUrl, "anvil_setBlockTimestampInterval", [BLOCK_SECONDS]);
  const market = yield* readMarket(devnet);
  const { contracts } = devnet;
  const table: RouterTable = {
    chainId: devnet.chainId,
    wrappedNative: devnet.wrappedNative,
    executor: devnet.deployed[0]!,
    universalRouter: {
      address: contracts.universalRouter,
      version: "2.0",
      permit2: contracts.permit2,
      v2DexId: "UNISWAP_V2",
      v3DexId: "UNISWAP_V3",
    },
  };
  const terms = {
    engine: {
      graph: market.graph,
      familyOf: (pool: PoolIndex) => market.families[market.graph.poolCurve[pool]!]!,
      recompute: recomputeRoute.bind(undefined, market),
    },
    wrappedNative: devnet.wrappedNative,
    forbiddenRecipients: new Set<string>([devnet.deployed[0]!, contracts.universalRouter]),
    nowSeconds: Math.floor(market.graph.stamp.timestampMs / 1_000),
  };
  const routers = openRouters(table);
  const fixture: SwapFixture = {
    devnet,
    market,
    table,
    sender: devnet.traders[0]!.address.toLowerCase() as Address,
    build: (order) => buildSwap(order, { ...terms, table, routers }),
    buildThrough: (order, through) =>
      buildSwap(order, { ...terms, table: through, routers: openRouters(through) }),
  };
  return fixture;
});

/** The market as it is now; it does not follow the chain. */
const readMarket = Effect.fnUntraced(function* (devnet: Devnet) {
  const market = openMarket(devnet.chainId, curves);
  const source = yield* chainSource({
    chainId: devnet.chainId,
    endpoints: [{ url: devnet.rpcUrl, webSocketUrl: devnet.webSocketUrl }],
    dexes: devnet.dexes,
    admission: { anchors: devnet.anchors, depthFloorUsd: 0, pools: [] },
    multicall: devnet.contracts.multicall3,
    blockTimeMs: devnet.blockTimeMs,
  });
  for (const block of yield* source.blocks.pipe(Stream.take(1), Stream.runCollect)) {
    market.writer.applyBlock(block);
  }
  return market;
}, Effect.scoped);

/** The order that the receiver of a quote would send back. */
export function orderOf(
  { market, sender }: Pick<SwapFixture, "market" | "sender">,
  kind: SwapOrder["kind"],
  quote: Pick<Quote, "amountIn" | "amountOut" | "steps">,
): SwapOrder {
  const { graph } = market;
  const { steps } = quote;
  return {
    sender,
    tokenIn: graph.tokenAddress(steps[0]!.tokenIn),
    tokenOut: graph.tokenAddress(steps.at(-1)!.tokenOut),
    isNativeIn: false,
    isNativeOut: false,
    kind,
    amountIn: quote.amountIn,
    amountOut: quote.amountOut,
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
