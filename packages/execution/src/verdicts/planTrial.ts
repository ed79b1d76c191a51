import type {
  Address,
  Engine,
  PoolIndex,
  Quote,
  QuoteRequest,
  QuoteStep,
  TokenIndex,
} from "@millrace/core";

import { swapLeg } from "../review/swapLeg.ts";
import { EXECUTOR_PROTOCOLS, executorLegs } from "../routers/executorLegs.ts";

/** A trial of a token, with the amounts that it must give if the token is plain. */
export interface Trial {
  readonly token: Address;
  readonly wrappedNative: Address;
  readonly blockNumber: number;
  readonly blockHash: `0x${string}`;
  readonly purchase: {
    readonly amountIn: bigint;
    /** By our arithmetic. */
    readonly amountOut: bigint;
    readonly legs: ReadonlyArray<TrialLeg>;
    /** The balance of the token that the last pool needs to pay everybody. */
    readonly promised: bigint;
  };
  /** To be tried in turn: back through the pool of the purchase, then through the best other. */
  readonly sales: ReadonlyArray<TrialSale>;
}

export interface TrialLeg {
  /** The contract that holds the pool's tokens. */
  readonly holder: Address;
  readonly tokenOut: Address;
  /** In the executor's encoding, hex digits. */
  readonly digits: string;
}

interface TrialSale {
  readonly leg: TrialLeg;
  /** What selling the whole purchase then gives if the token is plain, by our arithmetic. */
  readonly amountOut: bigint;
}

export interface TrialMarket {
  readonly engine: Engine["Service"];
  /** Lower case. */
  readonly wrappedNative: Address;
  /** Whether a token is known to be plain. */
  readonly isPlain: (token: Address) => boolean;
}

/** A hundredth of a native token first; less and more where pools are too shallow or too coarse. */
const AMOUNTS_WEI = [16n, 13n, 10n, 18n, 20n].map((digits) => 10n ** digits);
/** Units of the token: with fewer, a tax of one basis point would not show. */
const UNITS_ENOUGH = 10_000n;
const HOPS_MAX = 3;
/** How often a route is sought without the pools of tokens that are not known to be plain. */
const DETOURS_MAX = 4;

/**
 * Plans a trial, synchronously, so that all of it is of one block. A text says why there is none.
 */
export function planTrial(market: TrialMarket, address: Address): Trial | string {
  const { engine, wrappedNative } = market;
  const { graph } = engine;
  const native = graph.findToken(wrappedNative);
  const token = graph.findToken(address);
  if (native === undefined || token === undefined || native === token) return "no such market";
  const quote = findPurchase(market, native, token);
  if (typeof quote === "string") return quote;
  const last = quote.steps.at(-1)!;
  const legs = quote.steps.map((step) => legOf(market, step));
  const sales = findSales(market, quote, last);
  if (!legs.every(isKnown) || sales.length === 0)
    return "its pools are of a kind that cannot be tried";
  const promised = engine.familyOf(last.pool).tokenAmounts(last.pool);
  return {
    ...{ token: address, wrappedNative, sales },
    ...{ blockNumber: graph.stamp.number, blockHash: graph.stamp.hash },
    purchase: {
      ...{ amountIn: quote.amountIn, amountOut: quote.amountOut, legs },
      promised: promised[graph.poolPosition(last.pool, token)] ?? 0n,
    },
  };
}

const isKnown = (leg: TrialLeg | undefined): leg is TrialLeg => leg !== undefined;

