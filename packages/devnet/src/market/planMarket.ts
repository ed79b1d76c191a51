import {
  type Address,
  encodePacked,
  getCreate2Address,
  type Hex,
  keccak256,
  stringToHex,
} from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Contracts } from "../contracts/Contracts.ts";
import type { InitCodeHashes } from "../contracts/deployContracts.ts";
import { deployContracts, deployTokens, initCodeHashes } from "../contracts/deployContracts.ts";
import type { Transaction } from "../node/transactions.ts";
import {
  FORK_FEE_PIPS,
  type Market,
  type MarketPool,
  type MarketToken,
  type Trader,
  V2_FEE_PIPS,
} from "./Market.ts";
import type { NetworkPlan, PoolPlan } from "./networks.ts";

const TRADERS = 4;

/**
 * The market of a plan with every address that it will have, which all follow from the deployer's;
 * and the transactions that make its contracts and tokens.
 */
export function planMarket(
  plan: NetworkPlan,
  seed: number,
): { readonly market: Market; readonly transactions: ReadonlyArray<Transaction> } {
  const deployer = accountOf(`deployer of ${plan.chainId}`);
  const hashes = initCodeHashes();
  const { contracts, transactions } = deployContracts(deployer, hashes);
  const [native, ...others] = plan.tokens;
  const made = deployTokens(deployer, transactions.length, others);
  const tokens = [
    { ...native!, address: contracts.wrappedNative },
    ...others.map((token, index) => ({ ...token, address: made.addresses[index]! })),
  ];
  const traders = Array.from({ length: TRADERS }, (_, index) =>
    makeTrader(`trader ${index} of ${plan.chainId}, seed ${seed}`),
  );
  const pools = plan.pools.map((pool) => locate(plan, pool, tokens, contracts, hashes));
  return {
    market: { plan, contracts, hashes, deployer, traders, tokens, pools },
    transactions: [...transactions, ...made.transactions],
  };
}

/** An account that follows from its name alone. */
export const accountOf = (name: string): Address => privateKeyToAddress(secret(name));

/** Where a pool will be, among these tokens. */
export function locate(
  plan: NetworkPlan,
  { dexId, tokens: symbols, feePips, depthUsd }: PoolPlan,
  tokens: ReadonlyArray<MarketToken>,
  contracts: Contracts,
  hashes: InitCodeHashes,
): MarketPool {
  const { dexCode } = plan.dexes.find(({ id }) => id === dexId)!;
  const [first, second] = symbols.map((symbol) => tokens.find((token) => token.symbol === symbol)!);
  // Addresses are all in lower case, and so are compared as the numbers that they are.
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
  }
}

const create2 = (from: Address, salted: Hex, bytecodeHash: Hex): Address =>
  getCreate2Address({ from, salt: keccak256(salted), bytecodeHash }).toLowerCase() as Address;

function makeTrader(name: string): Trader {
  const privateKey = secret(name);
  return { address: privateKeyToAddress(privateKey), privateKey };
}

const secret = (name: string): Hex => keccak256(stringToHex(`millrace devnet: ${name}`));
