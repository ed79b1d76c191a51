import {
  type Address,
  type Engine,
  FEE_IN_STATE,
  type PoolIndex,
  type QuoteStep,
  type TokenIndex,
  type TokenPosition,
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

/** What the estimates of a quote depend on beside its route and amounts. */
type Sides = Pick<GasShape, "kind" | "isNativeIn" | "isNativeOut">;

/** What a route's estimate needs beside the gas of its pools. */
interface KnownRoute {
  readonly shape: GasShape;
  readonly isExecutable: boolean;
}

/**
 * Estimates gas, for every quote, and so in less than a µs. Routes of one path are kept with their
 * shape, since most quotes are for few of them: legs form a tree, in which each follows the one
 * before it.
 */
export class GasEstimates {
  readonly #engine: GraphAndFamilies;
  readonly #routers: NetworkRouters | undefined;
  // Key: pool × LEGS + position of the token in × 8 + position of the token out.
  readonly #legs: Legs = new Map();
  /** Legs of the whole tree. */
  #legCount = 0;
  #topologyVersion = -1;

  constructor(engine: GraphAndFamilies, routers: NetworkRouters | undefined) {
    this.#engine = engine;
    this.#routers = routers;
  }

  /** The estimate for the router that would be chosen; for our executor where none can be. */
  of(sides: Sides, steps: ReadonlyArray<QuoteStep>): GasEstimate {
    this.#forgetOld();
    const isKept = isPlainPath(steps);
    const { familyOf } = this.#engine;
    const legs: QuotedLeg[] = [];
    let last: QuotedLeg | undefined;
    let typicalGas = 0;
    let hasFixedFees = true;
    for (const step of steps) {
      last = this.#leg(isKept && last !== undefined ? last.next : this.#legs, step);
      const { index, positionIn, positionOut } = last;
      typicalGas += familyOf(index).typicalGas(index, positionIn, positionOut, step.amountIn);
      hasFixedFees &&= last.hasFixedFee;
      legs.push(last);
    }
    if (!isKept || !hasFixedFees || last === undefined)
      return estimateOf(this.#routeOf(sides, steps, legs), typicalGas);
    const { kind, isNativeIn, isNativeOut } = sides;
    const place = (kind === "exactIn" ? 0 : 4) + (isNativeIn ? 2 : 0) + (isNativeOut ? 1 : 0);
    let route = last.routes[place];
    if (route === undefined) {
      route = this.#routeOf(sides, steps, legs);
      last.routes[place] = route;
    }
    return estimateOf(route, typicalGas);
  }

  #routeOf(
    { kind, isNativeIn, isNativeOut }: Sides,
    steps: ReadonlyArray<QuoteStep>,
    legs: ReadonlyArray<QuotedLeg>,
  ): KnownRoute {
    const paths = pathsOfLegs(steps, legs);
    // No path uses a pool twice.
    const repeatedGas = paths.length > 1 ? repeatedGasOf(legs.map(pairOf), this.#engine) : 0;
    const chosen = this.#routerKind(kind, steps, paths);
    const router = chosen ?? (steps.length === 0 ? "wrapper" : "executor");
    const endsInPair = steps.length > 0 && this.#isPair(steps.at(-1)!.pool);
    const sides = { kind, router, isNativeIn, isNativeOut };
    const shape = { ...sides, repeatedGas, hasFee: false, endsInPair, ...routeShape(paths) };
    return { shape, isExecutable: chosen !== undefined };
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

  #forgetOld(): void {
    const { topologyVersion } = this.#engine.graph;
    // Indexes of pools are reused when pools go: no leg may outlive its pool.
    if (this.#topologyVersion === topologyVersion && this.#legCount < LEGS_MAX) return;
    this.#legs.clear();
    this.#legCount = 0;
    this.#topologyVersion = topologyVersion;
  }

  #leg(legs: Legs, { pool, tokenIn, tokenOut }: QuoteStep): QuotedLeg {
    const { graph } = this.#engine;
    const positionIn = graph.poolPosition(pool, tokenIn);
    const positionOut = graph.poolPosition(pool, tokenOut);
    const key = pool * LEGS + positionIn * 8 + positionOut;
    let leg = legs.get(key);
    if (leg === undefined) {
      leg = new QuotedLeg(this.#engine, pool, tokenIn, tokenOut);
      legs.set(key, leg);
      this.#legCount++;
    }
    return leg;
  }
}

type Legs = Map<number, QuotedLeg>;

/** With so many legs, all are forgotten. */
const LEGS_MAX = 16_384;

/** No router refuses an amount below this; see the amounts of `RouterCommand`. */
export const PLAIN_AMOUNT_END = 1n << 100n;

/** Whether these steps form one path, of amounts that no router refuses. */
function isPlainPath(steps: ReadonlyArray<QuoteStep>): boolean {
  for (let place = 0; place < steps.length; place++) {
    const { amountIn, amountOut, tokenIn } = steps[place]!;
    if (place > 0 && tokenIn === steps[0]!.tokenIn) return false;
    if (amountIn >= PLAIN_AMOUNT_END || amountOut >= PLAIN_AMOUNT_END) return false;
  }
  return true;
}

const estimateOf = ({ shape, isExecutable }: KnownRoute, typicalGas: number): GasEstimate => ({
  gas: Math.round(swapGas(shape, typicalGas)),
  isExecutable,
});

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
  /** Routes of one path that end here, by their sides. */
  readonly routes: Array<KnownRoute | undefined> = new Array(8).fill(undefined);
  #next: Legs | undefined;
  readonly index: PoolIndex;
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
  readonly dexId: string;
  readonly protocol: string;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly hasFixedFee: boolean;
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
    this.hasFixedFee = graph.poolFeePips[pool] !== FEE_IN_STATE;
  }

  /** The legs that follow it on paths. */
  get next(): Legs {
    this.#next ??= new Map();
    return this.#next;
  }

  get pool(): Address {
    return this.#engine.graph.poolAddress(this.index);
  }

  /** The fee may change with every block. */
  get feePips(): number {
    return this.#engine.familyOf(this.index).feePips(this.index, this.positionIn, this.positionOut);
  }
}
