import {
  type Address,
  encodePacked,
  getCreate2Address,
  type Hex,
  keccak256,
  stringToHex,
} from "viem";
import { privateKeyToAddress } from "viem/accounts";
import {
  CANONICAL_CONTRACTS,
  deployContracts,
  deployTokens,
  initCodeHashes,
  wrappedNativeOf,
} from "../contracts/deployContracts.ts";
import { deployBalancer, deployFamilies } from "../contracts/FamilyContracts.ts";
import { NATIVE_CURRENCY } from "../contracts/uniswapV4.ts";
import type { FamilyPool } from "../families/FamilyPool.ts";
import type { ManyTokenPlan } from "../manyTokens/ManyTokenPlan.ts";
import { planManyTokens } from "../manyTokens/planManyTokens.ts";
import type { Sending } from "../node/transactions.ts";
import { locateFamilyPool } from "./locateFamilyPool.ts";
import {
  FORK_FEE_PIPS,
  isFamilyCode,
  type Market,
  type MarketPool,
  type MarketToken,
  type Trader,
  V2_FEE_PIPS,
} from "./Market.ts";
import type { NetworkPlan, PoolPlan } from "./networks.ts";

const TRADERS = 4;

/**
 * A plan's market with all its addresses, which follow from the deployers' addresses, and the
 * transactions that make its contracts and tokens.
 */
export function planMarket(
  plan: NetworkPlan,
  seed: number,
  many?: ManyTokenPlan,
): { readonly market: Market; readonly sendings: ReadonlyArray<Sending> } {
  const deployer = accountOf(`deployer of ${plan.chainId}`);
  const hashes = initCodeHashes();
  // The families have a deployer of their own, so that all other addresses are the same without
  // them.
  const governor = accountOf(`governor of ${plan.chainId}`);
  const further = plan.dexes.some(({ dexCode }) => isFamilyCode(dexCode))
    ? deployFamilies(governor)
    : undefined;
  const surroundings = { ...CANONICAL_CONTRACTS, wrappedNative: wrappedNativeOf(deployer) };
  const families = further && {
    ...further.contracts,
    ...deployBalancer(further.deployment, surroundings, further.contracts),
  };
  const { contracts, transactions } = deployContracts(deployer, hashes, families?.uniswapV4);
  const [native, ...others] = plan.tokens;
  const made = deployTokens(deployer, transactions.length, others, further?.deployment);
  const tokens = [
    { ...native!, address: contracts.wrappedNative },
    ...others.map((token, index) => ({ ...token, address: made.addresses[index]! })),
  ];
  const traders = Array.from({ length: TRADERS }, (_, index) =>
    makeTrader(`trader ${index} of ${plan.chainId}, seed ${seed}`),
  );
  const ground = { plan, contracts, hashes, families };
  const pools = plan.pools.map((pool) => locate(ground, pool, tokens));
  const deployment = further?.deployment;
  const manyTokens = {
    dexes: many?.dexes ?? [],
    pools:
      many && families && deployment
        ? planManyTokens(many, { chainId: plan.chainId, deployment, families }, tokens)
        : [],
  };
  const sentBy = (from: Address) => (transaction: Sending["transaction"]) => ({
    ...{ from, transaction },
  });
  return {
    market: { ...ground, deployer, traders, tokens, pools, manyTokens },
    sendings: [
      ...[...transactions, ...made.transactions].map(sentBy(deployer)),
      ...(deployment?.transactions ?? []).map(sentBy(governor)),
    ],
  };
}

/** The address of an account whose key derives from its name. */
export const accountOf = (name: string): Address => privateKeyToAddress(secret(name));

/** The address of a planned pool, and its tokens in order. */
export function locate(
  { plan, contracts, hashes, families }: Pick<Market, "plan" | "contracts" | "hashes" | "families">,
  pool: PoolPlan,
  tokens: ReadonlyArray<MarketToken>,
): MarketPool {
  const { dexId, feePips, depthUsd } = pool;
  const { dexCode } = plan.dexes.find(({ id }) => id === dexId)!;
  const known = [...tokens, nativeToken(tokens)];
  const [first, second] = pool.tokens.map(
    (symbol) => known.find((token) => token.symbol === symbol)!,
  );
  // Lower-case addresses compare as the numbers that they are.
  const [token0, token1] = first!.address < second!.address ? [first!, second!] : [second!, first!];
  const pair = (factory: Address, hash: Hex, fee: number) => ({
    address: create2(
      factory,
      encodePacked(["address", "address"], [token0.address, token1.address]),
      hash,
    ),
    ...{ dexId, dexCode, token0, token1, feePips: fee, depthUsd },
  });
  switch (dexCode) {
    case "v2":
      return pair(contracts.v2Factory, hashes.v2, V2_FEE_PIPS);
    case "v2Sister":
      return pair(contracts.v2SisterFactory, hashes.v2, V2_FEE_PIPS);
    case "v2Fork":
      return pair(contracts.v2ForkFactory, hashes.fork, FORK_FEE_PIPS);
    case "v3": {
      const salt = [token0.address, token1.address, feePips!].map((word) =>
        BigInt(word).toString(16).padStart(64, "0"),
      );
      const address = create2(contracts.v3Factory, `0x${salt.join("")}`, hashes.v3);
      return { address, dexId, dexCode, token0, token1, feePips: feePips!, depthUsd };
    }
    default: {
      const family = locateFamilyPool(dexCode, pool, token0.address, token1.address, families!);
      return {
        ...{ dexId, dexCode, token0, token1, depthUsd, family },
        address: family.id.slice(0, 42) as Address,
        feePips: feePips ?? FIRST_FEES[family.family] ?? SPACING_FEES[pool.tickSpacing!]!,
        ...(pool.protocolFee !== undefined && { protocolFee: pool.protocolFee }),
      };
    }
  }
}

/** Initial fees in pips, where the plan gives none. */
const FIRST_FEES: Readonly<Partial<Record<FamilyPool["family"], number>>> = {
  "aerodrome-stable": 500,
  "aerodrome-volatile": 3_000,
  "algebra-integral": 500,
};
/** Initial fees of Slipstream pools, by tick spacing. */
const SPACING_FEES: Readonly<Record<number, number>> = {
  1: 100,
  50: 500,
  100: 500,
  200: 3_000,
  2000: 10_000,
};

/** Uniswap V4's native token, with the wrapped one's price. It is in no market's list. */
const nativeToken = ([wrapped]: ReadonlyArray<MarketToken>): MarketToken => ({
  ...{ symbol: "ETH", name: "Ether", decimals: 18, address: NATIVE_CURRENCY },
  ...{ priceUsd: wrapped!.priceUsd, capUsd: 0, volatility: 0, follows: wrapped!.symbol },
});

const create2 = (from: Address, salted: Hex, bytecodeHash: Hex): Address =>
  getCreate2Address({ from, salt: keccak256(salted), bytecodeHash }).toLowerCase() as Address;

function makeTrader(name: string): Trader {
  const privateKey = secret(name);
  return { address: privateKeyToAddress(privateKey), privateKey };
}

const secret = (name: string): Hex => keccak256(stringToHex(`millrace devnet: ${name}`));
