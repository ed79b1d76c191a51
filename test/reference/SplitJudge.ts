import { isDeepStrictEqual } from "node:util";
import {
  GAS_LIMIT_DEFAULT,
  type MarketOptions,
  type OpenMarket,
  type Quote,
  type QuoteRequest,
  type QuoteResult,
} from "@millrace/core";
import { engineMarket, poolIndexOf } from "./engineMarket.ts";
import type { PlainRequest } from "./Judge.ts";
import type { PlainMarket, PlainPool } from "./plainMarket.ts";
import { faultOfPaths } from "./replayPaths.ts";

/** A request by addresses that may be split. */
export interface SplitRequest extends PlainRequest {
  readonly maxSplits: number;
}

/** Holds the engine's split quotes on one market against a replay by the reference. */
export class SplitJudge {
  readonly open: OpenMarket;
  private readonly pools: ReadonlyMap<string, PlainPool>;
  private readonly gasLimit: number;

  constructor(market: PlainMarket, { gasLimit = GAS_LIMIT_DEFAULT }: MarketOptions = {}) {
    this.open = engineMarket(market, { gasLimit });
    this.pools = new Map(market.pools.map((pool) => [pool.address, pool]));
    this.gasLimit = gasLimit;
  }

  quote(request: SplitRequest): QuoteResult {
    return this.open.router.quote(this.requestOf(request));
  }

  /** The best single path: `optimality.test.ts` holds it against brute force. */
  single(request: SplitRequest): QuoteResult {
    const { maxSplits: _, ...single } = this.requestOf(request);
    return this.open.router.quote(single);
  }

  /** What is wrong with the engine's answer, or undefined when nothing is. */
  fault(request: SplitRequest): string | undefined {
    const fault = this.faultOfResult(request, this.quote(request));
    return fault && `${describe(request)}: ${fault}`;
  }

  private faultOfResult(request: SplitRequest, result: QuoteResult): string | undefined {
    if (!isDeepStrictEqual(this.quote(request), result)) return "answers otherwise the second time";
    const single = this.single(request);
    if (!result.found) {
      if (single.found) return `${result.reason}, but one path does`;
      return single.reason === result.reason ? undefined : `${result.reason}, not ${single.reason}`;
    }
    const { gas, priceImpact } = result;
    if (!(gas > 0 && gas <= this.gasLimit)) return `needs ${gas} gas`;
    if (!(priceImpact >= 0 && priceImpact <= 1)) return `has a price impact of ${priceImpact}`;
    return (
      faultOfPaths(request, result, this.open.graph, this.allowed(request)) ??
      (single.found ? faultBesides(request, result, single) : undefined)
    );
  }

  private requestOf(request: SplitRequest): QuoteRequest {
    const { graph } = this.open;
    const { onlyDexes, withoutDexes, withoutPools } = request;
    const dexIndex = (id: string) => graph.dexes.findIndex((dex) => dex.id === id);
    const poolIndex = (address: string) => poolIndexOf(this.open, this.pools.get(address)!);
    return {
      tokenIn: graph.findToken(request.tokenIn)!,
      tokenOut: graph.findToken(request.tokenOut)!,
      kind: request.kind,
      amount: request.amount,
      maxHops: request.maxHops,
      maxSplits: request.maxSplits,
      ...((onlyDexes || withoutDexes || withoutPools) && {
        filter: {
          ...(onlyDexes && { onlyDexes: onlyDexes.map(dexIndex) }),
          ...(withoutDexes && { withoutDexes: withoutDexes.map(dexIndex) }),
          ...(withoutPools && { withoutPools: withoutPools.map(poolIndex) }),
        },
      }),
    };
  }

  private allowed({ onlyDexes, withoutDexes, withoutPools }: PlainRequest) {
    if (!onlyDexes && !withoutDexes && !withoutPools) return this.pools;
    return new Map(
      [...this.pools].filter(
        ([address, { dexId }]) =>
          (onlyDexes?.includes(dexId) ?? true) &&
          !withoutDexes?.includes(dexId) &&
          !withoutPools?.includes(address),
      ),
    );
  }
}

function faultBesides({ kind }: SplitRequest, split: Quote, single: Quote): string | undefined {
  if (kind === "exactIn" && split.amountOut < single.amountOut) {
    return `gives ${split.amountOut}, one path ${single.amountOut}`;
  }
  if (kind === "exactOut" && split.amountIn > single.amountIn) {
    return `takes ${split.amountIn}, one path ${single.amountIn}`;
  }
  return undefined;
}

function describe(request: SplitRequest): string {
  return JSON.stringify(request, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}
