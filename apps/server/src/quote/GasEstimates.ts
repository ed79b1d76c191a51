import type { Engine, QuoteStep } from "@millrace/core";
import { type GasShape, routeShape, swapGas } from "@millrace/execution";
import type { NetworkRouters } from "../networks/NetworkRouters.ts";

/** What the transaction of a quote uses as a rule; for every quote, so in fractions of a µs. */
export class GasEstimates {
  readonly #engine: Engine["Service"];
  readonly #routers: NetworkRouters | undefined;

  constructor(engine: Engine["Service"], routers: NetworkRouters | undefined) {
    this.#engine = engine;
    this.#routers = routers;
  }

  /** Through the router that would be chosen; through our executor where none can be. */
  of(
    { kind, isNativeIn, isNativeOut }: Pick<GasShape, "kind" | "isNativeIn" | "isNativeOut">,
    steps: ReadonlyArray<QuoteStep>,
  ): number {
    const { graph, familyOf } = this.#engine;
    let typicalGas = 0;
    for (const { pool, tokenIn, tokenOut, amountIn } of steps) {
      const positionIn = graph.poolPosition(pool, tokenIn);
      const positionOut = graph.poolPosition(pool, tokenOut);
      typicalGas += familyOf(pool).typicalGas(pool, positionIn, positionOut, amountIn);
    }
    const router = this.#routerKind(kind, steps);
    const endsInPair = steps.length > 0 && this.#isPair(steps.at(-1)!.pool);
    const native = { isNativeIn, isNativeOut };
    const shape = { kind, router, ...native, hasFee: false, endsInPair, ...routeShape(steps) };
    return Math.round(swapGas(shape, typicalGas));
  }

  /** Of those that the Universal Router reaches. */
  #isPair(pool: QuoteStep["pool"]): boolean {
    const { graph } = this.#engine;
    return graph.dexes[graph.poolDex[pool]!]!.id === this.#routers?.table.universalRouter?.v2DexId;
  }

  /** As `Routers.choose` would; of an intent's many obstacles only those that quotes can have. */
  #routerKind(kind: GasShape["kind"], steps: ReadonlyArray<QuoteStep>): GasShape["router"] {
    if (steps.length === 0) return "wrapper";
    const universal = this.#routers?.table.universalRouter;
    if (universal === undefined) return "executor";
    const { graph } = this.#engine;
    const { v2DexId, v3DexId } = universal;
    let pathDexId: string | undefined;
    for (const { pool, tokenIn } of steps) {
      const dexId = graph.dexes[graph.poolDex[pool]!]!.id;
      if (dexId !== v2DexId && dexId !== v3DexId) return "executor";
      const isFirst = tokenIn === steps[0]!.tokenIn;
      // It has no exact output through pools of both kinds on one path.
      if (kind === "exactOut" && !isFirst && dexId !== pathDexId) return "executor";
      pathDexId = dexId;
    }
    return "universal-router";
  }
}
