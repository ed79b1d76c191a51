import { POOL_SORT_FIELDS, TOKEN_SORT_FIELDS } from "@millrace/api";
import type { TokenQuery } from "@millrace/market";
import { sink } from "../clock.ts";
import type { Figure } from "../Figure.ts";
import { median } from "../statistics.ts";
import type { Opened } from "./openGenerated.ts";
import { timeBlock } from "./timeBlock.ts";

const LIMIT = 50;
const PREFIXES = ["", "-"] as const;

/** Pages with a filter. */
const FILTERED: ReadonlyArray<Omit<TokenQuery, "limit">> = [
  { page: 1, sort: "-liquidity", dex: "UNISWAP_V3" },
  { page: 1, sort: "-liquidity", minLiquidity: 1_000_000 },
  { page: 1, sort: "-volume24h", minVolume24h: 10_000 },
  { page: 1, sort: "-liquidity", symbol: "USDC" },
  { page: 1, sort: "-liquidity", symbol: "no such symbol" },
  { page: 900, sort: "-marketCap", dex: "Uniswap V2", minLiquidity: 1 },
];

/**
 * Pages of a large market's lists, after blocks of swaps that moved prices: each page is timed at
 * its first request in a block, and at a second one.
 */
export async function timePages(
  { generated, data, traffic }: Opened,
  sizes: { readonly touched: number; readonly pageWarmUps: number; readonly pageBlocks: number },
): Promise<ReadonlyArray<Figure>> {
  const tokens = TOKEN_SORT_FIELDS.map(
    (field) =>
      new Timed(
        field,
        PREFIXES.map((prefix) => () => {
          const sort = `${prefix}${field}` as const;
          return data.tokens({ page: 1, limit: LIMIT, sort }).items.length;
        }),
      ),
  );
  const pools = POOL_SORT_FIELDS.map(
    (field) =>
      new Timed(
        field,
        PREFIXES.map((prefix) => () => {
          const sort = `${prefix}${field}` as const;
          return data.pools({ page: 1, limit: LIMIT, sort }).items.length;
        }),
      ),
  );
  const byDefault = new Timed("default", [
    () => data.tokens({ page: 1, limit: LIMIT, sort: "-liquidity" }).items.length,
  ]);
  const filtered = new Timed(
    "filtered",
    FILTERED.map((query) => () => data.tokens({ ...query, limit: LIMIT }).total),
  );
  for (let block = -sizes.pageWarmUps; block < sizes.pageBlocks; block++) {
    if (block === 0) for (const one of [byDefault, ...tokens, filtered, ...pools]) one.forget();
    const moved = traffic.draw(sizes.touched, 1);
    await timeBlock(generated, data, traffic.block(moved, moved));
    for (const one of [byDefault, ...tokens, filtered, ...pools]) one.measure();
  }
  const of = (what: string, value: number) => ({
    name: `market-data.${what}`,
    value,
    unit: "ms",
  });
  const worst = (many: ReadonlyArray<Timed>, pick: (one: Timed) => number) =>
    Math.max(...many.map(pick));
  return [
    of("tokens-page.default.first", byDefault.first),
    of("tokens-page.default.later", byDefault.later),
    ...tokens.map((one) => of(`tokens-page.${one.name}.first`, one.first)),
    of(
      "tokens-page.worst.first",
      worst(tokens, ({ first }) => first),
    ),
    of(
      "tokens-page.worst.later",
      worst(tokens, ({ later }) => later),
    ),
    of("tokens-page.filtered.worst.first", filtered.first),
    of("tokens-page.filtered.worst.later", filtered.later),
    of(
      "pools-page.worst.first",
      worst(pools, ({ first }) => first),
    ),
    of(
      "pools-page.worst.later",
      worst(pools, ({ later }) => later),
    ),
  ];
}

/** Some requests of a kind, each timed twice in every block. */
class Timed {
  readonly name: string;
  readonly #calls: ReadonlyArray<() => number>;
  // Index: call. Milliseconds in each block.
  #firsts: number[][] = [];
  #laters: number[][] = [];

  constructor(name: string, calls: ReadonlyArray<() => number>) {
    this.name = name;
    this.#calls = calls;
    this.forget();
  }

  forget(): void {
    this.#firsts = this.#calls.map(() => []);
    this.#laters = this.#calls.map(() => []);
  }

  measure(): void {
    this.#calls.forEach((call, index) => {
      this.#firsts[index]!.push(timed(call));
      this.#laters[index]!.push(timed(call));
    });
  }

  /** The median over blocks, of the slowest of the requests. */
  get first(): number {
    return Math.max(...this.#firsts.map(median));
  }

  get later(): number {
    return Math.max(...this.#laters.map(median));
  }
}

function timed(call: () => number): number {
  const start = performance.now();
  sink.value += call();
  return performance.now() - start;
}
