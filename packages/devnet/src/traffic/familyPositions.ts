import { Effect } from "effect";
import { encodeFunctionData } from "viem";
import { readContract } from "viem/actions";
import { devnetRouterAbi as abi } from "../contracts/familyAbis.ts";
import { keyOfPool } from "../families/uniswapV4Pools.ts";
import { liquidityOf } from "../market/liquidityOf.ts";
import { isPair, tickSpacingOf } from "../market/Market.ts";
import { nativeOf } from "../market/openFamilyPools.ts";
import { burnCall, mintCall, throughDevnetRouter } from "../market/routerCalls.ts";
import { attempt } from "../node/Node.ts";
import type { Action, Situation } from "./Action.ts";
import { pickRange } from "./positions.ts";
import { pickAmount } from "./routes.ts";

/** Opens a position over, under or around the price of a pool of a further family. */
export const openFamilyPosition: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const spot = pickTicksPool({ random, spots });
    if (spot === undefined) return undefined;
    const { pool, reserve0, reserve1 } = spot;
    const ratio = Number(reserve1) / Number(reserve0);
    const range = pickRange(ratio, tickSpacingOf(pool), random);
    const worth = pool.depthUsd * random.betweenMagnitudes(1e-5, 0.01);
    const liquidity = liquidityOf(pool, ratio, range, worth);
    if (liquidity === 0n) return undefined;
    const position = [range.tickLower, range.tickUpper, liquidity] as const;
    const mint = mintCall(pool.family!, trader.address, position);
    return throughDevnetRouter(market.families!, [mint], nativeOf(pool));
  });

/** Removes part of one of the trader's positions in such pools, or all of it, with its fees. */
export const shrinkFamilyPosition: Action = Effect.fnUntraced(function* (situation) {
  const { node, market, random, trader } = situation;
  const address = market.families!.router;
  const args = [trader.address] as const;
  const book = yield* attempt(() =>
    readContract(node.client, { abi, address, functionName: "positionsOf", args }),
  );
  if (book.length === 0) return undefined;
  const index = random.index(book.length);
  const { pool: id, tickLower, liquidity } = book[index]!;
  // Full-range positions stay, so that every pool always has a price and liquidity.
  if (tickLower < -880_000) return undefined;
  const pool = market.pools.find(({ family }) => family && BigInt(family.id) === BigInt(id));
  // Anybody may use the traders' accounts, also in pools that anybody made.
  if (pool === undefined) return undefined;
  // More positions make closing likelier, so that their number stays about the same.
  const isWhole = random.chance(book.length / POSITIONS_USUAL);
  const part = isWhole ? liquidity : (liquidity * BigInt(1 + random.index(899))) / 1_000n;
  if (part === 0n) return undefined;
  return throughDevnetRouter(market.families!, [burnCall(pool.family!, index, part)]);
});

/** Per trader: at this number as many are closed as opened. */
const POSITIONS_USUAL = 80;

/**
 * Donates a little of both tokens to the in-range liquidity of a Uniswap V4 pool, without a swap.
 */
export const donateToV4: Action = ({ market, random, spots }) =>
  Effect.sync(() => {
    const choices = spots.filter(({ pool }) => pool.dexCode === "v4");
    if (choices.length === 0) return undefined;
    const { pool, reserve0, reserve1 } = random.pick(choices);
    const share = (reserve: bigint) => pickAmount(reserve, random) / 10_000n + 1n;
    const args = [keyOfPool(pool.family!), share(reserve0), share(reserve1)] as const;
    const donation = encodeFunctionData({ abi, functionName: "donateV4", args });
    return throughDevnetRouter(market.families!, [donation], nativeOf(pool));
  });

function pickTicksPool({ random, spots }: Pick<Situation, "random" | "spots">) {
  const choices = spots.filter(({ pool }) => pool.family !== undefined && !isPair(pool));
  return choices.length === 0 ? undefined : random.pick(choices);
}
