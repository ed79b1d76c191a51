import type {
  Address,
  Engine,
  PoolIndex,
  QuoteStep,
  TokenIndex,
  TokenPosition,
} from "@millrace/core";
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

/** The typical gas of a quote's transaction, and whether a router can execute it. */
export interface GasEstimate {
  readonly gas: number;
  readonly isExecutable: boolean;
}

type GraphAndFamilies = Pick<Engine["Service"], "familyOf" | "graph">;

/** Estimates gas, for every quote, and so in less than a µs. */
export class GasEstimates {
  readonly #engine: GraphAndFamilies;
  readonly #routers: NetworkRouters | undefined;
  // Key: pool × LEGS + position of the token in × 8 + position of the token out.
  readonly #legs = new Map<number, QuotedLeg>();
  #topologyVersion = -1;

  constructor(engine: GraphAndFamilies, routers: NetworkRouters | undefined) {
    this.#engine = engine;
    this.#routers = routers;
  }

  /** The estimate for the router that would be chosen; for our executor where none can be. */
  of(
    { kind, isNativeIn, isNativeOut }: Pick<GasShape, "kind" | "isNativeIn" | "isNativeOut">,
    steps: ReadonlyArray<QuoteStep>,
  ): GasEstimate {
    const { familyOf } = this.#engine;
    const swaps: QuotedLeg[] = [];
    let typicalGas = 0;
    for (const step of steps) {
      const swap = this.#leg(step);
      const { index, positionIn, positionOut } = swap;
      typicalGas += familyOf(index).typicalGas(index, positionIn, positionOut, step.amountIn);
      swaps.push(swap);
    }
    const paths = pathsOfLegs(steps, swaps);
    // No path uses a pool twice.
    const repeatedGas = paths.length > 1 ? repeatedGasOf(swaps.map(pairOf), this.#engine) : 0;
    const chosen = this.#routerKind(kind, steps, paths);
    const router = chosen ?? (steps.length === 0 ? "wrapper" : "executor");
    const endsInPair = steps.length > 0 && this.#isPair(steps.at(-1)!.pool);
    const route = routeShape(paths);
    // Not spread: that would take as long as all else here.
    const shape: GasShape = {
      kind,
      router,
      isNativeIn,
      isNativeOut,
      repeatedGas,
      hasFee: false,
      endsInPair,
      pathCount: route.pathCount,
      hopCount: route.hopCount,
      poolCount: route.poolCount,
      sharedUnlockCount: route.sharedUnlockCount,
      wrapCount: route.wrapCount,
      nativeInCount: route.nativeInCount,
      nativeOutCount: route.nativeOutCount,
      gasBesideCurves: route.gasBesideCurves,
    };
    return { gas: Math.round(swapGas(shape, typicalGas)), isExecutable: chosen !== undefined };
  }

  /** Whether the pool is one of the pairs that the Universal Router reaches. */
  #isPair(pool: QuoteStep["pool"]): boolean {
    const { graph } = this.#engine;
    return graph.dexes[graph.poolDex[pool]!]!.id === this.#routers?.table.universalRouter?.v2DexId;
  }

  /**
   * The router for a swap to the sender, without a partner's fee, that may cost more than quoted.
   */
  #routerKind(
    kind: GasShape["kind"],
    steps: ReadonlyArray<QuoteStep>,
    paths: RoutedSwap["paths"],
  ): GasShape["router"] | undefined {
    if (this.#routers === undefined) return undefined;
    if (steps.length === 0) return "wrapper";
    let amountIn = 0n;
    let amountOut = 0n;
    let last = 0;
    for (const { legs } of paths) {
      amountIn += steps[last]!.amountIn;
      last += legs.length;
      amountOut += steps[last - 1]!.amountOut;
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

  #leg({ pool, tokenIn, tokenOut }: QuoteStep): QuotedLeg {
    const { graph } = this.#engine;
    if (this.#topologyVersion !== graph.topologyVersion) {
      // Indexes of pools are reused when pools go: no leg may outlive its pool.
      this.#legs.clear();
      this.#topologyVersion = graph.topologyVersion;
    }
    const positionIn = graph.poolPosition(pool, tokenIn);
    const positionOut = graph.poolPosition(pool, tokenOut);
    const key = pool * LEGS + positionIn * 8 + positionOut;
    let leg = this.#legs.get(key);
    if (leg === undefined) {
      leg = new QuotedLeg(this.#engine, pool, tokenIn, tokenOut);
      this.#legs.set(key, leg);
    }
    return leg;
  }
}

const ANYBODY: Address = `0x${"00".repeat(20)}`;

/** Pools have up to eight tokens. */
const LEGS = 64;

/** Like `pathsOf`, with the legs of the steps. */
function pathsOfLegs(
  steps: ReadonlyArray<QuoteStep>,
  legs: ReadonlyArray<QuotedLeg>,
): RoutedSwap["paths"] {
  const paths: Array<{ readonly legs: QuotedLeg[] }> = [];
  for (let place = 0; place < steps.length; place++) {
    if (steps[place]!.tokenIn === steps[0]!.tokenIn) paths.push({ legs: [legs[place]!] });
    else paths[paths.length - 1]!.legs.push(legs[place]!);
  }
  return paths;
}

const pairOf = ({ index, positionIn, positionOut }: QuotedLeg): SwappedPair => ({
  pool: index,
  positionIn,
  positionOut,
});

/** An edge as routers see it. It is kept, since its texts take longer than a search. */
class QuotedLeg implements RoutedLeg {
  readonly index: PoolIndex;
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
  readonly dexId: string;
  readonly protocol: string;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly #engine: GraphAndFamilies;

  constructor(
    engine: GraphAndFamilies,
    pool: PoolIndex,
    tokenIn: TokenIndex,
    tokenOut: TokenIndex,
  ) {
    const { graph } = engine;
    this.#engine = engine;
    this.index = pool;
    this.positionIn = graph.poolPosition(pool, tokenIn);
    this.positionOut = graph.poolPosition(pool, tokenOut);
    this.dexId = graph.dexes[graph.poolDex[pool]!]!.id;
    this.protocol = legProtocol(graph, pool);
    this.tokenIn = legToken(graph, pool, tokenIn);
    this.tokenOut = legToken(graph, pool, tokenOut);
  }

  get pool(): Address {
    return this.#engine.graph.poolAddress(this.index);
  }

  /** The fee may change with every block. */
  get feePips(): number {
    return this.#engine.familyOf(this.index).feePips(this.index, this.positionIn, this.positionOut);
  }
}
