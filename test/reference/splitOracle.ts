import {
  type BruteRequest,
  limitsOf,
  type PlainPool,
  poolAfter,
} from "@millrace/testing/reference";

/** A pool of a path, in the direction that the path takes. */
interface Hop {
  readonly pool: PlainPool;
  readonly zeroForOne: boolean;
  /** The most that the untouched pool takes (exact in) or gives (exact out). */
  readonly most: bigint;
}

type Path = ReadonlyArray<Hop>;

/** The result of a plain search. */
interface OracleAnswer {
  /** The most output, or the least input. */
  readonly amount: bigint;
  /**
   * How full it makes the fullest pool: the used part of what the untouched pool takes or gives.
   */
  readonly fullness: number;
  /**
   * What rounding may have brought, as a part of the amount: a unit of the fewest that pass, at
   * each hop of a path. A fee of less than a unit, for one, is not charged.
   */
  readonly rounding: number;
}

/** The result of a plain search after gas. */
interface NetAnswer extends Pick<OracleAnswer, "fullness" | "rounding"> {
  readonly net: bigint;
  readonly paths: number;
}

/** Paths in the order of their execution, with the side that is fixed: inputs or outputs. */
interface Split {
  readonly paths: ReadonlyArray<{ readonly path: Path; readonly amount: bigint }>;
  /** The output of an exact input, or minus the input of an exact output: more is better. */
  readonly gain: bigint;
  readonly fullness: number;
  readonly rounding: number;
}

const CHUNKS = 16n;
/** Transfers between paths shrink from a quarter of all to this part. */
const FINEST_BITS = 16;

/**
 * The best split of a request over at most `maxSplits` paths that a plain search finds on a tiny
 * market: a greedy start in chunks, then transfers between any two paths, halved until they are
 * dust, each evaluated exactly. It need not be the best, so the engine may find more.
 */
export function oracleSplit(
  pools: ReadonlyArray<PlainPool>,
  request: BruteRequest,
  maxSplits: number,
): OracleAnswer | undefined {
  const best = bestSplit(pathsBetween(pools, request), request, maxSplits);
  if (best === undefined) return undefined;
  const { gain, fullness, rounding } = best;
  return { amount: request.kind === "exactIn" ? gain : -gain, fullness, rounding };
}

/** The search after gas skips sets that cannot be better by this part of the best without gas. */
const BOUND_MARGIN = 100n;
/** The most paths of a set that is tried. */
const NET_PATHS_MAX = 3;

/**
 * The most after gas (`net`) that the same plain search finds on any set of at most three paths:
 * each set has to pay for all of its paths. `gasOf` gives a pool's gas. Also undefined with more
 * than `pathsMax` paths, whose sets would take too long.
 */
export function oracleNetSplit(
  pools: ReadonlyArray<PlainPool>,
  request: BruteRequest,
  maxSplits: number,
  gasOf: (pool: PlainPool) => number,
  pathsMax: number,
): NetAnswer | undefined {
  const paths = pathsBetween(pools, request);
  if (paths.length > pathsMax) return undefined;
  const unpriced = bestSplit(paths, request, paths.length);
  if (unpriced === undefined) return undefined;
  const margin = unpriced.gain / BOUND_MARGIN;
  const most = unpriced.gain + (margin < 0n ? -margin : margin);
  let best: NetAnswer | undefined;
  for (const set of setsOf(paths, Math.min(maxSplits, NET_PATHS_MAX))) {
    const gas = set.flat().reduce((sum, { pool }) => sum + gasOf(pool), 0);
    const cost = BigInt(Math.ceil((request.gasPrice ?? 0) * gas));
    if (best !== undefined && most - cost <= best.net) continue;
    const split = bestSplit(set, request, set.length);
    if (split === undefined) continue;
    const net = split.gain - cost;
    if (best === undefined || net > best.net) {
      const { fullness, rounding } = split;
      best = { net, paths: set.length, fullness, rounding };
    }
  }
  return best;
}

/** All sets of one to `most` of the items, the small ones first. */
function setsOf<A>(items: ReadonlyArray<A>, most: number): A[][] {
  const sets: A[][] = [];
  let last: Array<{ set: A[]; end: number }> = [{ set: [], end: 0 }];
  for (let size = 1; size <= most; size++) {
    last = last.flatMap(({ set, end }) =>
      items.slice(end).map((item, place) => ({ set: [...set, item], end: end + place + 1 })),
    );
    sets.push(...last.map(({ set }) => set));
  }
  return sets;
}

function bestSplit(
  paths: ReadonlyArray<Path>,
  request: BruteRequest,
  maxSplits: number,
): Split | undefined {
  const evaluate = (shares: Split["paths"]): Split | undefined => {
    const outcome = outcomeOf(request.kind, shares);
    return outcome && { paths: shares, ...outcome };
  };
  const starts = [
    greedy(paths, request, maxSplits, evaluate),
    ...paths.map((path) => evaluate([{ path, amount: request.amount }])),
  ].filter((split) => split !== undefined);
  if (starts.length === 0) return undefined;
  starts.sort((a, b) => (a.gain < b.gain ? 1 : -1));
  // The greedy start and the best single path lead to two local optima; the better one counts.
  const ends = starts.slice(0, 2).map((start) => improved(start, paths, maxSplits, evaluate));
  return ends.reduce((a, b) => (a.gain >= b.gain ? a : b));
}

