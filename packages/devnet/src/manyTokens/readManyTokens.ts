import { devnetTokenAbi, wrapperAbi } from "../contracts/abis.ts";
import { curveNgPoolAbi, curveStableAbi } from "../contracts/curveAbis.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import type { ChainReader } from "../families/ChainReader.ts";
import type { ManyTokenPool, ManyTokenState, StableState, WrapperState } from "./ManyTokenPool.ts";
import { readBalancerV2, readBalancerV3 } from "./readBalancer.ts";

/** The numbers of a pool, asked of its contract one by one. */
export function readManyTokens(
  chain: ChainReader,
  pool: ManyTokenPool,
  contracts: FamilyContracts,
): Promise<ManyTokenState> {
  switch (pool.kind) {
    case "balancer-v2-stable":
    case "balancer-v2-weighted":
      return readBalancerV2(chain, pool, contracts);
    case "balancer-v3":
      return readBalancerV3(chain, pool, contracts);
    case "curve-stable":
      return readPlain(chain, pool);
    case "curve-stable-ng":
      return readNg(chain, pool);
    case "erc4626":
      return readVault(chain, pool);
    case "lido":
      return readStake(chain, pool);
  }
}

async function readPlain(
  chain: ChainReader,
  { address, tokens, version }: ManyTokenPool,
): Promise<StableState> {
  const abi = curveStableAbi;
  const read = (functionName: "A" | "A_precise" | "fee" | "admin_fee") =>
    chain.read(address, { abi, functionName });
  const aPrecision = version === "plain-2020" ? 1n : 100n;
  const [A, fee, adminFee] = await Promise.all([
    ...[read(aPrecision === 1n ? "A" : "A_precise"), read("fee"), read("admin_fee")],
  ] as const);
  const balances = await Promise.all(
    tokens.map((_, at) => {
      const args = [BigInt(at)] as const;
      return chain.read(address, { abi, functionName: "balances", args });
    }),
  );
  // What stands for the native token has its decimals.
  const decimals = await Promise.all(
    tokens.map((token) => chain.read(token, { abi: devnetTokenAbi, functionName: "decimals" })),
  );
  const rates = decimals.map((each) => 10n ** BigInt(36 - each));
  return { kind: "stable", balances, rates, A: A!, aPrecision, fee: fee!, adminFee: adminFee! };
}

async function readNg(chain: ChainReader, { address }: ManyTokenPool): Promise<StableState> {
  const abi = curveStableAbi;
  const [A, fee, adminFee] = await Promise.all([
    chain.read(address, { abi, functionName: "A_precise" }),
    chain.read(address, { abi, functionName: "fee" }),
    chain.read(address, { abi, functionName: "admin_fee" }),
  ]);
  const [offpegFeeMultiplier, balances, rates] = await Promise.all([
    chain.read(address, { abi: curveNgPoolAbi, functionName: "offpeg_fee_multiplier" }),
    chain.read(address, { abi: curveNgPoolAbi, functionName: "get_balances" }),
    chain.read(address, { abi: curveNgPoolAbi, functionName: "stored_rates" }),
  ]);
  const aPrecision = 100n;
  return { kind: "stable", balances, rates, A, aPrecision, fee, adminFee, offpegFeeMultiplier };
}

async function readVault(chain: ChainReader, { address }: ManyTokenPool): Promise<WrapperState> {
  const abi = wrapperAbi;
  const [shares, assets] = await Promise.all([
    chain.read(address, { abi, functionName: "totalSupply" }),
    chain.read(address, { abi, functionName: "totalAssets" }),
  ]);
  return { kind: "wrapper", shares, assets };
}

async function readStake(chain: ChainReader, { address }: ManyTokenPool): Promise<WrapperState> {
  const abi = wrapperAbi;
  const staked = await chain.read(address, { abi, functionName: "stETH" });
  const [shares, assets] = await Promise.all([
    chain.read(staked, { abi, functionName: "totalShares" }),
    chain.read(staked, { abi, functionName: "totalSupply" }),
  ]);
  return { kind: "wrapper", shares, assets };
}
