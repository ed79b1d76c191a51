import { type CalldataProtocol, calldataProtocols, NATIVE_ADDRESS } from "@millrace/protocols";
import type { RoutedLeg } from "../SwapRouter.ts";

/** Counts of a route's parts. */
export interface RouteShape {
  readonly pathCount: number;
  readonly hopCount: number;
  /** Each pool counted once, however many paths use it. */
  readonly poolCount: number;
  /** Legs whose pool is in the manager of the leg before: one unlock serves both. */
  readonly sharedUnlockCount: number;
  /** Legs before which the amount is wrapped or unwrapped. */
  readonly wrapCount: number;
  /** Paths whose first pool takes the native token itself, and paths whose last one gives it. */
  readonly nativeInCount: number;
  readonly nativeOutCount: number;
  /** Sum over all legs: see `gasBesideCurve` and `gasBehindOthers` of `CalldataProtocol`. */
  readonly gasBesideCurves: number;
}

type ShapedLeg = Pick<RoutedLeg, "pool" | "dexId" | "protocol" | "tokenIn" | "tokenOut">;

const PROTOCOLS: ReadonlyMap<string, CalldataProtocol> = new Map(
  calldataProtocols.map((protocol) => [protocol.name, protocol]),
);

/** The shape of paths that are executed one after the other. */
export function routeShape(
  paths: ReadonlyArray<{ readonly legs: ReadonlyArray<ShapedLeg> }>,
): RouteShape {
  const pathCount = paths.length;
  let hopCount = 0;
  let sharedUnlockCount = 0;
  let wrapCount = 0;
  let nativeInCount = 0;
  let nativeOutCount = 0;
  let gasBesideCurves = 0;
  for (const { legs } of paths) {
    hopCount += legs.length;
    if (legs[0]!.tokenIn === NATIVE_ADDRESS) nativeInCount++;
    if (legs[legs.length - 1]!.tokenOut === NATIVE_ADDRESS) nativeOutCount++;
    for (let place = 0; place < legs.length; place++) {
      const leg = legs[place]!;
      const protocol = PROTOCOLS.get(leg.protocol);
      gasBesideCurves += protocol?.gasBesideCurve ?? 0;
      if (place === 0) continue;
      const before = legs[place - 1]!;
      if (leg.tokenIn !== NATIVE_ADDRESS) gasBesideCurves += protocol?.gasBehindOthers ?? 0;
      if (before.tokenOut !== leg.tokenIn) wrapCount++;
      else if (protocol?.poolKey !== undefined && before.dexId === leg.dexId) sharedUnlockCount++;
    }
  }
  // No path uses a pool twice.
  const poolCount =
    pathCount < 2 ? hopCount : new Set(paths.flatMap(({ legs }) => legs.map(poolOf))).size;
  return {
    pathCount,
    hopCount,
    poolCount,
    sharedUnlockCount,
    wrapCount,
    nativeInCount,
    nativeOutCount,
    gasBesideCurves,
  };
}

const poolOf = ({ pool }: ShapedLeg): string => pool;
