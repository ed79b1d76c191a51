import { type PoolFamily, REFUSED } from "../Curve.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import type { CyclePath } from "./CyclePath.ts";
import type { SizedCycle } from "./KeptCycles.ts";

/** The first step away from the float estimate of the peak, as a shift: this part of the amount. */
const STEP_BITS = 17n;
/**
 * Below so many units the first step is wide: pools round at each end of a range of liquidity that
 * a swap crosses, of which there may be thousands, and the estimate knows nothing of that.
 */
const FEW = 2 ** 16;
const WIDE_STEP_BITS = 2n;
/**
 * Steps shrink to an 8th, and end below 2^-22 of the amount, where a step more or less costs at
 * most a 2^-32th of the profit: since that is concave, no size between gains as much. It is about a
 * 2^-44th, except where a pool is nearly full.
 */
const SHRINK_BITS = 3n;
const LAST_STEP_BITS = 22n;
const FLAT_BITS = 32n;
/** With steps of one unit, rounding of another token may hide a better amount this far away. */
const WINDOW = 8n;
/** A token of so many times the units rounds too finely for that. */
const FINER = 64;
/**
 * Below so many units, rounding can move the peak far: then the search walks the units of each
 * token.
 */
const DUST = 256;
/** Most sizes that are tried; a dozen is usual. */
const TRIES_MAX = 256;
/** Amounts are below 2^256. */
const HALVINGS_MAX = 256;

interface Trial {
  readonly amounts: ReadonlyArray<bigint>;
  readonly profit: bigint;
}

/**
 * Finds the size of the greatest profit, exactly as the contracts would swap. Profit is concave up
 * to rounding, and the token with the fewest units is rounded most. So the search walks over whole
 * units of that token: the least input that buys them, and the output that they give.
 * `Cycle.amountIn` says how good the size is.
 */
export class ExactSizes {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #gasLimit: number;
  #path: CyclePath = { pools: [], positions: [] };
  /** Pools before the token whose units the search walks over. */
  #walked = 0;
  #window = 1n;
  // The current state of the climb.
  #units = 0n;
  #best: Trial | undefined;
  #triesLeft = 0;
  /** Whether the last steps led nowhere, and one cost more than FLAT_BITS tells. */
  #isSteep = false;

