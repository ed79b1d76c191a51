import type { PoolGraph } from "@millrace/core";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import { NAME_SHOWN, reading } from "./readArguments.ts";

// What a call passes on to where the service reads a body.

/** Far more than any valid request has. */
const VALUES_MAX = 20_000;
const DEPTH_MAX = 8;
const AMOUNT_END = 2n ** 256n;

/** JSON text of a passed value, with amounts as the service takes them; reads each part once. */
export const wireText = (value: unknown): string => JSON.stringify(plainCopy(value));

/** A copy that consists of JSON values; throws a MillraceError for others, and for too many. */
function plainCopy(value: unknown): unknown {
  let left = VALUES_MAX;
  const copyOf = (part: unknown, depth: number): unknown => {
    if (--left < 0) throw invalidCall("what was passed holds too many values");
    if (typeof part === "bigint") {
      if (part < 0n || part >= AMOUNT_END) throw invalidCall("an amount is 0 to 2^256 - 1");
      return part.toString();
    }
    if (typeof part === "symbol" || typeof part === "function") {
      throw invalidCall(`no ${typeof part} is expected`);
    }
    if (typeof part !== "object" || part === null) return part;
    if (depth === DEPTH_MAX) throw invalidCall("what was passed is nested too deeply");
    if (Array.isArray(part)) {
      const { length } = part;
      if (!(length <= left)) throw invalidCall("what was passed holds too many values");
      const list: unknown[] = [];
      for (let place = 0; place < length; place++) list.push(copyOf(part[place], depth + 1));
      return list;
    }
    const copy = Object.create(null);
    for (const name in part) copy[name] = copyOf((part as Members)[name], depth + 1);
    return copy;
  };
  return reading(() => copyOf(value, 0));
}

type Members = Readonly<Record<string, unknown>>;

/** Assumptions of a quote, as the service takes them: steps have other names there. */
export function wireAssumptions(graph: PoolGraph, assumptions: unknown): unknown {
  const list = plainCopy(assumptions);
  if (!Array.isArray(list)) return list;
  return list.map((assumption) => {
    const routePlan = assumption?.routePlan;
    if (!Array.isArray(routePlan)) return assumption;
    return { ...assumption, routePlan: routePlan.map((step) => wireStep(graph, step)) };
  });
}

/** The steps of a passed quote. */
export function wireSteps(graph: PoolGraph, steps: unknown): ReadonlyArray<object> {
  const list = plainCopy(steps);
  if (!Array.isArray(list)) throw invalidCall("expected a quote, with its steps");
  return list.map((step) => wireStep(graph, step));
}

/** A copied step, if its pool is in the market. */
function wireStep(graph: PoolGraph, step: unknown): object {
  const { pool: id, tokenIn, tokenOut, amountIn, amountOut } = Object(step);
  if (typeof id !== "string") throw invalidCall("expected a quote, with its steps");
  const pool = graph.findPool(id);
  if (pool === undefined) {
    throw new MillraceError("UNKNOWN_POOL", `no pool ${id.slice(0, NAME_SHOWN)}`);
  }
  const contract = graph.poolContract(pool);
  const isLong = graph.poolId(pool) !== undefined;
  return {
    ...{ tokenA: tokenIn, tokenB: tokenOut, poolAddress: contract, amountIn, amountOut },
    ...(isLong && { poolId: id }),
  };
}
