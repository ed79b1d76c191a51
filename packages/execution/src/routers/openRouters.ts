import type { QuoteKind } from "@millrace/core";
import { refuse } from "../review/refuse.ts";
import type { SwapRefusal } from "../SwapRefusal.ts";
import type { RoutedDex, RoutedSwap, RouterTable, SwapRouter } from "../SwapRouter.ts";
import { executorRouter } from "./executorRouter.ts";
import { universalRouter } from "./universalRouter.ts";
import { wrapperRouter } from "./wrapperRouter.ts";

/** The routers of a network, in the order of preference. */
export interface Routers {
  readonly all: ReadonlyArray<SwapRouter>;
  /** The first that can execute a swap; NO_ROUTER with the obstacle of each. */
  readonly choose: (swap: RoutedSwap) => SwapRouter | SwapRefusal;
  /**
   * Sets of these DEXes, by position: a router can execute a swap through pools of one set.
   * Undefined where one set has all of them.
   */
  readonly dexSets: (
    kind: QuoteKind,
    dexes: ReadonlyArray<RoutedDex>,
  ) => ReadonlyArray<ReadonlyArray<number>> | undefined;
}

/**
 * Binds the adapters to a network's addresses. First comes the wrapped native token, where it is
 * enough; then the Universal Router, deployed and reviewed by others, where it reaches; then our
 * own contract for the rest.
 */
export function openRouters(table: RouterTable): Routers {
  const all = [wrapperRouter(table)];
  if (table.universalRouter !== undefined) all.push(universalRouter(table.universalRouter));
  if (table.executor !== undefined) all.push(executorRouter(table.executor));
  return {
    all,
    choose: (swap) => choose(all, swap),
    dexSets: (kind, dexes) => {
      const sets = all.flatMap((router) => router.dexSets(kind, dexes));
      const whole = sets.find((set) => set.length === dexes.length);
      return whole === undefined ? sets.filter((set) => !isPartOfOther(set, sets)) : undefined;
    },
  };
}

function isPartOfOther(set: ReadonlyArray<number>, sets: ReadonlyArray<ReadonlyArray<number>>) {
  return (
    set.length === 0 ||
    sets.some((other) => other.length > set.length && set.every((dex) => other.includes(dex)))
  );
}

function choose(all: ReadonlyArray<SwapRouter>, swap: RoutedSwap): SwapRouter | SwapRefusal {
  for (const router of all) {
    if (router.obstacle(swap) === undefined) return router;
  }
  // The texts are made only here: every quote asks for its router.
  const obstacles = all.map((router) => `${router.kind}: ${router.obstacle(swap)}`);
  return refuse("NO_ROUTER", obstacles.join("; "));
}
