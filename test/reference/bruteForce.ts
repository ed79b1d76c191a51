import {
  type BruteRequest,
  type ExactSwap,
  exactSwap,
  type PlainMarket,
  type PlainPool,
} from "@millrace/testing/reference";

/** The gas that a swap adds to a transaction (`PoolFamily.typicalGas`). */
export type TypicalGas = (pool: PlainPool, zeroForOne: boolean, amountIn: bigint) => number;

export interface BruteAnswer {
  /** A path of at most `maxHops` pools links the tokens. */
  readonly linked: boolean;
  readonly best: BrutePath | undefined;
  /** Some path, or the beginning of one, cannot take or give the whole amount. */
  readonly someRefused: boolean;
  /** Some path, or the beginning of one, rounds to nothing. */
  readonly someNothing: boolean;
}

interface BrutePath {
  /** Most output, or least input; where gas has a price, of the path that is best after gas. */
  readonly amount: bigint;
  /** Output, or minus the input, less what its gas costs. */
  readonly net: bigint;
  /** Pools of the shortest path with this result. */
  readonly hops: number;
}

/**
 * The best path by enumeration: all token-simple paths of at most `maxHops` pools, each evaluated
 * exactly. Skips only tokens from which the target is too far away.
 */
export class BruteForce {
  private readonly neighbours = new Map<string, Neighbour[]>();
  private readonly typicalGas: TypicalGas;

  /** `typicalGas` is called only for requests with a gas price. */
  constructor(market: Pick<PlainMarket, "pools">, typicalGas: TypicalGas = () => 0) {
    this.typicalGas = typicalGas;
    for (const pool of market.pools) {
      const { token0, token1 } = pool;
      const down = exactSwap(pool, true);
      const up = exactSwap(pool, false);
      this.neighboursOf(token0).push({ pool, token: token1, away: down, back: up });
      this.neighboursOf(token1).push({ pool, token: token0, away: up, back: down });
    }
  }

  best(request: BruteRequest): BruteAnswer {
    const { gasPrice = 0 } = request;
    const forward = request.kind === "exactIn";
    const start = forward ? request.tokenIn : request.tokenOut;
    const target = forward ? request.tokenOut : request.tokenIn;
    const distance = this.distancesTo(target, request.maxHops);
    let best: BrutePath | undefined;
    let someRefused = false;
    let someNothing = false;
    const visited = new Set([start]);

    const walk = (token: string, amount: bigint, hops: number, gasBefore: number): void => {
      for (const neighbour of this.neighboursOf(token)) {
        if (visited.has(neighbour.token)) continue;
        if (hops + (distance.get(neighbour.token) ?? Infinity) > request.maxHops) continue;
        const result = forward
          ? neighbour.away("exactIn", amount)?.out
          : neighbour.back("exactOut", amount)?.in;
        if (result === undefined) someRefused = true;
        else if (result === 0n) someNothing = true;
        else {
          const amountIn = forward ? amount : result;
          const gas = gasBefore + (gasPrice > 0 ? this.gasOf(neighbour, forward, amountIn) : 0);
          if (neighbour.token === target) {
            const net = (forward ? result : -result) - BigInt(Math.ceil(gasPrice * gas));
            const gain = best === undefined ? 1n : net - best.net;
            if (gain > 0n || (gain === 0n && hops < best!.hops)) {
              best = { amount: result, net, hops };
            }
          } else {
            visited.add(neighbour.token);
            walk(neighbour.token, result, hops + 1, gas);
            visited.delete(neighbour.token);
          }
        }
      }
    };
    walk(start, request.amount, 1, 0);
    return { linked: distance.has(start), best, someRefused, someNothing };
  }

  private gasOf({ pool, token }: Neighbour, forward: boolean, amountIn: bigint): number {
    // The neighbour's token comes out of exact input, and goes into exact output.
    const zeroForOne = (token === pool.token1) === forward;
    return this.typicalGas(pool, zeroForOne, amountIn);
  }

  /** Fewest pools from each token to the target, as far as `maxHops`. */
  private distancesTo(target: string, maxHops: number): Map<string, number> {
    const distances = new Map([[target, 0]]);
    let frontier = [target];
    for (let distance = 1; distance <= maxHops; distance++) {
      const next: string[] = [];
      for (const { token } of frontier.flatMap((reached) => this.neighboursOf(reached))) {
        if (distances.has(token)) continue;
        distances.set(token, distance);
        next.push(token);
      }
      frontier = next;
    }
    return distances;
  }

  private neighboursOf(token: string): Neighbour[] {
    let list = this.neighbours.get(token);
    if (list === undefined) {
      list = [];
      this.neighbours.set(token, list);
    }
    return list;
  }
}

interface Neighbour {
  readonly pool: PlainPool;
  readonly token: string;
  /** The pool, from the token whose neighbour this is. */
  readonly away: ExactSwap;
  /** The pool, from the neighbour. */
  readonly back: ExactSwap;
}