  /** `gasLimit` is for all swaps of a cycle together. */
  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>, gasLimit: number) {
    this.#graph = graph;
    this.#families = families;
    this.#gasLimit = gasLimit;
  }

  /** `estimates` are the inputs of each pool near the peak. Undefined: no profit. */
  size(path: CyclePath, estimates: Float64Array): SizedCycle | undefined {
    this.#path = path;
    const hops = path.pools.map((_, hop) => hop).sort((a, b) => estimates[a]! - estimates[b]!);
    const fewest = estimates[hops[0]!]!;
    this.#window = estimates[hops[1]!]! < FINER * fewest || fewest < FEW ? WINDOW : 1n;
    let best: Trial | undefined;
    for (const hop of fewest < DUST ? hops : hops.slice(0, 1)) {
      this.#walked = hop;
      const climbed = this.#climb(BigInt(Math.max(Math.round(estimates[hop]!), 1)));
      const trial = climbed && this.#tightened(climbed);
      if (trial !== undefined && (best === undefined || trial.profit > best.profit)) best = trial;
    }
    if (best === undefined || best.profit <= 0n) return undefined;
    return { ...path, ...best, gas: this.#gas(best.amounts) };
  }

  #climb(estimate: bigint): Trial | undefined {
    this.#units = estimate;
    this.#best = this.#try(estimate);
    if (this.#best === undefined) {
      this.#units = this.#mostTaken(estimate);
      this.#best = this.#try(this.#units);
    }
    while (this.#best !== undefined && this.#best.amounts.at(-1) === 0n) {
      this.#units *= 2n;
      this.#best = this.#try(this.#units);
    }
    this.#triesLeft = TRIES_MAX;
    let step = atLeastOne(estimate >> (estimate < FEW ? WIDE_STEP_BITS : STEP_BITS));
    while (this.#triesLeft > 0) {
      this.#isSteep = false;
      const up = this.#strideBy(step);
      const down = this.#strideBy(-step);
      if (up || down) continue;
      const isFine = step < this.#units >> LAST_STEP_BITS && !this.#isSteep;
      if (step === 1n ? !this.#leap() : isFine) break;
      step = atLeastOne(step >> SHRINK_BITS);
    }
    return this.#best;
  }

  /** Moves in strides that double while the profit grows; false when the first does not gain. */
  #strideBy(step: bigint): boolean {
    let stride = step;
    while (this.#move(stride)) stride *= 2n;
    return stride !== step;
  }

  /** Moves past worse sizes: in strides of a few units, or of any number where there are few. */
  #leap(): boolean {
    const most = this.#units < FEW ? 4n * this.#units : this.#window;
    for (let distance = 2n; distance <= most; distance += distance < WINDOW ? 1n : distance)
      if (this.#strideBy(distance) || this.#strideBy(-distance)) return true;
    return false;
  }

  /** Moves if that is more profitable. */
  #move(distance: bigint): boolean {
    if (this.#triesLeft-- <= 0) return false;
    const units = this.#units + distance;
    const trial = this.#try(units);
    if (trial === undefined || (this.#best !== undefined && trial.profit <= this.#best.profit)) {
      this.#isSteep ||= trial !== undefined && this.#costs(trial);
      return false;
    }
    this.#units = units;
    this.#best = trial;
    return true;
  }

  /** Whether a worse size than the best, which gains, costs more than FLAT_BITS tells. */
  #costs({ profit }: Trial): boolean {
    const best = this.#best!.profit;
    return best > 0n && best - profit > best >> FLAT_BITS;
  }

  /** The most units up to `refused` that all pools take, within the gas limit; 1 where none do. */
  #mostTaken(refused: bigint): bigint {
    let low = 1n;
    let high = refused;
    for (let round = 0; round < HALVINGS_MAX && high - low > 1n; round++) {
      const middle = (low + high) / 2n;
      if (this.#try(middle) === undefined) high = middle;
      else low = middle;
    }
    return low;
  }

  /** The same output for the least input: saves what pools after the walked token round away. */
  #tightened(trial: Trial): Trial {
    const output = trial.amounts.at(-1)!;
    if (output === 0n) return trial;
    const input = this.#inputFor(output, this.#path.pools.length);
    if (input === undefined || input >= trial.amounts[0]!) return trial;
    const tighter = this.#swapAll(input);
    return tighter !== undefined && tighter.profit > trial.profit ? tighter : trial;
  }

  /** The trial with that many units of the walked token; undefined where they cannot be swapped. */
  #try(units: bigint): Trial | undefined {
    const input = units > 0n ? this.#inputFor(units, this.#walked) : undefined;
    return input === undefined ? undefined : this.#swapAll(input);
  }

  /** The least input that gives `units` after the first `hops` pools. */
  #inputFor(units: bigint, hops: number): bigint | undefined {
    let amount = units;
    for (let hop = hops - 1; hop >= 0; hop--) {
      const positions = this.#path.positions[hop]!;
      amount = this.#familyAt(hop).quoteExactOut(
        this.#path.pools[hop]!,
        positions >> 3,
        positions & 7,
        amount,
      );
      if (amount === REFUSED) return undefined;
    }
    return amount;
  }

  #swapAll(input: bigint): Trial | undefined {
    const amounts = [input];
    let amount = input;
    for (let hop = 0; hop < this.#path.pools.length; hop++) {
      // Zero in gives zero out, and is no refusal: a larger amount would be swapped.
      if (amount > 0n) {
        const positions = this.#path.positions[hop]!;
        amount = this.#familyAt(hop).quoteExactIn(
          this.#path.pools[hop]!,
          positions >> 3,
          positions & 7,
          amount,
        );
      }
      if (amount === REFUSED) return undefined;
      amounts.push(amount);
    }
    if (amount > 0n && this.#gas(amounts) > this.#gasLimit) return undefined;
    return { amounts, profit: amount - input };
  }

  #gas(amounts: ReadonlyArray<bigint>): number {
    let gas = 0;
    for (let hop = 0; hop < this.#path.pools.length; hop++) {
      const positions = this.#path.positions[hop]!;
      gas += this.#familyAt(hop).gas(
        this.#path.pools[hop]!,
        positions >> 3,
        positions & 7,
        amounts[hop]!,
      );
    }
    return gas;
  }

  #familyAt(hop: number): PoolFamily {
    return this.#families[this.#graph.poolCurve[this.#path.pools[hop]!]!]!;
  }
}

function atLeastOne(units: bigint): bigint {
  return units > 1n ? units : 1n;
}
