import { CURVE_STRIDE, type PoolFamily } from "../../Curve.ts";
import { allocate, grown } from "../../graph/buffers.ts";
import {
  PIECE_STRIDE,
  type PoolGraph,
  type PoolIndex,
  type TokenPosition,
} from "../../graph/PoolGraph.ts";

/** `PoolFamily.depth` of y × a / (x + a) is this part of x. */
const DEPTH_PART = 1 / Math.sqrt(0.98) - 1;
/**
 * Slopes that differ by less count as equal: over all pools of a path, that is less than the float
 * error by which bounds are raised. The leading piece of a straight curve is steeper by as much.
 */
const SAME = 1 + 2 ** -38;
const PROBES_MAX = 80;
/** The part of a filling amount that leaves the pool not quite full. */
const BEFORE_END = 1 - 2 ** -20;
/** A crossing at most this part of the output above the curve is near enough. */
const CLOSE = 2 ** -30;

/** Curves of edges: their slopes where a route leaves them, and their rise above a line. */
export class EdgeCurves {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #piece = new Float64Array(CURVE_STRIDE);
  // Index: pool. 1: a route uses it.
  #isUsed = allocate(Uint8Array, 0);
  readonly #pools: number[] = [];
  /** By pool and positions (`keyOf`), after the route's input. */
  readonly #slopes = new Map<number, number>();
  /** What an unused edge is assumed to carry, in value at the goal. */
  trial = 0;

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#families = families;
  }

  /** Takes the inputs of a route's edges, except for pools of more than two tokens. */
  begin(uses: Iterable<EdgeUse>): void {
    const graph = this.#graph;
    for (const pool of this.#pools) this.#isUsed[pool] = 0;
    this.#pools.length = 0;
    this.#slopes.clear();
    this.#isUsed = grown(Uint8Array, this.#isUsed, graph.poolCount);
    const amounts = new Map<number, number>();
    for (const { pool, positionIn, positionOut, amountIn } of uses) {
      if (graph.poolTokenCount[pool]! > 2) continue;
      const key = keyOf(pool, positionIn, positionOut);
      amounts.set(key, (amounts.get(key) ?? 0) + amountIn);
    }
    for (const [key, amount] of amounts) this.#use(key, amount);
  }

  /**
   * Output per input of the edge that enters the token of a slot's list, where the route leaves the
   * edge, or where the trial would; `after` is the worth of a unit of that token. A result of at
   * most `floor` need not be exact.
   */
  slopeIn(slot: number, after: number, floor: number): number {
    const { slotIn, slotPositions } = this.#graph;
    const positions = slotPositions[slot]!;
    return this.#slope(slotIn, slot, positions & 7, positions >> 3, after, floor);
  }

  /** The same for the very first unit, whatever the route's input: no later unit gets more. */
  firstSlopeIn(slot: number): number {
    const { slotIn } = this.#graph;
    return slotIn[slot * PIECE_STRIDE + 1]! / slotIn[slot * PIECE_STRIDE]!;
  }

  /** The same for the edge that leaves the token. */
  slopeOut(slot: number, after: number, floor: number): number {
    const { slotOut, slotPositions } = this.#graph;
    const positions = slotPositions[slot]!;
    return this.#slope(slotOut, slot, positions >> 3, positions & 7, after, floor);
  }

  /**
   * Whether an edge of a pool may give more than it takes, at worths made from `slopeIn` and
   * `slopeOut`: without a trial only where a route uses it, since these are the slopes of its first
   * unit.
   */
  mayExceed(pool: number): boolean {
    return this.trial > 0 || this.#isUsed[pool] === 1;
  }

  /**
   * The most by which the edge that enters the token of a slot's list gives more than `slope` × its
   * input; 0 for pools of more than two tokens.
   */
  excessIn(slot: number, slope: number): number {
    const { slotIn, slotPositions } = this.#graph;
    const positions = slotPositions[slot]!;
    return this.#excess(slotIn, slot, positions & 7, positions >> 3, slope);
  }

  excessOut(slot: number, slope: number): number {
    const { slotOut, slotPositions } = this.#graph;
    const positions = slotPositions[slot]!;
    return this.#excess(slotOut, slot, positions >> 3, positions & 7, slope);
  }

  #slope(
    pieces: Float64Array,
    slot: number,
    positionIn: number,
    positionOut: number,
    after: number,
    floor: number,
  ): number {
    const pool = this.#graph.slotPool[slot]! as PoolIndex;
    if (this.#isUsed[pool] === 1) {
      const own = this.#slopes.get(keyOf(pool, positionIn, positionOut));
      if (own !== undefined) return own;
    }
    const at = slot * PIECE_STRIDE;
    const x = pieces[at]!;
    const slope = pieces[at + 1]! / x;
    if (this.trial === 0 || slope <= floor) return slope;
    const tried = slopeBehind(slope, x, this.trial / after);
    if (tried <= floor || pieces[at + 2]! >= x) return tried;
    // The leading piece is short: the curve after it may be anything.
    const family = this.#families[this.#graph.poolCurve[pool]!]!;
    const depth = family.depth(pool, positionIn, positionOut) / DEPTH_PART;
    return depth > 0 ? slopeBehind(slope, Math.min(x, depth), this.trial / after) : tried;
  }

  #excess(
    pieces: Float64Array,
    slot: number,
    positionIn: number,
    positionOut: number,
    slope: number,
  ): number {
    const at = slot * PIECE_STRIDE;
    const x = pieces[at]!;
    const y = pieces[at + 1]!;
    const ratio = y / (x * slope);
    const pool = this.#graph.slotPool[slot]! as PoolIndex;
    if (!(ratio > SAME) || this.#graph.poolTokenCount[pool]! > 2) return 0;
    const root = Math.sqrt(ratio);
    const part = (root - 1) / root;
    if (x * (root - 1) <= pieces[at + 2]!) return y * part * part;
    return this.#excessBeyond({ pool, positionIn, positionOut }, y / x, pieces[at + 2]!, slope);
  }

  /**
   * The same past the leading piece. The curve lies below its tangents: between two of them, one
   * steeper than the line and one not, it rises above the line at most to where they cross.
   */
  #excessBeyond(edge: Edge, leading: number, limit: number, slope: number): number {
    let low: Tangent = { at: 0, output: 0, slope: leading };
    let high: Tangent | undefined;
    let crossing = Number.POSITIVE_INFINITY;
    let amount = limit;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const found = this.#tangentAt(edge, amount);
      if (found.slope > slope) low = found;
      else high = found;
      if (high === undefined) {
        amount *= 2;
        continue;
      }
      amount = crossingOf(low, high);
      crossing = low.output + low.slope * (amount - low.at) - slope * amount;
      const reached = Math.max(low.output - slope * low.at, high.output - slope * high.at);
      const isNear = crossing - reached <= CLOSE * high.output;
      if (isNear || !(amount > low.at && amount < high.at)) break;
    }
    return Math.max(crossing, 0);
  }

  #tangentAt({ pool, positionIn, positionOut }: Edge, amount: number): Tangent {
    const family = this.#families[this.#graph.poolCurve[pool]!]!;
    family.pieceAt(pool, positionIn, positionOut, amount, this.#piece, 0);
    const [x, y, , start, before] = this.#piece as unknown as Piece;
    // A full pool gives nothing more.
    if (y === 0) return { at: Math.min(amount, start), output: before, slope: 0 };
    const depth = x + amount - start;
    const output = before + (y / depth) * (amount - start);
    return { at: amount, output, slope: (x / depth) * (y / depth) };
  }

  #use(key: number, amount: number): void {
    const pool = Math.floor(key / 64) as PoolIndex;
    const edge = { pool, positionIn: (key >> 3) & 7, positionOut: key & 7 };
    // At the end of a pool's capacity its slope is 0, which would make its token worthless.
    const slope =
      this.#tangentAt(edge, amount).slope || this.#tangentAt(edge, amount * BEFORE_END).slope;
    this.#slopes.set(key, slope);
    if (this.#isUsed[pool] === 1) return;
    this.#isUsed[pool] = 1;
    this.#pools.push(pool);
  }
}

/** The approximate slope of y × a / (x + a) where it has given so much. */
function slopeBehind(slope: number, x: number, given: number): number {
  const filled = 1 + given / (slope * x);
  return slope / (filled * filled);
}

/** The input at which two tangents cross, between the points where they touch. */
function crossingOf(low: Tangent, high: Tangent): number {
  const across = high.output - high.slope * high.at - (low.output - low.slope * low.at);
  return Math.min(Math.max(across / (low.slope - high.slope), low.at), high.at);
}

interface Edge {
  readonly pool: PoolIndex;
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
}

/** An input of an edge; inputs over several paths may come as several uses. */
export interface EdgeUse extends Edge {
  readonly amountIn: number;
}

/** The tangent of a curve at an input. */
interface Tangent {
  readonly at: number;
  readonly output: number;
  readonly slope: number;
}

/** See `PoolFamily.pieceAt`. */
type Piece = readonly [x: number, y: number, limit: number, amountIn: number, amountOut: number];

/** A unique number of an edge. */
function keyOf(pool: number, positionIn: number, positionOut: number): number {
  return pool * 64 + positionIn * 8 + positionOut;
}
