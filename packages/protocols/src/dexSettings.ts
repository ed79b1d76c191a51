import type { Address } from "@millrace/core";
import { Schema } from "effect";
import { keccak256 } from "viem/utils";
import type { ChainDex, Hex } from "./ChainProtocol.ts";

/** Keys that the settings of several protocols are made of (`ChainProtocol.settings`). */

export const ContractAddress = Schema.String.check(
  Schema.isPattern(/^0x[a-fA-F0-9]{40}$/u, { expected: "an address: 0x and 40 hex digits" }),
);

export const FixedFeePips = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 999_999 }, { expected: "an integer from 0 to 999999" }),
);

/** How pool addresses derive from what creates them, where that is known. */
export const derivedAddresses = {
  /** keccak256 of the pools' creation code: with it their addresses are derived and compared. */
  initCodeHash: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^0x[a-fA-F0-9]{64}$/u, { expected: "a hash: 0x and 64 hex digits" }),
    ),
  ),
  /** The contract that creates the pools by CREATE2, where it is not the factory. */
  deployer: Schema.optionalKey(ContractAddress),
};

/** Whether CREATE2 puts a pool of this salt at the address; true where no hash is configured. */
export function isDerived(
  address: Address,
  { factory }: ChainDex,
  { initCodeHash, deployer = factory }: { initCodeHash?: string; deployer?: string },
  salt: Hex,
): boolean {
  if (initCodeHash === undefined) return true;
  const hash = keccak256(`0xff${deployer.slice(2)}${salt.slice(2)}${initCodeHash.slice(2)}`);
  return address === `0x${hash.slice(-40)}`;
}
