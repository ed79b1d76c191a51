import { Effect } from "effect";
import { type Address, encodeFunctionData } from "viem";
import { readContract } from "viem/actions";
import { devnetTokenAbi, v2PairAbi, v2RouterAbi } from "../contracts/abis.ts";
import {
  isPair,
  type Market,
  type MarketPool,
  NO_DEADLINE,
  type Trader,
} from "../market/Market.ts";
import { ownerOf } from "../market/openPools.ts";
import { attempt } from "../node/Node.ts";
import type { Transaction } from "../node/transactions.ts";
import type { Action } from "./Action.ts";
import { pickAmount } from "./routes.ts";
import { together } from "./trades.ts";

/** Adds to both sides of a pair, for the trader who may remove it. */
export const addToPair: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const pools = pairsOf(market, trader);
    const pairs = spots.filter(({ pool }) => pools.includes(pool));
    if (pairs.length === 0) return undefined;
    const { pool, held } = random.pick(pairs);
    const amount0 = pickAmount(held[0], random);
    // Rounded up, so that even a small amount has its other side.
    const amount1 = (amount0 * held[1]) / held[0] + 1n;
    return add(market, pool, trader.address, amount0, amount1);
  });

/** Removes up to a twentieth of the trader's shares in a pair. */
export const removeFromPair: Action = Effect.fnUntraced(function* ({
  node,
  market,
  random,
  trader,
}) {
  const pairs = pairsOf(market, trader);
  if (pairs.length === 0) return undefined;
  const pool = random.pick(pairs);
  const shares = yield* attempt(() =>
    readContract(node.client, {
      address: pool.address,
      abi: devnetTokenAbi,
      functionName: "balanceOf",
      args: [trader.address],
    }),
  );
  const taken = (shares * BigInt(1 + random.index(50))) / 1_000n;
  return taken === 0n ? undefined : remove(market, pool, trader.address, taken);
});

/** Pairs whose first liquidity is the trader's, and whose shares it has approved. */
const pairsOf = (market: Market, trader: Trader): ReadonlyArray<MarketPool> =>
  market.pools.filter((pool, index) => isPair(pool) && ownerOf(market, index) === trader.address);

function add(
  market: Market,
  { dexCode, address, token0, token1 }: MarketPool,
  owner: Address,
  amount0: bigint,
  amount1: bigint,
): Transaction {
  if (hasNoRouter(dexCode)) {
    const pay = (amount: bigint) =>
      encodeFunctionData({
        abi: devnetTokenAbi,
        functionName: "transferFrom",
        args: [owner, address, amount],
      });
    const mint = encodeFunctionData({ abi: v2PairAbi, functionName: "mint", args: [owner] });
    return together(market, [
      { target: token0.address, callData: pay(amount0) },
      { target: token1.address, callData: pay(amount1) },
      { target: address, callData: mint },
    ]);
  }
  const tokens = [token0.address, token1.address] as const;
  const args = [...tokens, amount0, amount1, 0n, 0n, owner, NO_DEADLINE] as const;
  return {
    to: routerOf(market, dexCode),
    data: encodeFunctionData({ abi: v2RouterAbi, functionName: "addLiquidity", args }),
  };
}

function remove(
  market: Market,
  { dexCode, address, token0, token1 }: MarketPool,
  owner: Address,
  shares: bigint,
): Transaction {
  if (hasNoRouter(dexCode)) {
    const pay = encodeFunctionData({
      abi: devnetTokenAbi,
      functionName: "transferFrom",
      args: [owner, address, shares],
    });
    const burn = encodeFunctionData({ abi: v2PairAbi, functionName: "burn", args: [owner] });
    return together(market, [
      { target: address, callData: pay },
      { target: address, callData: burn },
    ]);
  }
  const tokens = [token0.address, token1.address] as const;
  const args = [...tokens, shares, 0n, 0n, owner, NO_DEADLINE] as const;
  return {
    to: routerOf(market, dexCode),
    data: encodeFunctionData({ abi: v2RouterAbi, functionName: "removeLiquidity", args }),
  };
}

/** Multicall3 acts instead: see `approveShares`. */
const hasNoRouter = (dexCode: MarketPool["dexCode"]): boolean =>
  dexCode === "v2Fork" || dexCode === "aerodrome";

const routerOf = ({ contracts }: Market, dexCode: MarketPool["dexCode"]): Address =>
  dexCode === "v2Sister" ? contracts.v2SisterRouter : contracts.v2Router;
