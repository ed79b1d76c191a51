import { Effect } from "effect";
import { type Address, numberToHex } from "viem";
import { placeCanonical } from "../contracts/deployContracts.ts";
import { placeFamilyCode } from "../contracts/FamilyContracts.ts";
import { DevnetError } from "../DevnetError.ts";
import { fillManyTokens, tradeManyTokens } from "../manyTokens/fillManyTokens.ts";
import type { ManyTokenPlan } from "../manyTokens/ManyTokenPlan.ts";
import type { Node } from "../node/Node.ts";
import { makeBatches, type Transaction } from "../node/transactions.ts";
import {
  approve,
  approveForDeployer,
  approveForTrader,
  fundAccounts,
  fundTraders,
} from "./fundTraders.ts";
import { isFamilyCode, isPair, type Market } from "./Market.ts";
import type { NetworkPlan } from "./networks.ts";
import { setProtocolFees } from "./openFamilyPools.ts";
import { openPools, ownerOf, planOpenings } from "./openPools.ts";
import { planMarket } from "./planMarket.ts";
import { makeRandom } from "./random.ts";
import { tradeEverywhere } from "./tradeEverywhere.ts";

const NATIVE_FORTUNE = 10n ** 27n;
/**
 * How late a node's clock is at the start. The set-up lets this time pass, so that pools are older
 * than the first trade: fees that follow ten-minute averages need that.
 */
export const secondsBehind = ({ dexes }: NetworkPlan): number =>
  dexes.some(({ dexCode }) => isFamilyCode(dexCode)) ? 1_000 : 1;
/** Gas limit of blocks after the set-up, as on Ethereum. */
const BLOCK_GAS_LIMIT = 60_000_000;

/** A market on a node, and the node's own accounts that hold some of its tokens. */
export interface BuiltMarket {
  readonly market: Market;
  readonly accounts: ReadonlyArray<Address>;
}

/**
 * Makes a plan's contracts, tokens, accounts and pools on a fresh node, in a few blocks, and trades
 * in the pools unless `isUntraded`. Must be followed by `endSetUp`.
 */
export const buildMarket: (
  node: Node,
  plan: NetworkPlan,
  seed: number,
  isUntraded: boolean,
  many?: ManyTokenPlan,
) => Effect.Effect<BuiltMarket, DevnetError> = Effect.fnUntraced(
  function* (node, plan, seed, isUntraded, many) {
    const { market, sendings } = yield* Effect.try({
      try: () => planMarket(plan, seed, many),
      catch: (cause) => new DevnetError({ reason: "NotInstalled", detail: String(cause) }),
    });
    const { deployer, traders, families } = market;
    // Otherwise the node writes each request to a log that nobody reads.
    yield* node.request("hardhat_setLoggingEnabled", [false]);
    // The first account has only native tokens, for tests of such a sender.
    const [, ...accounts] = yield* node.request<ReadonlyArray<Address>>("eth_accounts", []);
    const ours = [
      ...[deployer, ...traders.map(({ address }) => address)],
      ...(families === undefined ? [] : [families.governor]),
    ];
    yield* Effect.forEach(ours, settle(node), { concurrency: "unbounded", discard: true });
    yield* placeCanonical(node);
    if (families !== undefined) yield* placeFamilyCode(node);
    yield* node.request("evm_setAutomine", [false]);
    const mine = makeBatches(node);
    const own = (transaction: Transaction) => ({ from: deployer, transaction });
    yield* mine(sendings);
    yield* mine([own(fundTraders(market)), ...approveForDeployer(market)]);
    // One block each: receipts of a block with hundreds of transactions take the node far longer.
    for (const trader of traders) yield* mine(approveForTrader(market, trader));
    const openings = planOpenings(market, makeRandom(seed));
    yield* mine([...openPools(market, openings), ...fillManyTokens(market)].map(own));
    yield* node.request("evm_increaseTime", [secondsBehind(plan)]);
    yield* mine([
      ...fundAccounts(market, accounts),
      ...approveShares(market),
      ...setProtocolFees(market),
      ...(isUntraded ? [] : tradeEverywhere(market, openings).map(own)),
      ...(isUntraded ? [] : tradeManyTokens(market).map(own)),
    ]);
    return { market, accounts: accounts.map(lowerCase) };
  },
);

const lowerCase = (address: Address) => address.toLowerCase() as Address;

/** Makes the node mine a block for each transaction, with Ethereum's gas limit. */
export const endSetUp: (node: Node) => Effect.Effect<void, DevnetError> = Effect.fnUntraced(
  function* (node) {
    yield* node.request("evm_setBlockGasLimit", [numberToHex(BLOCK_GAS_LIMIT)]);
    yield* node.request("evm_setAutomine", [true]);
  },
);

/** Makes the node sign for an account, and gives it a fortune. */
export const settle = (node: Node) => (account: Address) =>
  Effect.all([
    node.request("hardhat_impersonateAccount", [account]),
    node.request("hardhat_setBalance", [account, numberToHex(NATIVE_FORTUNE)]),
  ]);

/**
 * Approves the pair shares of their owners for the DEX's router, or for Multicall3 where there is
 * none.
 */
const approveShares = (market: Market) =>
  market.pools.flatMap((pool, index) => {
    const { v2Router, v2SisterRouter, multicall3 } = market.contracts;
    if (!isPair(pool)) return [];
    const spender =
      pool.dexCode === "v2" ? v2Router : pool.dexCode === "v2Sister" ? v2SisterRouter : multicall3;
    return [{ from: ownerOf(market, index), transaction: approve(pool.address, spender) }];
  });