function greedy(
  paths: ReadonlyArray<Path>,
  { amount, kind }: BruteRequest,
  maxSplits: number,
  evaluate: (shares: Split["paths"]) => Split | undefined,
): Split | undefined {
  let best: Split | undefined = { paths: [], gain: 0n, fullness: 0, rounding: 0 };
  let left = amount;
  for (let chunk = 0n; chunk < CHUNKS && best; chunk++) {
    const part = left / (CHUNKS - chunk);
    if (part === 0n) continue;
    left -= part;
    const from: Split["paths"] = best.paths;
    const next = paths.map((path) => {
      const shares = given(from, path, part);
      return shares.length > maxSplits ? undefined : evaluate(shares);
    });
    best = next.reduce((a, b) => (a && (!b || a.gain >= b.gain) ? a : b), undefined);
  }
  return kind === "exactIn" || best?.gain !== 0n ? best : undefined;
}

function improved(
  start: Split,
  paths: ReadonlyArray<Path>,
  maxSplits: number,
  evaluate: (shares: Split["paths"]) => Split | undefined,
): Split {
  let best = start;
  const total = start.paths.reduce((sum, { amount }) => sum + amount, 0n);
  for (let bits = 2; bits <= FINEST_BITS; bits++) {
    const part = total >> BigInt(bits);
    if (part === 0n) break;
    for (let rounds = 0, better = true; better && rounds < 4; rounds++) {
      better = false;
      for (const giver of best.paths.map(({ path }) => path)) {
        for (const taker of paths) {
          const has = best.paths.find(({ path }) => path === giver)?.amount ?? 0n;
          if (taker === giver || has === 0n) continue;
          const moved = has < part ? has : part;
          const shares = given(given(best.paths, giver, -moved), taker, moved);
          const split = shares.length <= maxSplits ? evaluate(shares) : undefined;
          if (split === undefined || split.gain <= best.gain) continue;
          best = split;
          better = true;
        }
      }
    }
  }
  return best;
}

function given(shares: Split["paths"], path: Path, amount: bigint): Split["paths"] {
  const has = shares.some((share) => share.path === path);
  return (has ? shares : [...shares, { path, amount: 0n }])
    .map((share) => (share.path === path ? { path, amount: share.amount + amount } : share))
    .filter((share) => share.amount > 0n);
}

function outcomeOf(
  kind: BruteRequest["kind"],
  shares: Split["paths"],
): Omit<Split, "paths"> | undefined {
  const states = new Map<PlainPool, PlainPool>();
  const passed = { true: new Map<PlainPool, bigint>(), false: new Map<PlainPool, bigint>() };
  const total = shares.reduce((sum, { amount }) => sum + amount, 0n);
  let gain = 0n;
  let fullness = 0;
  let rounding = 0;
  for (const { path, amount } of shares) {
    let passing = amount;
    let fewest = amount;
    for (const { pool, zeroForOne, most } of kind === "exactIn" ? path : path.toReversed()) {
      const all = (passed[`${zeroForOne}`].get(pool) ?? 0n) + passing;
      // Saves the reference a walk to the end of its ticks before it refuses.
      if (all > most) return undefined;
      const swap = poolAfter(states.get(pool) ?? pool, zeroForOne, kind, passing);
      if (swap === undefined || swap.amountOut === 0n) return undefined;
      states.set(pool, swap.after);
      passed[`${zeroForOne}`].set(pool, all);
      fullness = Math.max(fullness, Number(all) / Number(most));
      passing = kind === "exactIn" ? swap.amountOut : swap.amountIn;
      if (passing < fewest) fewest = passing;
    }
    rounding += ((Number(amount) / Number(total)) * path.length) / Number(fewest);
    gain += kind === "exactIn" ? passing : -passing;
  }
  return { gain, fullness, rounding };
}

function pathsBetween(pools: ReadonlyArray<PlainPool>, request: BruteRequest): Path[] {
  const found: Path[] = [];
  const walk = (token: string, path: Path, visited: ReadonlyArray<string>): void => {
    if (token === request.tokenOut) found.push(path);
    else if (path.length < request.maxHops) {
      for (const pool of pools) {
        if (token !== pool.token0 && token !== pool.token1) continue;
        const zeroForOne = token === pool.token0;
        const next = zeroForOne ? pool.token1 : pool.token0;
        if (visited.includes(next)) continue;
        const [takes, gives] = limitsOf(pool, zeroForOne);
        const most = request.kind === "exactIn" ? takes! : gives!;
        walk(next, [...path, { pool, zeroForOne, most }], [...visited, next]);
      }
    }
  };
  walk(request.tokenIn, [], [request.tokenIn]);
  return found;
}
