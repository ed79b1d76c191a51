import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { keccak256, toEventSelector, toFunctionSelector, toHex } from "viem";

/** The contracts of the vaults: see `vaultProtocol`. */

const address = (label: string) => `0x${keccak256(toHex(label)).slice(26)}` as Address;

/** Changes the pools of both vaults. */
export const MODULE = address("vault module");

const vaultDex = (id: string, moves: boolean) => ({
  ...{ id, name: id, protocol: "vault", factory: address(id), startBlock: 0 },
  ...{ module: MODULE, moves },
});

export const STILL_VAULT = vaultDex("STILL_VAULT", false);
export const MOVING_VAULT = vaultDex("MOVING_VAULT", true);

/** The whole id of a vault's pool; its first bytes are the pool's key. */
export const vaultPoolId = (label: string): Hex => keccak256(toHex(label));

export const VAULT_TOPICS = {
  /** Tokens, reserves, the module's fee, and 0, 1 where both are hidden, or 2 with a hook. */
  initialize: toEventSelector("Initialize(bytes32,address,address,uint256,uint256,uint256,uint8)"),
  changed: toEventSelector("Changed(bytes32,uint256,uint256)"),
  touched: toEventSelector("Touched(bytes32)"),
  traded: toEventSelector("Traded(bytes32,uint256,uint256,uint8)"),
  feesSet: toEventSelector("FeesSet(uint24)"),
  shuffled: toEventSelector("Shuffled()"),
  paused: toEventSelector("Paused(bool)"),
} as const;

export const VAULT_METHODS = {
  /** Reserves, the module's fee for the pool, whether it is paused. */
  stateOf: toFunctionSelector("stateOf(bytes32)"),
  tokensOf: toFunctionSelector("tokensOf(bytes32)"),
  feeOf: toFunctionSelector("feeOf(bytes32)"),
  /** The output for an amount of the token at a position. */
  quoteOf: toFunctionSelector("quoteOf(bytes32,uint8,uint256)"),
} as const;
