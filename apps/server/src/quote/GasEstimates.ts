import { type Address, type Dex, type Engine, pathsOf, type QuoteStep } from "@millrace/core";
import {
  type GasShape,
  legProtocol,
  legToken,
  type RoutedLeg,
  type RoutedSwap,
  repeatedGasOf,
  routeShape,
  type SwappedPair,
  swapGas,
} from "@millrace/execution";
import type { NetworkRouters } from "../networks/NetworkRouters.ts";

/** What the transaction of a quote uses as a rule, and whether there is a router for it. */
export interface GasEstimate {
  readonly gas: number;
  readonly isExecutable: boolean;
}

/** Asked for every quote, so in about a µs. */
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
  ): GasEstimate {
    const { graph, familyOf } = this.#engine;
    let typicalGas = 0;
    const swaps = steps.map(({ pool, tokenIn, tokenOut, amountIn }): SwappedPair => {
      const positionIn = graph.poolPosition(pool, tokenIn);
      const positionOut = graph.poolPosition(pool, tokenOut);
      typicalGas += familyOf(pool).typicalGas(pool, positionIn, positionOut, amountIn);
      return { pool, positionIn, positionOut };
    });
    const paths = pathsOf({ steps }).map((path) => ({
      legs: path.map((step) => new QuotedLeg(this.#engine, step)),
    }));
    // No path uses a pool twice.
    const repeatedGas = paths.length > 1 ? repeatedGasOf(swaps, this.#engine) : 0;
    const chosen = this.#routerKind(kind, steps, paths);
    const router = chosen ?? (steps.length === 0 ? "wrapper" : "executor");
    const endsInPair = steps.length > 0 && this.#isPair(steps.at(-1)!.pool);
    const native = { isNativeIn, isNativeOut, repeatedGas };
    const shape = { kind, router, ...native, hasFee: false, endsInPair, ...routeShape(paths) };
    return { gas: Math.round(swapGas(shape, typicalGas)), isExecutable: chosen !== undefined };
  }

  /** Of those that the Universal Router reaches. */
  #isPair(pool: QuoteStep["pool"]): boolean {
    const { graph } = this.#engine;
    return graph.dexes[graph.poolDex[pool]!]!.id === this.#routers?.table.universalRouter?.v2DexId;
  }

  /** Of a swap to the sender, without a partner's fee, that may cost more than it was quoted. */
  #routerKind(
    kind: GasShape["kind"],
    steps: ReadonlyArray<QuoteStep>,
    paths: RoutedSwap["paths"],
  ): GasShape["router"] | undefined {
    if (this.#routers === undefined) return undefined;
    if (steps.length === 0) return "wrapper";
    let amountIn = 0n;
    let amountOut = 0n;
    for (const path of pathsOf({ steps })) {
      amountIn += path[0]!.amountIn;
      amountOut += path[path.length - 1]!.amountOut;
    }
    const router = this.#routers.routers.choose({
      kind,
      sender: ANYBODY,
      recipient: ANYBODY,
      amountIn,
      amountInMax: kind === "exactIn" ? amountIn : amountIn + 1n,
      amountOut,
      paths,
    });
    return "refused" in router ? undefined : router.kind;
  }
}

const ANYBODY: Address = `0x${"00".repeat(20)}`;

/** A step as routers see it; the texts are made only where they are read. */
class QuotedLeg implements RoutedLeg {
  readonly #engine: Engine["Service"];
  readonly #step: QuoteStep;

  constructor(engine: Engine["Service"], step: QuoteStep) {
    this.#engine = engine;
    this.#step = step;
  }

  get pool(): Address {
    return this.#engine.graph.poolAddress(this.#step.pool);
  }

  get dexId(): string {
    return this.#dex.id;
  }

  get protocol(): string {
    return legProtocol(this.#engine.graph, this.#step.pool);
  }

  get tokenIn(): Address {
    return legToken(this.#engine.graph, this.#step.pool, this.#step.tokenIn);
  }

  get tokenOut(): Address {
    return legToken(this.#engine.graph, this.#step.pool, this.#step.tokenOut);
  }

  get feePips(): number {
    const { graph, familyOf } = this.#engine;
    const { pool, tokenIn, tokenOut } = this.#step;
    const positionIn = graph.poolPosition(pool, tokenIn);
    return familyOf(pool).feePips(pool, positionIn, graph.poolPosition(pool, tokenOut));
  }

  get #dex(): Dex {
    const { graph } = this.#engine;
    return graph.dexes[graph.poolDex[this.#step.pool]!]!;
  }
}
