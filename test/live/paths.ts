import {
  type Address,
  type Engine,
  GAS_LIMIT_DEFAULT,
  type PoolIndex,
  type QuoteResult,
  TRANSACTION_GAS,
} from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { RandomSource } from "@millrace/testing";
import type { PoolReading } from "./readPools.ts";
import { oriented } from "./scene.ts";

/** Which contract answers for a pool: one of the Router02s, the pair alone, or QuoterV2. */
type Venue = "v2" | "v2Sister" | "v2Fork" | "v3";

export interface DeployedPool extends PoolReading {
  readonly deployment: Venue;
}

/** A pool and the position of the token that goes in. */
export interface Hop {
  readonly pool: DeployedPool;
  readonly positionIn: number;
}

/** A swap over pools in this order; no token comes twice. */
export interface PathRequest {
  readonly hops: ReadonlyArray<Hop>;
  readonly kind: "exactIn" | "exactOut";
  readonly amount: bigint;
}

export const tokenInOf = ({ pool, positionIn }: Hop): Address => pool.tokens[positionIn]!;
export const tokenOutOf = ({ pool, positionIn }: Hop): Address => pool.tokens[1 - positionIn]!;
export const tokensOf = (hops: ReadonlyArray<Hop>): Address[] => [
  tokenInOf(hops[0]!),
  ...hops.map(tokenOutOf),
];

export function withDeployment(pool: PoolReading, { contracts }: Devnet): DeployedPool {
  const deployments: Readonly<Record<string, Venue>> = {
    [contracts.v2Factory]: "v2",
    [contracts.v2SisterFactory]: "v2Sister",
    [contracts.v2ForkFactory]: "v2Fork",
    [contracts.v3Factory]: "v3",
  };
  return { ...pool, deployment: deployments[pool.factory]! };
}

/** A random path over pools; shorter than requested where it cannot go on. */
export function pickPath(
  pools: ReadonlyArray<DeployedPool>,
  length: number,
  random: RandomSource,
): ReadonlyArray<Hop> {
  const hops: Hop[] = [{ pool: random.pick(pools), positionIn: random.integer(2) }];
  while (hops.length < length) {
    const tokens = tokensOf(hops);
    const onward = pools.flatMap((pool) =>
      [0, 1]
        .map((positionIn) => ({ pool, positionIn }))
        .filter((hop) => tokenInOf(hop) === tokens.at(-1) && !tokens.includes(tokenOutOf(hop))),
    );
    if (onward.length === 0) break;
    hops.push(random.pick(onward));
  }
  return hops;
}

/** Dust, all orders of magnitude of the pools' holdings, and far more. */
export function pickAmount(
  hops: ReadonlyArray<Hop>,
  kind: PathRequest["kind"],
  random: RandomSource,
) {
  const { pool, positionIn } = kind === "exactIn" ? hops[0]! : hops.at(-1)!;
  const [, , reserveIn, reserveOut] = oriented(pool, positionIn);
  const reserve = kind === "exactIn" ? reserveIn : reserveOut;
  const most = random.integer(8);
  if (most === 0) return BigInt(1 + random.integer(4));
  if (most === 1) return reserve + BigInt(random.integer(3)) + (reserve === 0n ? 1n : 0n);
  if (most === 2) return random.bigint(1n << BigInt(100 + random.integer(157))) + 1n;
  const bound = 10n ** BigInt(1 + random.integer(String(reserve).length));
  return random.bigint(most === 3 ? bound * 10n : bound) + 1n;
}

/** The engine's quote of this path and no other. */
export function quotePath(engine: Engine["Service"], request: PathRequest): QuoteResult {
  const { graph, quoteUnsafe } = engine;
  const { hops, kind, amount } = request;
  const wanted = new Set(hops.map(({ pool }) => pool.address));
  const withoutPools: PoolIndex[] = [];
  for (let pool = 0 as PoolIndex; pool < graph.poolCount; pool++) {
    if (graph.isLive(pool) && !wanted.has(graph.poolAddress(pool))) withoutPools.push(pool);
  }
  const tokens = tokensOf(hops).map((token) => graph.findToken(token)!);
  return quoteUnsafe({
    ...{ tokenIn: tokens[0]!, tokenOut: tokens.at(-1)!, kind, amount },
    ...{ maxHops: hops.length, filter: { withoutPools } },
  });
}

/**
 * The answers of a path's pools one after the other, where by the engine's bounds their swaps
 * together need more gas than a transaction has: then the engine refuses a swap that a contract may
 * still fill. Undefined where gas is not the reason.
 */
export function amountBeyondGas(
  { graph, familyOf }: Engine["Service"],
  { hops, kind, amount }: PathRequest,
): bigint | undefined {
  let passing = amount;
  let gas = TRANSACTION_GAS;
  for (const { pool, positionIn } of kind === "exactIn" ? hops : hops.toReversed()) {
    const index = graph.findPool(pool.address)!;
    const family = familyOf(index);
    const other =
      kind === "exactIn"
        ? family.quoteExactIn(index, positionIn, 1 - positionIn, passing)
        : family.quoteExactOut(index, positionIn, 1 - positionIn, passing);
    if (other <= 0n) return undefined;
    gas += family.gas(index, positionIn, 1 - positionIn, kind === "exactIn" ? passing : other);
    passing = other;
  }
  return gas > GAS_LIMIT_DEFAULT ? passing : undefined;
}

/** The hops of a quote's steps. */
export function hopsOf(
  { graph }: Engine["Service"],
  quote: Extract<QuoteResult, { readonly found: true }>,
  pools: ReadonlyArray<DeployedPool>,
): ReadonlyArray<Hop> {
  return quote.steps.map((step) => {
    const address = graph.poolAddress(step.pool);
    const pool = pools.find((known) => known.address === address)!;
    return { pool, positionIn: graph.poolPosition(step.pool, step.tokenIn) };
  });
}
