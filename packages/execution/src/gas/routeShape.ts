/** How many of what a route has. */
export interface RouteShape {
  readonly pathCount: number;
  readonly hopCount: number;
  /** Each pool counted once, however many paths use it. */
  readonly poolCount: number;
}

/**
 * The shape of steps in the order of execution; a step from the first one's token begins a path.
 */
export function routeShape(
  steps: ReadonlyArray<{ readonly pool: unknown; readonly tokenIn: unknown }>,
): RouteShape {
  let pathCount = 0;
  for (const { tokenIn } of steps) if (tokenIn === steps[0]!.tokenIn) pathCount++;
  const hopCount = steps.length;
  // No path uses a pool twice.
  const poolCount = pathCount < 2 ? hopCount : new Set(steps.map(({ pool }) => pool)).size;
  return { pathCount, hopCount, poolCount };
}
