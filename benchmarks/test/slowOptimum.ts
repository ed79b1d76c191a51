import type { ConstantProductPool } from "../src/ceiling/ConstantProductPool.ts";

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly y: number;
  /** Of what the token at `from` holds. */
  share: number;
}

/** Without more gain than this, relative, the search ends. */
const GAIN_MIN = 1e-11;
const SWEEPS_MAX = 3_000;

/**
 * The most that a flow gives, the plain way, for a handful of tokens: an optimal flow has no
 * circles, so it follows some order of the tokens; in each order, what every token passes on is
 * shared out between two pools at a time, as long as that helps.
 */
export function slowOptimum(
  tokenCount: number,
  pools: ReadonlyArray<ConstantProductPool>,
  tokenIn: number,
  tokenOut: number,
  amountIn: number,
): { readonly output: number; readonly edgesUsed: number } {
  const between = Array.from({ length: tokenCount }, (_, token) => token).filter(
    (token) => token !== tokenIn && token !== tokenOut,
  );
  let best = { output: 0, edgesUsed: 0 };
  for (const middle of permutations(between)) {
    const found = optimumInOrder([tokenIn, ...middle, tokenOut], pools, amountIn);
    if (found.output > best.output) best = found;
  }
  return best;
}

function optimumInOrder(
  order: ReadonlyArray<number>,
  pools: ReadonlyArray<ConstantProductPool>,
  amountIn: number,
) {
  const edges = order.map((token) => edgesFrom(token, order, pools));
  const output = () => run(order, edges, amountIn);
  let best = output();
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    for (const group of edges) {
      for (const [index, one] of group.entries()) {
        for (const other of group.slice(index + 1)) shareOut(one, other, output);
      }
    }
    const next = output();
    if (next <= best * (1 + GAIN_MIN)) break;
    best = next;
  }
  const used = edges.flat().filter(({ share }) => share > 1e-6);
  return { output: best, edgesUsed: used.length };
}

function edgesFrom(
  from: number,
  order: ReadonlyArray<number>,
  pools: ReadonlyArray<ConstantProductPool>,
): Edge[] {
  const later = order.slice(order.indexOf(from) + 1);
  const edges = pools.flatMap(({ token0, token1, reserve0, reserve1, feePips }) => {
    const kept = 1 - feePips / 1e6;
    if (token0 === from && later.includes(token1)) {
      return [{ from, to: token1, x: reserve0 / kept, y: reserve1, share: 0 }];
    }
    if (token1 === from && later.includes(token0)) {
      return [{ from, to: token0, x: reserve1 / kept, y: reserve0, share: 0 }];
    }
    return [];
  });
  return edges.map((edge) => ({ ...edge, share: 1 / edges.length }));
}

/** What comes out at the end when every token shares out what it holds. */
function run(
  order: ReadonlyArray<number>,
  edges: ReadonlyArray<ReadonlyArray<Edge>>,
  amountIn: number,
): number {
  const held = new Map([[order[0]!, amountIn]]);
  for (const { from, to, x, y, share } of edges.flat()) {
    const amount = (held.get(from) ?? 0) * share;
    held.set(to, (held.get(to) ?? 0) + (y * amount) / (x + amount));
  }
  return held.get(order[order.length - 1]!) ?? 0;
}

/** Finds the best way to share between two edges what they share now: by golden sections. */
function shareOut(one: Edge, other: Edge, output: () => number): void {
  const total = one.share + other.share;
  const at = (part: number) => {
    one.share = total * part;
    other.share = total - one.share;
    return output();
  };
  const before = { output: output(), part: total === 0 ? 0 : one.share / total };
  let low = 0;
  let high = 1;
  const golden = (Math.sqrt(5) - 1) / 2;
  while (high - low > 1e-9) {
    const left = high - golden * (high - low);
    const right = low + golden * (high - low);
    if (at(left) < at(right)) low = left;
    else high = right;
  }
  const candidates = [0, 1, (low + high) / 2].map((part) => ({ output: at(part), part }));
  const best = [before, ...candidates].reduce((a, b) => (b.output > a.output ? b : a));
  at(best.part);
}

function permutations(items: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
