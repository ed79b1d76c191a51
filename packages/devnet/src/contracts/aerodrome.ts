import { type Address, type Hex, keccak256 } from "viem";
import { creationCode } from "./artifacts.ts";
import type { Deployment } from "./Deployment.ts";

/** Our own contracts with Aerodrome's interface: see `AerodromeFactory.sol`. */
export interface AerodromeContracts {
  readonly factory: Address;
  /** Hash of the clones' creation code. */
  readonly initCodeHash: Hex;
}

/** The deployer may change fees, and pause. */
export function deployAerodrome({ create }: Deployment): AerodromeContracts {
  const implementation = create(creationCode("aerodromePool"));
  const factory = create(creationCode("aerodromeFactory"), "address", [implementation]);
  return { factory, initCodeHash: cloneHash(implementation) };
}

/** Hash of ERC-1167's creation code for a clone of this contract. */
export const cloneHash = (implementation: Address): Hex =>
  keccak256(
    `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`,
  );
