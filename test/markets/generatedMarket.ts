import type { MarketBlock, PoolState } from "@millrace/core";
import { FEE_FIRST } from "@millrace/protocols";
import { type GeneratorOptions, generateMarketBlock } from "@millrace/replay";
import type { PlainMarket, PlainPool } from "@millrace/testing/reference";

/** A market of the seeded generator in the reference's form: on chain 8453 with FEE_FIRST pools. */
export function generatedPlainMarket(options: GeneratorOptions): PlainMarket {
  const block = generateMarketBlock(options);
  return { chainId: options.chainId ?? 1, block: block.stamp.number, pools: plainPools(block) };
}

function plainPools(block: MarketBlock): PlainPool[] {
  const states = new Map(block.states.map(({ pool, state }) => [pool, state]));
  const curves = new Map(block.dexes.map(({ id, protocol }) => [id, protocol]));
  return block.pools.map(({ address, dexId, tokens, feePips, parameter }): PlainPool => {
    const [token0, token1] = tokens;
    const listing = { address, dexId, token0: token0!, token1: token1!, feePips };
    const { words, book } = states.get(address)!;
    if (curves.get(dexId) === "constant-product") {
      const rule = parameter === FEE_FIRST ? "feeFirst" : "feeInside";
      const [reserve0, reserve1] = [wide(words, 0, 2), wide(words, 2, 2)];
      return { ...listing, family: "constantProduct", rule, reserve0, reserve1 };
    }
    return {
      ...listing,
      family: "concentratedLiquidity",
      tickSpacing: parameter,
      sqrtPriceX96: wide(words, 0, 3),
      liquidity: wide(words, 3, 2),
      tick: Number(BigInt.asIntN(64, words[5]!)),
      ticks: ticksOf(book),
    };
  });
}

function wide(words: BigUint64Array, start: number, count: number): bigint {
  return words.subarray(start, start + count).reduceRight((high, word) => (high << 64n) | word, 0n);
}

function ticksOf(book: PoolState["book"]): ReadonlyMap<number, bigint> {
  const net = (place: number) =>
    (book!.words[2 * place + 1]! << 64n) | BigInt.asUintN(64, book!.words[2 * place]!);
  return new Map([...(book?.keys ?? [])].map((tick, place) => [tick, net(place)]));
}
