import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapRefusal } from "../SwapRefusal.ts";
import type { RouterTable, SwapRouter } from "../SwapRouter.ts";

/** The routers of a network, in the order of preference. */
export interface Routers {
  readonly all: ReadonlyArray<SwapRouter>;
  /** The first that can execute an intent; NO_ROUTER with the obstacle of each. */
  readonly choose: (intent: SwapIntent) => SwapRouter | SwapRefusal;
}

/** Binds the adapters to a network's addresses. Being built. */
export function openRouters(_table: RouterTable): Routers {
  throw new Error("being built");
}
