import { POOL_SORT_FIELDS, TOKEN_SORT_FIELDS } from "@millrace/api";
import type { NetworkMarket } from "@millrace/server";
import { invalidCall } from "./MillraceError.ts";
import { readArguments } from "./readArguments.ts";
import type { TokenNames } from "./TokenNames.ts";

type TokenSort = (typeof TOKEN_SORT_FIELDS)[number];
type PoolSort = (typeof POOL_SORT_FIELDS)[number];

interface Paging<Sort extends string> {
  /** Counted from 1; default 1. */
  readonly page?: number;
  /** Entries per page: 1 to 500, default 50. */
  readonly limit?: number;
  /** A field, ascending; with `-` before it, descending. */
  readonly sort?: Sort | `-${Sort}`;
}

/** Filter and order of tokens: by default the most liquid first. */
export interface TokenListOptions extends Paging<TokenSort> {
  /** In any case. */
  readonly symbol?: string;
  /** Id or name of a DEX, in any case. */
  readonly dex?: string;
  /** US dollars. */
  readonly minLiquidity?: number;
  readonly minVolume24h?: number;
}

/** Filter and order of pools: by default the most liquid first. */
export interface PoolListOptions extends Paging<PoolSort> {
  /** An address or an unambiguous symbol. */
  readonly token?: string;
  readonly dex?: string;
  readonly minLiquidityUsd?: number;
  /** Hundredths of a basis point. */
  readonly fee?: number;
}

/** A page of a list, and the total number of entries. */
export interface ListPage<A> {
  readonly items: ReadonlyArray<A>;
  readonly total: number;
}

export interface TokenSummary {
  /** Lower case. */
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Names of the DEXes with a pool of the token. */
  readonly dexes: ReadonlyArray<string>;
  /** Of one whole token; 0 when unknown. */
  readonly priceUsd: number;
  /** The token's amount in all pools. */
  readonly liquidityUsd: number;
  readonly marketCapUsd: number | undefined;
  readonly volume24hUsd: number;
  readonly priceChanges: TokenPriceChanges;
  readonly lastUpdatedMs: number;
}

/** Change of a price since then, as a fraction; undefined while unknown. */
export interface TokenPriceChanges {
  readonly minutes5: number | undefined;
  readonly hour1: number | undefined;
  readonly hours6: number | undefined;
  readonly hours24: number | undefined;
  /** Only for a network that keeps a history. */
  readonly days7: number | undefined;
  readonly days30: number | undefined;
}

export interface PoolSummary {
  /** The pool's address, or its id of 32 bytes; lower case. */
  readonly pool: string;
  /** The contract that holds it: the pool itself, or its DEX's contract where it has an id. */
  readonly contract: string;
  readonly dexId: string;
  /** Addresses, in the pool's own order. */
  readonly tokens: ReadonlyArray<string>;
  readonly feePips: number;
  readonly liquidityUsd: number;
  readonly volume24hUsd: number;
  /** Number of the last block that changed it. */
  readonly updatedBlock: number;
  readonly lastUpdatedMs: number;
}

/** Pages of tokens and of pools, as in the service. */
export class MarketLists {
  readonly #market: NetworkMarket;
  readonly #tokens: TokenNames;

  constructor(market: NetworkMarket, tokens: TokenNames) {
    this.#market = market;
    this.#tokens = tokens;
  }