/** The shortest good route: the fewer pools, the fewer other causes of a deviation. */
function findPurchase(
  { engine, isPlain }: TrialMarket,
  native: TokenIndex,
  token: TokenIndex,
): Quote | string {
  let unknown: Address | undefined;
  let best: Quote | undefined;
  for (let maxHops = 1; maxHops <= HOPS_MAX; maxHops++) {
    const withoutPools: PoolIndex[] = [];
    for (let detours = 0; detours < DETOURS_MAX; detours++) {
      const quote = findAmount(engine, { tokenIn: native, tokenOut: token, maxHops, withoutPools });
      if (quote === undefined) break;
      const doubtful = quote.steps.find(
        (step) => step.tokenIn !== native && !isPlain(engine.graph.tokenAddress(step.tokenIn)),
      );
      if (doubtful === undefined) {
        if (quote.amountOut >= UNITS_ENOUGH) return quote;
        if (best === undefined || quote.amountOut > best.amountOut) best = quote;
        break;
      }
      unknown = engine.graph.tokenAddress(doubtful.tokenIn);
      withoutPools.push(doubtful.pool);
    }
  }
  if (best !== undefined) return best;
  if (unknown !== undefined) return `routes lead through ${unknown}, of which nothing is known`;
  return "no route leads there";
}

interface Ends {
  readonly tokenIn: TokenIndex;
  readonly tokenOut: TokenIndex;
  readonly maxHops: number;
  readonly withoutPools: ReadonlyArray<PoolIndex>;
}

/** A quote of the first amount that gives enough units, or of the one that gives most. */
function findAmount(
  { quoteUnsafe }: Engine["Service"],
  { tokenIn, tokenOut, maxHops, withoutPools }: Ends,
): Quote | undefined {
  let best: Quote | undefined;
  for (const amount of AMOUNTS_WEI) {
    const request: QuoteRequest = { tokenIn, tokenOut, kind: "exactIn", amount, maxHops };
    const quote = quoteUnsafe(
      withoutPools.length === 0 ? request : { ...request, filter: { withoutPools } },
    );
    if (!quote.found) {
      if (quote.reason === "NoRoute") return best;
      continue;
    }
    if (quote.amountOut >= UNITS_ENOUGH) return quote;
    if (best === undefined || quote.amountOut > best.amountOut) best = quote;
  }
  return best;
}

/** Sales of what was bought, in the market as the purchase leaves it. */
function findSales(
  market: TrialMarket,
  purchase: Quote,
  { pool, tokenIn, tokenOut }: QuoteStep,
): ReadonlyArray<TrialSale> {
  const { engine } = market;
  const after = engine.overlay(
    purchase.steps.map((step) => ({
      ...({ kind: "swapped", pool: step.pool, amountIn: step.amountIn } as const),
      ...{ tokenIn: step.tokenIn, tokenOut: step.tokenOut },
    })),
  );
  if (after.refused) return [];
  const back = { tokenIn: tokenOut, tokenOut: tokenIn, kind: "exactIn", maxHops: 1 } as const;
  const amount = purchase.amountOut;
  const { graph } = engine;
  const family = after.familyOf(pool);
  const [own, other] = [graph.poolPosition(pool, tokenOut), graph.poolPosition(pool, tokenIn)];
  const amountOut = family.quoteExactIn(pool, own, other, amount);
  const elsewhere = after.quoteUnsafe({ ...back, amount, filter: { withoutPools: [pool] } });
  const steps = [
    { ...back, pool, amountIn: amount, amountOut },
    ...(elsewhere.found ? elsewhere.steps : []),
  ];
  return steps.flatMap((step) => {
    const leg = legOf(market, step);
    return leg === undefined || step.amountOut <= 0n ? [] : [{ leg, amountOut: step.amountOut }];
  });
}

/** Undefined where the executor has no such legs. */
function legOf({ engine, wrappedNative }: TrialMarket, step: QuoteStep): TrialLeg | undefined {
  const leg = swapLeg(engine, step);
  if (!EXECUTOR_PROTOCOLS.has(leg.protocol)) return undefined;
  const holder = leg.key?.manager ?? leg.pool;
  const [tokenIn, tokenOut] = [step.tokenIn, step.tokenOut].map((token) =>
    engine.graph.tokenAddress(token),
  ) as [Address, Address];
  // Before a pool of the native token the wrapped one is unwrapped; after it, it is wrapped again.
  const ends = { tokenIn, tokenOut, nativeOut: false };
  const path = { amountIn: step.amountIn, amountOut: step.amountOut, legs: [leg] };
  return { holder, tokenOut, digits: executorLegs(path, ends, wrappedNative) };
}
