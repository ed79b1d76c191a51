import type { Address } from "viem";
import { devnetTokenAbi } from "../contracts/abis.ts";
import {
  balancerV2PoolAbi,
  balancerV2VaultAbi,
  balancerV3PoolAbi,
  balancerV3VaultAbi,
  rateProviderAbi,
  stableSurgeAbi,
} from "../contracts/balancerAbis.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import type { ChainReader } from "../families/ChainReader.ts";
import type { BalancerPoolState, ManyTokenPool } from "./ManyTokenPool.ts";

const ONE_E18 = 10n ** 18n;

/** A Balancer V2 pool as a swap would find it in a block at that time, in seconds. */
export async function readBalancerV2(
  chain: ChainReader,
  pool: ManyTokenPool,
  { balancerV2: { vault } }: FamilyContracts,
): Promise<BalancerPoolState> {
  const { address, tokens, kind } = pool;
  const abi = balancerV2PoolAbi;
  const [[registered, held], fee, [isVaultPaused], [isPoolPaused], isRecovering] =
    await Promise.all([
      chain.read(vault, {
        ...{ abi: balancerV2VaultAbi, functionName: "getPoolTokens", args: [pool.id] },
      }),
      chain.read(address, { abi, functionName: "getSwapFeePercentage" }),
      chain.read(vault, { abi: balancerV2VaultAbi, functionName: "getPausedState" }),
      chain.read(address, { abi, functionName: "getPausedState" }),
      chain.read(address, { abi, functionName: "inRecoveryMode" }),
    ]);
  const places = registered.map((token) => token.toLowerCase());
  const state = {
    kind: "balancer",
    balances: tokens.map((token) => held[places.indexOf(token)]!),
    decimals: await decimalsOf(chain, tokens),
    ...{ fee, aggregateFee: 0n, isPaused: isVaultPaused || isPoolPaused },
  } as const;
  if (kind === "balancer-v2-weighted") {
    const weights = await chain.read(address, { abi, functionName: "getNormalizedWeights" });
    return { ...state, rates: tokens.map(() => ONE_E18), weights, isUnsteady: isRecovering };
  }
  const [amp, isRamping] = await chain.read(address, {
    ...{ abi, functionName: "getAmplificationParameter" },
  });
  const rates = await Promise.all(tokens.map((_, at) => rateOfV2(chain, pool, at)));
  return { ...state, rates, amp, isUnsteady: isRecovering || isRamping };
}

/** The rate that a pool has cached, or the provider's once that has expired. */
async function rateOfV2(
  chain: ChainReader,
  { address, tokens, rates = [] }: ManyTokenPool,
  at: number,
): Promise<bigint> {
  const provided = rates[at];
  if (provided === undefined) return ONE_E18;
  const args = [tokens[at]!] as const;
  const [kept, , , expires] = await chain.read(address, {
    ...{ abi: balancerV2PoolAbi, functionName: "getTokenRateCache", args },
  });
  if ((await chain.timestamp()) <= expires) return kept;
  return chain.read(provided.provider, { abi: rateProviderAbi, functionName: "getRate" });
}

/** A Balancer V3 pool's balances in the Vault, at the block's rates, less fees on yields. */
export async function readBalancerV3(
  chain: ChainReader,
  { address, version }: ManyTokenPool,
  { balancerV3: { vault, surgeHook } }: FamilyContracts,
): Promise<BalancerPoolState> {
  const abi = balancerV3VaultAbi;
  const args = [address] as const;
  const [data, config, isVaultPaused] = await Promise.all([
    chain.read(vault, { abi, functionName: "getPoolData", args }),
    chain.read(vault, { abi, functionName: "getPoolConfig", args }),
    chain.read(vault, { abi, functionName: "isVaultPaused" }),
  ]);
  const state = {
    kind: "balancer",
    ...{ balances: data.balancesRaw, rates: data.tokenRates },
    decimals: data.decimalScalingFactors.map((factor) => 19 - String(factor).length),
    fee: config.staticSwapFeePercentage,
    aggregateFee: config.aggregateSwapFeePercentage,
    isPaused: isVaultPaused || config.isPoolPaused,
  } as const;
  if (version === "weighted") {
    const weighted = { abi: balancerV3PoolAbi } as const;
    const [weights, leastBalances] = await Promise.all([
      chain.read(address, { ...weighted, functionName: "getNormalizedWeights" }),
      chain.read(address, { ...weighted, functionName: "getMinTokenBalances" }),
    ]);
    return { ...state, weights, leastBalances, isUnsteady: config.isPoolInRecoveryMode };
  }
  const [amp, isRamping] = await chain.read(address, {
    ...{ abi: balancerV3PoolAbi, functionName: "getAmplificationParameter" },
  });
  const stable = { ...state, amp, isUnsteady: config.isPoolInRecoveryMode || isRamping };
  if (version !== "surge") return stable;
  const [threshold, max] = await Promise.all([
    chain.read(surgeHook, {
      abi: stableSurgeAbi,
      functionName: "getSurgeThresholdPercentage",
      args,
    }),
    chain.read(surgeHook, { abi: stableSurgeAbi, functionName: "getMaxSurgeFeePercentage", args }),
  ]);
  return { ...stable, surge: { threshold, max } };
}

const decimalsOf = (chain: ChainReader, tokens: ReadonlyArray<Address>) =>
  Promise.all(
    tokens.map((token) => chain.read(token, { abi: devnetTokenAbi, functionName: "decimals" })),
  );