  tokens(options: TokenListOptions): ListPage<TokenSummary> {
    const { symbol, dex, minLiquidity, minVolume24h, ...paging } = readArguments(
      options,
      ["page", "limit", "sort", "symbol", "dex", "minLiquidity", "minVolume24h"],
      "list",
    );
    const { items, total } = this.#market.data.tokens({
      ...pagingOf(paging, TOKEN_SORT_FIELDS, "-liquidity"),
      ...(symbol !== undefined && { symbol: shortText("symbol", symbol) }),
      ...(dex !== undefined && { dex: shortText("dex", dex) }),
      ...(minLiquidity !== undefined && { minLiquidity: dollars("minLiquidity", minLiquidity) }),
      ...(minVolume24h !== undefined && { minVolume24h: dollars("minVolume24h", minVolume24h) }),
    });
    return {
      items: items.map((view) => ({
        ...{ address: view.address, symbol: view.symbol, name: view.name },
        ...{ decimals: view.decimals, dexes: view.dexes, priceUsd: view.priceUsd },
        ...{ liquidityUsd: view.liquidityUsd, marketCapUsd: view.marketCapUsd },
        ...{ volume24hUsd: view.volume24hUsd, lastUpdatedMs: view.lastUpdatedMs },
        priceChanges: this.#changesOf(view),
      })),
      total,
    };
  }

  #changesOf(view: ReturnType<NetworkMarket["data"]["token"]>): TokenPriceChanges {
    const long = this.#market.longChanges?.of(view.address, view.priceUsd);
    return {
      ...{ minutes5: view.priceChange5m, hour1: view.priceChange1h },
      ...{ hours6: view.priceChange6h, hours24: view.priceChange24h },
      ...{ days7: long?.priceChange7d, days30: long?.priceChange30d },
    };
  }

  pools(options: PoolListOptions): ListPage<PoolSummary> {
    const { token, dex, minLiquidityUsd, fee, ...paging } = readArguments(
      options,
      ["page", "limit", "sort", "token", "dex", "minLiquidityUsd", "fee"],
      "list",
    );
    const { graph } = this.#market.engine;
    const { items, total } = this.#market.data.pools({
      ...pagingOf(paging, POOL_SORT_FIELDS, "-liquidityUsd"),
      ...(token !== undefined && {
        token: graph.tokenAddress(this.#tokens.find(token as string).index),
      }),
      ...(dex !== undefined && { dex: shortText("dex", dex) }),
      ...(minLiquidityUsd !== undefined && {
        minLiquidityUsd: dollars("minLiquidityUsd", minLiquidityUsd),
      }),
      ...(fee !== undefined && { fee: whole("fee", fee, 0, FEE_MAX) }),
    });
    return {
      items: items.map((view) => ({
        ...{ pool: view.id ?? view.address, contract: view.contract },
        dexId: graph.dexes[view.dexIndex]!.id,
        tokens: Array.from({ length: graph.poolTokenCount[view.index]! }, (_, position) =>
          graph.tokenAddress(graph.poolToken(view.index, position)),
        ),
        ...{ feePips: view.feePips, liquidityUsd: view.liquidityUsd },
        ...{ volume24hUsd: view.volume24hUsd, updatedBlock: view.updatedBlock },
        lastUpdatedMs: view.lastUpdatedMs,
      })),
      total,
    };
  }
}

const PAGE_MAX = 1e9;
const LIMIT_MAX = 500;
const LIMIT_USUAL = 50;
const TEXT_LENGTH_MAX = 128;
const FEE_MAX = 1e6;

function pagingOf<const Sort extends string>(
  { page = 1, limit = LIMIT_USUAL, sort }: Partial<Record<"page" | "limit" | "sort", unknown>>,
  fields: ReadonlyArray<Sort>,
  usual: NoInfer<`-${Sort}`>,
): { readonly page: number; readonly limit: number; readonly sort: Sort | `-${Sort}` } {
  const isField = (value: unknown): value is Sort | `-${Sort}` =>
    typeof value === "string" &&
    (fields as ReadonlyArray<string>).includes(value.replace(/^-/, ""));
  if (sort !== undefined && !isField(sort)) {
    throw invalidCall(`sort: expected one of ${fields.join(", ")}, or one with - before it`);
  }
  return {
    page: whole("page", page, 1, PAGE_MAX),
    limit: whole("limit", limit, 1, LIMIT_MAX),
    sort: sort ?? usual,
  };
}

function whole(name: string, value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) {
    return value as number;
  }
  throw invalidCall(`${name}: expected a whole number, ${least} to ${most}`);
}

function dollars(name: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY) return value;
  throw invalidCall(`${name}: expected US dollars, 0 or more`);
}

function shortText(name: string, value: unknown): string {
  if (typeof value === "string" && value.length > 0 && value.length <= TEXT_LENGTH_MAX) {
    return value;
  }
  throw invalidCall(`${name}: expected a text of 1 to ${TEXT_LENGTH_MAX} characters`);
}
