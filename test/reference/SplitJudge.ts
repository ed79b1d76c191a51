import { isDeepStrictEqual } from "node:util";
import {
  type Curve,
  GAS_LIMIT_DEFAULT,
  type MarketOptions,
  netOf,
  type OpenMarket,
  type Quote,
  type QuoteRequest,
  type QuoteResult,
} from "@millrace/core";
import {
  engineMarket,
  type PlainMarket,
  type PlainPool,
  type PlainRequest,
  poolIndexOf,
} from "@millrace/testing/reference";
import { faultOfPaths } from "./replayPaths.ts";

/** A request by addresses that may be split. */
export interface SplitRequest extends PlainRequest {
  readonly maxSplits: number;
}

export const NO_GAS_LIMIT = { gasLimit: Number.POSITIVE_INFINITY };

/** Compares the engine's split quotes on one market with a replay by the reference. */
export class SplitJudge {
  readonly open: OpenMarket;
  private readonly pools: ReadonlyMap<string, PlainPool>;
  private readonly gasLimit: number;

  constructor(
    market: PlainMarket,
    { gasLimit = GAS_LIMIT_DEFAULT }: MarketOptions = {},
    families?: ReadonlyArray<Curve>,
  ) {
    this.open = engineMarket(market, { gasLimit }, families);
    this.pools = new Map(market.pools.map((pool) => [pool.address, pool]));
    this.gasLimit = gasLimit;
  }

  quote(request: SplitRequest): QuoteResult {
    return this.open.router.quote(this.requestOf(request));
  }

  /** The best single path, which `optimality.test.ts` compares with brute force. */
  single(request: SplitRequest): QuoteResult {
    const { maxSplits: _, ...single } = this.requestOf(request);
    return this.open.router.quote(single);
  }

  /** The engine's answer when gas has no price. */
  unpriced(request: SplitRequest): QuoteResult {
    return this.open.router.quote({ ...this.requestOf(request), gasPrice: 0 });
  }

  /** The fault of the engine's answer; undefined if it has none. */
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
    const { gas, priceImpact, typicalGas } = result;
    const isPriced = request.gasPrice !== undefined;
    if (isPriced ? !(typicalGas! > 0) : "typicalGas" in result) return `adds ${typicalGas} gas`;
    if (!(gas > 0 && gas <= this.gasLimit)) return `needs ${gas} gas`;
    if (!(priceImpact >= 0 && priceImpact <= 1)) return `has a price impact of ${priceImpact}`;
    return (
      faultOfPaths(request, result, this.open.graph, this.allowed(request)) ??
      (single.found ? faultBesides(request, result, single, "one path") : undefined) ??
      faultBesides(request, result, this.unpriced(request), "with no price of gas")
    );
  }

  /** The request in terms of the engine's market. */
  requestOf(request: SplitRequest): QuoteRequest {
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
      ...(request.gasPrice !== undefined && { gasPrice: request.gasPrice }),
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

function faultBesides(
  request: SplitRequest,
  split: Quote,
  other: QuoteResult,
  name: string,
): string | undefined {
  if (!other.found || netOf(request, split) >= netOf(request, other)) return undefined;
  return `leaves ${netOf(request, split)} after gas; ${name} ${netOf(request, other)}`;
}

function describe(request: SplitRequest): string {
  return JSON.stringify(request, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}
