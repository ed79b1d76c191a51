import { type Address, type Hex, zeroAddress } from "viem";
import { creationCode, creationCodeHash } from "./artifacts.ts";
import type { Deployment } from "./Deployment.ts";
import { algebraFactoryAbi } from "./familyAbis.ts";

/** Algebra Integral: pool addresses derive from the pool deployer. */
export interface AlgebraContracts {
  readonly factory: Address;
  readonly poolDeployer: Address;
  /** Gives every new pool a plugin that makes its fee follow volatility. */
  readonly pluginFactory: Address;
  readonly quoterV2: Address;
  readonly initCodeHash: Hex;
}

/** The deployer owns the factory, and administers its pools. */
export function deployAlgebra({ create, createdAfter, call }: Deployment): AlgebraContracts {
  // Each contract's constructor takes the other's address.
  const factoryToBe = createdAfter(1);
  const poolDeployer = create(creationCode("algebraPoolDeployer"), "address", [factoryToBe]);
  const factory = create(creationCode("algebraFactory"), "address", [poolDeployer]);
  const pluginFactory = create(creationCode("algebraPluginFactory"), "address", [factory]);
  const quoterV2 = create(creationCode("algebraQuoterV2"), "address, address, address", [
    ...[factory, zeroAddress, poolDeployer],
  ]);
  call(factory, {
    abi: algebraFactoryAbi,
    functionName: "setDefaultPluginFactory",
    args: [pluginFactory],
  });
  const initCodeHash = creationCodeHash("algebraPool");
  return { factory, poolDeployer, pluginFactory, quoterV2, initCodeHash };
}
