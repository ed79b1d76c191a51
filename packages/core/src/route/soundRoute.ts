import type { PoolGraph, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";
import {
  invalidArgument,
  isIndex,
  isSwapAmount,
  listOf,
  noSuchPool,
  noSuchToken,
  objectOf,
  readArgument,
} from "../search/arguments.ts";
import type { QuoteStep } from "../search/quote.ts";
import type { PlannedPath, PlannedRoute } from "./PlannedRoute.ts";

/** Far more than the gas of a transaction allows. */
const PATHS_MAX = 4_096;
const PATH_HOPS_MAX = 64;

/** The pool and the tokens of a step. */
export type Hop = Pick<QuoteStep, "pool" | "tokenIn" | "tokenOut">;

/** A checked copy of a route as it is now. Throws a QuoteRequestError that says what is invalid. */
export const soundRoute = (graph: PoolGraph, route: PlannedRoute): PlannedRoute =>
  readArgument("route", () => {
    const { kind, paths } = objectOf("route", route);
    if (kind !== "exactIn" && kind !== "exactOut") {
      throw invalidArgument("kind", 'expected "exactIn" or "exactOut"');
    }
    const sound = listOf("paths", paths, PATHS_MAX).map((path) => soundPath(graph, path));
    const [first] = sound;
    if (first === undefined) throw invalidArgument("paths", "a route has at least one");
    for (const { hops } of sound) {
      if (hops[0]!.tokenIn !== first.hops[0]!.tokenIn || endOf(hops) !== endOf(first.hops)) {
        throw invalidArgument("paths", "they begin with one token, and end with one");
      }
    }
    return { kind, paths: sound };
  });

function soundPath(graph: PoolGraph, path: unknown): PlannedPath {
  const { amount, hops } = objectOf("paths", path);
  if (!isSwapAmount(amount)) throw invalidArgument("amount", "expected a bigint of 1 to 2^256 - 1");
  const sound = listOf("hops", hops, PATH_HOPS_MAX).map((hop) => soundHop(graph, hop));
  if (sound.length === 0) throw invalidArgument("hops", "a path has at least one");
  if (new Set(sound.map(({ pool }) => pool)).size < sound.length) {
    throw invalidArgument("hops", "a pool twice on one path");
  }
  for (let place = 1; place < sound.length; place++) {
    if (sound[place]!.tokenIn !== sound[place - 1]!.tokenOut) {
      throw invalidArgument("hops", "each takes what the one before gives");
    }
  }
  return { amount, hops: sound };
}

/** A hop through a pool of the market, between two of its tokens. */
export function soundHop(graph: PoolGraph, hop: unknown): Hop {
  const { pool, tokenIn, tokenOut } = objectOf("hops", hop);
  if (!isIndex(pool, graph.poolCount) || !graph.isLive(pool as PoolIndex)) {
    throw noSuchPool("pool", pool);
  }
  for (const [field, token] of [
    ["tokenIn", tokenIn],
    ["tokenOut", tokenOut],
  ] as const) {
    if (!isIndex(token, graph.tokenCount)) throw noSuchToken(field, token);
    if (graph.poolPosition(pool as PoolIndex, (token + 0) as TokenIndex) < 0) {
      throw invalidArgument(field, `pool ${pool} has no token ${token}`);
    }
  }
  if (tokenIn === tokenOut) throw invalidArgument("tokenOut", "the same token as tokenIn");
  const [own, other] = [tokenIn as TokenIndex, tokenOut as TokenIndex];
  return { pool: (pool + 0) as PoolIndex, tokenIn: own, tokenOut: other };
}

const endOf = (hops: ReadonlyArray<Hop>) => hops[hops.length - 1]!.tokenOut;
