import { devnetTokenAbi, wrapperAbi } from "../contracts/abis.ts";
import {
  curveCryptoAbi,
  curveNgPoolAbi,
  curveStableAbi,
  curveTricryptoAbi,
  curveTwocryptoAbi,
} from "../contracts/curveAbis.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import type { ChainReader } from "../families/ChainReader.ts";
import type {
  CryptoReading,
  ManyTokenPool,
  ManyTokenState,
  StableState,
  WrapperState,
} from "./ManyTokenPool.ts";
import { readBalancerV2, readBalancerV3 } from "./readBalancer.ts";

/** A pool's numbers, read from its contract one by one. */
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
    case "curve-crypto":
      return readCrypto(chain, pool);
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
  // The wrapped token has the native token's decimals.
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

async function readCrypto(
  chain: ChainReader,
  { address, tokens }: ManyTokenPool,
): Promise<CryptoReading> {
  const abi = curveCryptoAbi;
  const read = (functionName: (typeof CRYPTO_NUMBERS)[number]) =>
    chain.read(address, { abi, functionName });
  const [D, A, gamma, midFee, outFee, feeGamma, totalSupply, virtualPrice, future] =
    (await Promise.all(CRYPTO_NUMBERS.map(read))) as [...Nine<bigint>];
  const balances = await Promise.all(
    tokens.map((_, at) => {
      const args = [BigInt(at)] as const;
      return chain.read(address, { abi, functionName: "balances", args });
    }),
  );
  const functionName = "price_scale";
  const priceScale =
    tokens.length === 2
      ? [await chain.read(address, { abi: curveTwocryptoAbi, functionName })]
      : await Promise.all(
          [0n, 1n].map((at) =>
            chain.read(address, { abi: curveTricryptoAbi, functionName, args: [at] }),
          ),
        );
  const fees = { midFee, outFee, feeGamma };
  return {
    ...{ kind: "crypto", balances, priceScale, D, A, gamma, ...fees },
    ...{ totalSupply, virtualPrice, future },
  };
}

const CRYPTO_NUMBERS = [
  ...(["D", "A", "gamma", "mid_fee", "out_fee", "fee_gamma"] as const),
  ...(["totalSupply", "virtual_price", "future_A_gamma"] as const),
];
type Nine<A> = [A, A, A, A, A, A, A, A, A];

async function readVault(chain: ChainReader, { address }: ManyTokenPool): Promise<WrapperState> {
  const abi = wrapperAbi;
  const [shares, assets, depositMax] = await Promise.all([
    chain.read(address, { abi, functionName: "totalSupply" }),
    chain.read(address, { abi, functionName: "totalAssets" }),
    chain.read(address, { abi, functionName: "maxDeposit", args: [address] }),
  ]);
  return { kind: "wrapper", shares, assets, depositMax };
}

async function readStake(chain: ChainReader, { address }: ManyTokenPool): Promise<WrapperState> {
  const abi = wrapperAbi;
  const staked = await chain.read(address, { abi, functionName: "stETH" });
  const [shares, assets, depositMax] = await Promise.all([
    chain.read(staked, { abi, functionName: "totalShares" }),
    chain.read(staked, { abi, functionName: "totalSupply" }),
    chain.read(staked, { abi, functionName: "getCurrentStakeLimit" }),
  ]);
  return { kind: "wrapper", shares, assets, depositMax, staked };
}
