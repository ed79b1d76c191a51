import type { Address, PoolListing } from "@millrace/core";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  type ChainLog,
  chainProtocols,
  type FollowedDex,
  type FollowedState,
  type Hex,
  type NewPool,
  type PoolRefusal,
  type Resolved,
} from "@millrace/protocols";
import { encodeAbiParameters, parseAbiParameters, toEventSelector, toFunctionSelector } from "viem";
import { expect } from "vitest";

// Curve's contracts, as far as their pools are found and read.

export const E18 = 10n ** 18n;
export const address = (first: string, number = 0): Address =>
  `0x${first}${number.toString(16).padStart(40 - first.length, "0")}`;

export const FACTORY = address("fa");
export const POOL = address("b0");
export const ORACLE = address("0c");
export const USDC = address("a0", 6);
export const DAI = address("a1", 18);
export const VAULT = address("a2", 18);
export const WRAPPED = address("ee");
export const NATIVE_COIN: Address = `0x${"e".repeat(40)}`;

/** A contract's functions by their signatures; the rest reverts. */
export type Contract = Readonly<Record<string, ReadonlyArray<unknown> | Hex | undefined>>;

export const list = (values: ReadonlyArray<bigint | string>) =>
  encodeAbiParameters(parseAbiParameters("uint256[]"), [values.map(BigInt)]);
export const word = (value: bigint | string) => [BigInt(value)];

/** A chain of contracts: what a call of one of them answers. */
export function chainOf(contracts: Readonly<Record<Address, Contract>>) {
  return ({ to, data }: ChainCall): CallAnswer => {
    for (const [signature, answer] of Object.entries(contracts[to] ?? {})) {
      const [name, given] = signature.split("=") as [string, string?];
      const words = (given?.split(",") ?? []).map((each) =>
        BigInt(each).toString(16).padStart(64, "0"),
      );
      if (data !== toFunctionSelector(name) + words.join("")) continue;
      if (answer === undefined || typeof answer === "string") return answer as Hex | undefined;
      return `0x${answer.map((each) => (each as bigint).toString(16).padStart(64, "0")).join("")}`;
    }
    return undefined;
  };
}

export function asked<A>(asking: Asking<A>, answer: (call: ChainCall) => CallAnswer): A {
  let step = asking.next();
  while (!step.done) step = asking.next(step.value.map(answer));
  return step.value;
}

export function openDex(settings: object = {}): FollowedDex {
  const chain = chainProtocols.find(({ name }) => name === "curve-stable")!;
  const dex = {
    id: "CURVE",
    name: "Curve",
    protocol: "curve-stable",
    factory: FACTORY,
    startBlock: 0,
  };
  return chain.open({ ...dex, ...settings }, WRAPPED);
}

export const log = (
  event: string,
  data: Hex,
  indexed: ReadonlyArray<Hex> = [],
  by = FACTORY,
): ChainLog => ({
  address: by,
  topics: [toEventSelector(event), ...indexed],
  data,
  transactionHash: `0x${"0".repeat(64)}`,
  logIndex: 0,
});

export const PLAIN_DEPLOYED = "PlainPoolDeployed(address[],uint256,uint256,address)";
export const META_DEPLOYED = "MetaPoolDeployed(address,address,uint256,uint256,address)";
export const plainDeployed = (coins: ReadonlyArray<Address>) =>
  log(
    PLAIN_DEPLOYED,
    encodeAbiParameters(parseAbiParameters("address[], uint256, uint256, address"), [
      coins,
      200n,
      1_000_000n,
      POOL,
    ]),
  );

export const version = (text: string) => encodeAbiParameters(parseAbiParameters("string"), [text]);

/** A factory of StableSwap-NG with one pool, as its contracts answer. */
export function ngContracts(
  coins: ReadonlyArray<Address>,
  types: ReadonlyArray<bigint>,
  text = "v7.0.0",
): Record<Address, Contract> {
  const decimals = coins.map((coin) => BigInt(`0x${coin.slice(-2)}`));
  const pool = BigInt(POOL);
  return {
    [FACTORY]: {
      [`find_pool_for_coins(address,address,uint256)=${coins[0]},${coins[1]},0`]: word(POOL),
      [`find_pool_for_coins(address,address,uint256)=${coins[0]},${coins[1]},1`]: word(0n),
      [`get_coins(address)=${pool}`]: list(coins),
      [`get_decimals(address)=${pool}`]: list(decimals),
      [`get_pool_asset_types(address)=${pool}`]: list(types),
      [`get_base_pool(address)=${pool}`]: word(0n),
    },
    [POOL]: {
      "version()": version(text),
      "A_precise()": word(20_000n),
      "fee()": word(1_000_000n),
      "admin_fee()": word(5_000_000_000n),
      "offpeg_fee_multiplier()": word(20_000_000_000n),
      "get_balances()": list(coins.map((_, at) => 10n ** (decimals[at]! + 6n))),
      "stored_rates()": list(decimals.map((each) => 10n ** (36n - each))),
    },
    [VAULT]: {
      "asset()": word(USDC),
      [`convertToAssets(uint256)=${E18}`]: word(1_200_000n),
    },
    [USDC]: { "decimals()": word(6n) },
    [ORACLE]: { "rate()": word((E18 * 11n) / 10n) },
  };
}

export function resolve(
  dex: FollowedDex,
  created: ChainLog,
  contracts: Record<Address, Contract>,
): Resolved {
  const creation = dex.decodeCreation(created);
  if (creation === undefined || !("resolve" in creation)) throw new Error("not to be resolved");
  return asked(creation.resolve(), chainOf(contracts));
}

export const onlyOne = (resolved: Resolved): PoolListing => {
  if (!Array.isArray(resolved)) throw new Error(JSON.stringify(resolved));
  expect(resolved).toHaveLength(1);
  return (resolved as ReadonlyArray<NewPool>)[0]!.listing;
};

export const read = (dex: FollowedDex, pool: PoolListing, contracts: Record<Address, Contract>) =>
  asked(dex.read(pool), chainOf(contracts));

export const isRefusal = (found: FollowedState | PoolRefusal | undefined): found is PoolRefusal =>
  found !== undefined && "refused" in found;
