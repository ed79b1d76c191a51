import { Effect } from "effect";
import { type Address, type Hex, hexToNumber } from "viem";
import type { DevnetError } from "../DevnetError.ts";
import { fairRatio, type Market, type MarketToken } from "../market/Market.ts";
import { makeRandom } from "../market/random.ts";
import type { Node } from "../node/Node.ts";
import { makeDatedBlocks, type Sending } from "../node/transactions.ts";
import type { Action, Situation } from "./Action.ts";
import { awayFrom, movePrice } from "./arbitrage.ts";
import { makeSpots, type Spot } from "./makeSpots.ts";
import { swapManyTokens } from "./manyTokenTrades.ts";
import { makeOutsidePrices, type PriceOf } from "./outsidePrices.ts";
import type { TradeRandom } from "./routes.ts";
import { swapThroughRouter02, swapThroughSwapRouter02 } from "./trades.ts";
import { swapThroughUniversalRouter } from "./universalRouter.ts";
import { swapThroughV4Router } from "./v4Router.ts";

const HOUR_S = 3_600;
/** Seconds between blocks, before and in the last hour; each block takes the node some 20 ms. */
const APART_S = 1_800;
const LAST_APART_S = 300;
/** Seconds between the set-up, whose trades are huge, and the first of these blocks. */
const PAUSE_S = 900;
/** Blocks decided together, by the pools' state before them. */
const BLOCKS_TOGETHER = 6;
/**
 * Pools moved to the outside price in a block, and in one of the last hour; blocks decided together
 * move different ones.
 */
const POOLS_A_BLOCK = 3;
const LAST_POOLS_A_BLOCK = 5;
/** How far a pool's price may be from the outside market's, as a share of its fee. */
const FEE_SHARE = 0.5;

/** How late a node's clock must be after the set-up for so many hours of trading. */
export const pastSeconds = (hours: number): number => (hours === 0 ? 0 : hours * HOUR_S + PAUSE_S);

/**
 * Makes blocks of trading in the last so many hours, up to now, while nobody else uses the chain;
 * the clock must be `pastSeconds` late. Afterwards the clock is right, the outside prices are the
 * plan's, and all pools agree with them within their fees.
 */
export const tradePast: (
  node: Node,
  market: Market,
  seed: number,
  hours: number,
) => Effect.Effect<void, DevnetError> = Effect.fnUntraced(function* (node, market, seed, hours) {
  const random = { ...makeRandom(~seed ^ market.plan.chainId), isOrderly: true };
  const mine = makeDatedBlocks(node, yield* readNonces(node, market));
  const readSpots = makeSpots(node, market);
  const endS = nowS();
  const times = timesOf(hours, endS);
  const prices = pricesUpToNow(market.tokens, random, times.length);
  let turn = 0;
  for (let first = 0; first < times.length; first += BLOCKS_TOGETHER) {
    const spots = yield* readSpots;
    const main = spots.filter((spot) => isMain(market, spot));
    const others = spots.filter((spot) => !main.includes(spot));
    for (const [index, atS] of times.slice(first, first + BLOCKS_TOGETHER).entries()) {
      const trader = random.pick(market.traders);
      const priceUsd = prices[first + index]!;
      const situation = { node, market, random, trader, spots, priceUsd };
      const poolCount = atS < endS - HOUR_S ? POOLS_A_BLOCK : LAST_POOLS_A_BLOCK;
      const moved = [
        main[(first + index) % main.length]!,
        ...Array.from({ length: poolCount - 1 }, () => others[turn++ % others.length]!),
      ];
      const swap = yield* random.pick(SWAPS)(situation);
      const sendings = moved.flatMap((spot) => bringBack(situation, spot));
      yield* mine(swap === undefined ? sendings : [...sendings, by(trader, swap)], atS);
    }
  }
  const priceUsd = prices.at(-1)!;
  const last = (yield* readSpots)
    .filter((spot) => Math.abs(awayFrom(spot, priceUsd)) > toleranceOf(spot))
    .flatMap((spot) => bringBack({ market, random, priceUsd }, spot));
  // From here the node's clock continues from now.
  yield* mine(last, nowS());
});

/** Whether a pool gives the native token's dollar price: one of these trades in each block. */
const isMain = ({ plan, tokens }: Market, { pool: { token0, token1 } }: Spot): boolean =>
  [token0, token1].filter(({ priceUsd }) => priceUsd === tokens[0]!.priceUsd).length === 1 &&
  [token0, token1].some(({ symbol, priceUsd }) => plan.anchors.includes(symbol) && priceUsd === 1);

/** Actions of traders beside arbitrage. */
const SWAPS: ReadonlyArray<Action> = [
  ...[swapThroughRouter02, swapThroughSwapRouter02, swapThroughUniversalRouter],
  ...[swapThroughV4Router, swapManyTokens, swapManyTokens],
];

const nowS = () => Math.floor(Date.now() / 1_000);

const readNonces = Effect.fnUntraced(function* (node: Node, { traders }: Market) {
  const nonces = yield* Effect.forEach(
    traders,
    ({ address }) => node.request<Hex>("eth_getTransactionCount", [address, "latest"]),
    { concurrency: "unbounded" },
  );
  return new Map(
    traders.map(({ address }, index): [Address, number] => [address, hexToNumber(nonces[index]!)]),
  );
});

/** Times of all blocks but the last, in seconds, ascending. */
function timesOf(hours: number, endS: number): ReadonlyArray<number> {
  const lastS = Math.min(hours, 1) * HOUR_S;
  const earlier = Math.floor((hours * HOUR_S - lastS) / APART_S);
  const later = Math.floor(lastS / LAST_APART_S);
  return [
    ...Array.from({ length: earlier }, (_, index) => endS - lastS - (earlier - index) * APART_S),
    ...Array.from({ length: later }, (_, index) => endS - (later - index) * LAST_APART_S),
  ];
}

/** Outside prices at so many times, in order; drawn from the end backwards. */
function pricesUpToNow(
  tokens: ReadonlyArray<MarketToken>,
  random: TradeRandom,
  count: number,
): ReadonlyArray<PriceOf> {
  const prices = makeOutsidePrices(tokens, random);
  const backwards = Array.from({ length: count }, () => {
    const copy = prices.copy();
    prices.wander();
    return copy;
  });
  return backwards.reverse();
}

const toleranceOf = ({ feePips }: Spot): number => (FEE_SHARE * feePips) / 1e6;

/** Swaps in a pool until its price is near the outside market's. */
function bringBack(
  { market, random, priceUsd }: Pick<Situation, "market" | "random" | "priceUsd">,
  spot: Spot,
): ReadonlyArray<Sending> {
  const ratio = fairRatio(spot.pool, priceUsd) * (1 + toleranceOf(spot) * random.between(-1, 1));
  const trader = random.pick(market.traders);
  const move = movePrice({ market, trader }, spot, ratio);
  return move === undefined ? [] : [by(trader, move)];
}

const by = ({ address }: Situation["trader"], transaction: Sending["transaction"]): Sending => ({
  from: address,
  transaction,
});
