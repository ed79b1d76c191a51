import type { Curve, OpenMarket, PoolFilter, Quote, QuoteResult } from "@millrace/core";
import {
  directionFeePips,
  encodeState,
  engineMarket,
  exactSwap,
  listingOf,
  type PlainMarket,
  type PlainPool,
  type PlainRequest,
  poolAfter,
  poolIndexOf,
  StepCache,
} from "@millrace/testing/reference";
import { type BruteAnswer, BruteForce, type TypicalGas } from "./bruteForce.ts";

const IMPACT_TOLERANCE = 1e-9;

/** AmountTooSmall is required when an amount up to 2^NEAR_BITS times as large would do … */
const NEAR_BITS = 16;
/** … or when further amounts would do in a range this wide. */
const WIDE_BITS = 9;

/** Compares the engine's answers on one market with brute force. */
export class Judge {
  readonly open: OpenMarket;
  private readonly pools: Map<string, PlainPool>;
  private brute: BruteForce;
  private readonly block: number;

  constructor(market: PlainMarket, families?: ReadonlyArray<Curve>) {
    // Brute force has no gas limit.
    this.open = engineMarket(market, { gasLimit: Number.POSITIVE_INFINITY }, families);
    this.pools = new Map(market.pools.map((pool) => [pool.address, pool]));
    this.brute = new BruteForce(market, this.typicalGas);
    this.block = market.block;
  }

  /** Applies a block to the engine and the reference: it removes, adds and changes pools. */
  update(block: {
    readonly removed?: ReadonlyArray<PlainPool>;
    readonly added?: ReadonlyArray<PlainPool>;
    readonly changed?: ReadonlyArray<PlainPool>;
  }): void {
    const { removed = [], added = [], changed = [] } = block;
    const { graph, writer } = this.open;
    const { rejected } = writer.applyBlock({
      stamp: graph.stamp,
      dexes: [],
      tokens: [],
      pools: added.map(listingOf),
      removedPools: removed.map(({ address }) => address),
      states: [...added, ...changed].map((pool) => ({
        pool: pool.address,
        state: encodeState(pool),
      })),
      swaps: [],
      supplies: [],
    });
    if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
    for (const { address } of removed) this.pools.delete(address);
    for (const pool of [...added, ...changed]) this.pools.set(pool.address, pool);
    this.brute = new BruteForce({ pools: [...this.pools.values()] }, this.typicalGas);
  }

  /** Executes the engine's route, where it has one, in the engine and in the reference. */
  execute(request: PlainRequest): void {
    const { graph, families, writer } = this.open;
    const quote = this.quote(request);
    if (!quote.found) return;
    for (const { pool, tokenIn, tokenOut, amountIn } of quote.steps) {
      const plain = this.pools.get(graph.poolAddress(pool))!;
      const [from, to] = [graph.poolPosition(pool, tokenIn), graph.poolPosition(pool, tokenOut)];
      const family = families[graph.poolCurve[pool]!]!;
      writer.applySwap(family.swapExactIn(pool, from, to, amountIn)!);
      this.pools.set(plain.address, poolAfter(plain, from === 0, "exactIn", amountIn)!.after);
    }
    this.brute = new BruteForce({ pools: [...this.pools.values()] }, this.typicalGas);
  }

  /** Whether the engine has a route. */
  finds(request: PlainRequest): boolean {
    return this.quote(request).found;
  }

  /** The pools of the engine's route in order; empty without a route. */
  shape(request: PlainRequest): string {
    const quote = this.quote(request);
    return quote.found ? quote.steps.map(({ pool }) => pool).join() : "";
  }

  /** The fault of the engine's answer; undefined if it has none. */
  disagreement(request: PlainRequest): string | undefined {
    const result = this.quote(request);
    const brute = this.filterOf(request)
      ? new BruteForce({ pools: this.allowed(request) }, this.typicalGas)
      : this.brute;
    const truth = brute.best(request);
    const complaint = result.found
      ? this.faultOfQuote(request, truth, result)
      : faultOfReason(request, truth, brute, result.reason);
    return complaint && `${describe(request)}: ${complaint}`;
  }

