import {
  type Address,
  type Engine,
  isZeroForOne,
  type PoolGraph,
  type PoolIndex,
  type QuoteStep,
  type TokenIndex,
} from "@millrace/core";
import {
  type CalldataProtocol,
  calldataProtocols,
  legNameOf,
  NATIVE_ADDRESS,
} from "@millrace/protocols";
import type { SwapLeg } from "../SwapIntent.ts";

const PROTOCOLS: ReadonlyMap<string, CalldataProtocol> = new Map(
  calldataProtocols.map((protocol) => [protocol.name, protocol]),
);

/** A step through a pool, as routers encode it. */
export function swapLeg(
  { graph, familyOf }: Pick<Engine["Service"], "graph" | "familyOf">,
  { pool, ...step }: QuoteStep,
): SwapLeg {
  const { tokenIn, tokenOut, amountIn, amountOut } = step;
  const positionIn = graph.poolPosition(pool, tokenIn);
  const positionOut = graph.poolPosition(pool, tokenOut);
  const dex = graph.dexes[graph.poolDex[pool]!]!;
  const protocol = legProtocol(graph, pool);
  const parameter = graph.poolParameter[pool]!;
  const address = graph.poolAddress(pool);
  const key = PROTOCOLS.get(protocol)?.poolKey?.({
    address,
    parameter,
    constants: graph.poolConstants(pool),
  });
  return {
    pool: address,
    dexId: dex.id,
    protocol,
    tokenIn: legToken(graph, pool, tokenIn),
    tokenOut: legToken(graph, pool, tokenOut),
    zeroForOne: isZeroForOne(positionIn),
    ...(graph.poolTokenCount[pool]! > 2 && { positionIn, positionOut }),
    feePips: familyOf(pool).feePips(pool, positionIn, positionOut),
    parameter,
    ...(key !== undefined && { key: { ...key, manager: dex.factory } }),
    amountIn,
    amountOut,
  };
}

/** Whether the key that routers need is missing: see `CalldataProtocol.poolKey`. */
export const lacksKey = ({ protocol, key }: SwapLeg): boolean =>
  key === undefined && PROTOCOLS.get(protocol)?.poolKey !== undefined;

/** `CalldataProtocol.name` of the legs of a pool. */
export function legProtocol(graph: PoolGraph, pool: PoolIndex): string {
  const dex = graph.dexes[graph.poolDex[pool]!]!;
  return legNameOf(dex.protocol, graph.curveNames[graph.poolCurve[pool]!]!);
}

/** A token as the pool itself knows it: the graph may list the native token as wrapped. */
export function legToken(graph: PoolGraph, pool: PoolIndex, token: TokenIndex): Address {
  const address = graph.tokenAddress(token);
  if (graph.poolPosition(pool, token) > 0) return address;
  const { holdsNative } = PROTOCOLS.get(legProtocol(graph, pool)) ?? {};
  return holdsNative?.({ constants: graph.poolConstants(pool) }) ? NATIVE_ADDRESS : address;
}
