import { Effect } from "effect";
import { type Address, encodeFunctionData, getContractAddress } from "viem";
import { hostileTokenAbi, v2PairAbi } from "../contracts/abis.ts";
import { creationCode } from "../contracts/artifacts.ts";
import { deployData } from "../contracts/Deployment.ts";
import type { DevnetError } from "../DevnetError.ts";
import type { Node } from "../node/Node.ts";
import { makeBatches, type Transaction } from "../node/transactions.ts";
import { settle } from "./buildMarket.ts";
import { approveForDeployer, fundTraders } from "./fundTraders.ts";
import { HOSTILE_TOKENS, type HostileKind } from "./hostileTokens.ts";
import type { Market, MarketPool, MarketToken } from "./Market.ts";
import type { PoolPlan } from "./networks.ts";
import { openPools, planOpenings } from "./openPools.ts";
import { accountOf, locate } from "./planMarket.ts";
import { makeRandom } from "./random.ts";

/** Hostile tokens and their pools beside a market; no traffic touches them. */
export interface HostileMarket {
  readonly tokens: ReadonlyArray<MarketToken & { readonly kind: HostileKind }>;
  readonly pools: ReadonlyArray<MarketPool>;
}

const DEPTH_USD = 800_000;
/** How much of each other token in these pools is minted, in dollars. */
const FUNDING_USD = 50_000_000;

/**
 * Adds the hostile tokens to a market that already exists: each with a pair with the wrapped native
 * token, some also with a concentrated pool. An account of their own makes and owns them, so that
 * all other addresses stay the same. The tokens leave its transfers alone.
 */
export const addHostileTokens: (
  node: Node,
  market: Market,
  seed: number,
) => Effect.Effect<HostileMarket, DevnetError> = Effect.fnUntraced(function* (node, market, seed) {
  const owner = accountOf(`owner of the hostile tokens of ${market.plan.chainId}`);
  const tokens = HOSTILE_TOKENS.map((token, index) => ({
    ...token,
    address: createdAt(owner, index),
  }));
  const [native, dollar] = market.plan.anchors.map(
    (anchor) => market.tokens.find(({ symbol }) => symbol === anchor)!,
  );
  const plans = tokens.flatMap(({ symbol, isConcentrated }): ReadonlyArray<PoolPlan> => {
    const depthUsd = DEPTH_USD;
    const pair = { dexId: "UNISWAP_V2", tokens: [native!.symbol, symbol], depthUsd } as const;
    if (!isConcentrated) return [pair];
    const second = { dexId: "UNISWAP_V3", tokens: [dollar!.symbol, symbol], depthUsd } as const;
    return [pair, { ...second, feePips: 3_000 }];
  });
  const funding = [native!, dollar!].map((token) => ({ ...token, capUsd: FUNDING_USD }));
  const traded = [...funding, ...tokens];
  const pools = plans.map((pool) => locate(market, pool, traded));
  // The owner opens these pools the way the deployer opened the others.
  const side: Market = { ...market, deployer: owner, tokens: traded, pools };
  const own = (transaction: Transaction) => ({ from: owner, transaction });
  const mine = makeBatches(node);
  yield* settle(node)(owner);
  const creations = tokens.map(({ name, symbol, kindNumber }) => ({
    data: deployData(creationCode("hostileToken"), "string, string, uint8", [
      ...[name, symbol, kindNumber],
    ]),
  }));
  yield* mine(creations.map(own));
  yield* mine([own(fundTraders(side)), ...approveForDeployer(side)]);
  yield* mine(openPools(side, planOpenings(side, makeRandom(seed))).map(own));
  yield* mine(
    tokens.flatMap(({ address }) => [
      own(tellPools(address, pools)),
      own(tellReentry(address, owner)),
    ]),
  );
  return { tokens, pools };
});

const createdAt = (from: Address, nonce: number): Address =>
  getContractAddress({ from, nonce: BigInt(nonce) }).toLowerCase() as Address;

/** Tells a token which addresses are pools, so that it recognises purchases and sales. */
const tellPools = (token: Address, pools: ReadonlyArray<MarketPool>): Transaction => ({
  to: token,
  data: encodeFunctionData({
    abi: hostileTokenAbi,
    functionName: "setPools",
    args: [pools.map(({ address }) => address)],
  }),
});

/**
 * Makes a token call back whoever moves it, as if that were a pair, for the balance above its
 * reserves.
 */
const tellReentry = (token: Address, owner: Address): Transaction => {
  const skim = encodeFunctionData({ abi: v2PairAbi, functionName: "skim", args: [owner] });
  return {
    to: token,
    data: encodeFunctionData({ abi: hostileTokenAbi, functionName: "setReentry", args: [skim] }),
  };
};