  private quote(request: PlainRequest): QuoteResult {
    const { graph, router } = this.open;
    const filter = this.filterOf(request);
    return router.quote({
      tokenIn: graph.findToken(request.tokenIn)!,
      tokenOut: graph.findToken(request.tokenOut)!,
      kind: request.kind,
      amount: request.amount,
      maxHops: request.maxHops,
      ...(request.gasPrice !== undefined && { gasPrice: request.gasPrice }),
      ...(filter && { filter }),
    });
  }

  private readonly typicalGas: TypicalGas = (plain, zeroForOne, amountIn) => {
    const { graph, families } = this.open;
    const pool = poolIndexOf(this.open, plain);
    const [from, to] = zeroForOne ? [0, 1] : [1, 0];
    return families[graph.poolCurve[pool]!]!.typicalGas(pool, from!, to!, amountIn);
  };

  private faultOfQuote(
    request: PlainRequest,
    truth: BruteAnswer,
    quote: Quote,
  ): string | undefined {
    const { best } = truth;
    const amount = request.kind === "exactIn" ? quote.amountOut : quote.amountIn;
    const given = request.kind === "exactIn" ? quote.amountIn : quote.amountOut;
    if (best === undefined) return `gives ${amount}, but no path can`;
    const { gasPrice = 0 } = request;
    const cost = BigInt(Math.ceil(gasPrice * (quote.typicalGas ?? 0)));
    const net = (request.kind === "exactIn" ? amount : -amount) - cost;
    if (net !== best.net) {
      return `gives ${amount}, ${net} after gas; the best path ${best.amount}, ${best.net} after gas`;
    }
    if (given !== request.amount) return `changes the amount to ${given}`;
    if (quote.steps.length !== best.hops) {
      return `takes ${quote.steps.length} pools where ${best.hops} give the same`;
    }
    if (quote.stamp.number !== this.block) return `is stamped ${quote.stamp.number}`;
    return this.faultOfSteps(request, quote) ?? this.faultOfImpact(quote);
  }

  private faultOfSteps(request: PlainRequest, quote: Quote): string | undefined {
    const { graph } = this.open;
    const { steps } = quote;
    if (steps.length > request.maxHops) return `takes ${steps.length} pools`;
    const tokens = [steps[0]!.tokenIn, ...steps.map(({ tokenOut }) => tokenOut)];
    let typicalGas = 0;
    if (new Set(tokens).size !== tokens.length) return `visits a token twice: ${tokens}`;
    if (graph.tokenAddress(tokens[0]!) !== request.tokenIn) return "starts at another token";
    if (graph.tokenAddress(tokens.at(-1)!) !== request.tokenOut) return "ends at another token";
    if (steps[0]!.amountIn !== quote.amountIn) return "the first step takes another amount";
    if (steps.at(-1)!.amountOut !== quote.amountOut) return "the last step gives another amount";
    for (const [place, step] of steps.entries()) {
      const before = steps[place - 1];
      if (before && (before.amountOut !== step.amountIn || before.tokenOut !== step.tokenIn)) {
        return `step ${place} does not take what the one before gives`;
      }
      const pool = this.pools.get(graph.poolAddress(step.pool))!;
      const zeroForOne = graph.tokenAddress(step.tokenIn) === pool.token0;
      const ends = [graph.tokenAddress(step.tokenIn), graph.tokenAddress(step.tokenOut)];
      if (!ends.includes(pool.token0) || !ends.includes(pool.token1)) return "not a pool of these";
      const amount = request.kind === "exactIn" ? step.amountIn : step.amountOut;
      const exact = exactSwap(pool, zeroForOne)(request.kind, amount);
      if (exact?.in !== step.amountIn || exact.out !== step.amountOut) {
        return `step ${place} is not exact: ${step.amountIn} → ${step.amountOut}`;
      }
      typicalGas += this.typicalGas(pool, zeroForOne, step.amountIn);
    }
    const expected = request.gasPrice === undefined ? undefined : typicalGas;
    return quote.typicalGas === expected
      ? undefined
      : `adds ${typicalGas} gas, not ${quote.typicalGas}`;
  }

  private faultOfImpact(quote: Quote): string | undefined {
    const { priceImpact, steps } = quote;
    if (!(priceImpact >= 0 && priceImpact <= 1)) return `has a price impact of ${priceImpact}`;
    let smallTrade = 1;
    for (const step of steps) {
      const pool = this.pools.get(this.open.graph.poolAddress(step.pool))!;
      const zeroForOne = this.open.graph.tokenAddress(step.tokenIn) === pool.token0;
      smallTrade *= spotPrice(pool, zeroForOne) * (1 - feePipsOf(pool, zeroForOne) / 1_000_000);
    }
    const impact = 1 - Number(quote.amountOut) / Number(quote.amountIn) / smallTrade;
    const expected = Math.min(1, Math.max(0, impact));
    if (Math.abs(expected - priceImpact) > IMPACT_TOLERANCE) {
      return `has a price impact of ${priceImpact}, not ${expected}`;
    }
    return undefined;
  }

  private filterOf(request: PlainRequest): PoolFilter | undefined {
    const { onlyDexes, withoutDexes, withoutPools } = request;
    if (onlyDexes === undefined && withoutDexes === undefined && withoutPools === undefined) {
      return undefined;
    }
    const dexIndex = (id: string) => this.open.graph.dexes.findIndex((dex) => dex.id === id);
    return {
      ...(onlyDexes && { onlyDexes: onlyDexes.map(dexIndex) }),
      ...(withoutDexes && { withoutDexes: withoutDexes.map(dexIndex) }),
      ...(withoutPools && {
        withoutPools: withoutPools.map((id) => poolIndexOf(this.open, this.pools.get(id)!)),
      }),
    };
  }

  private allowed({ onlyDexes, withoutDexes, withoutPools }: PlainRequest): PlainPool[] {
    return [...this.pools.values()].filter(
      ({ dexId, address }) =>
        (onlyDexes?.includes(dexId) ?? true) &&
        !withoutDexes?.includes(dexId) &&
        !withoutPools?.includes(address),
    );
  }
}

function faultOfReason(
  request: PlainRequest,
  truth: BruteAnswer,
  brute: BruteForce,
  reason: string,
): string | undefined {
  if (truth.best) return `${reason}, but a path of ${truth.best.hops} gives ${truth.best.amount}`;
  const expected = expectedReasons(request, truth, brute);
  return expected.includes(reason) ? undefined : `${reason}, not ${expected.join(" or ")}`;
}

/** The reasons that the contract of `NoQuoteReason` allows; several where it leaves the choice. */
function expectedReasons(request: PlainRequest, truth: BruteAnswer, brute: BruteForce): string[] {
  if (!truth.linked) return ["NoRoute"];
  if (!truth.someNothing) return ["InsufficientLiquidity"];
  if (truth.someRefused) return ["AmountTooSmall", "InsufficientLiquidity"];
  let window = 0;
  // No token has 2^128 units, so larger amounts would be no useful advice.
  for (let bits = 1; request.amount << BigInt(bits) < 1n << 128n; bits++) {
    const larger = brute.best({ ...request, amount: request.amount << BigInt(bits) });
    window = larger.best ? window + 1 : 0;
    if (larger.best && (bits <= NEAR_BITS || window >= WIDE_BITS)) return ["AmountTooSmall"];
  }
  // A distant and narrow range of amounts is not worth a search.
  return ["AmountTooSmall", "InsufficientLiquidity"];
}

function feePipsOf(pool: PlainPool, zeroForOne: boolean): number {
  return pool.family === "constantProduct" ? pool.feePips : directionFeePips(pool, zeroForOne);
}

/** The price of an infinitely small trade, fee apart. */
function spotPrice(pool: PlainPool, zeroForOne: boolean): number {
  const price =
    pool.family === "constantProduct"
      ? Number(pool.reserve1) / Number(pool.reserve0)
      : (Number(new StepCache(pool, zeroForOne).firstPriceX96()) / 2 ** 96) ** 2;
  return zeroForOne ? price : 1 / price;
}

function describe(request: PlainRequest): string {
  return JSON.stringify(request, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}
