import type { Effect } from "effect";
import type { Address, Hex } from "viem";
import type { DevnetError } from "../DevnetError.ts";
import type { Node } from "../node/Node.ts";
import { creationCode, creationCodeHash } from "./artifacts.ts";
import type { Deployment } from "./Deployment.ts";

/** PancakeSwap V3: pool addresses derive from the deployer, not from the factory. */
export interface PancakeV3Contracts {
  readonly factory: Address;
  readonly poolDeployer: Address;
  readonly initCodeHash: Hex;
}

/** Address at which the pools' creation code is placed as contract code. */
const POOL_CODE = "0x5000000000000000000000000000000000000001";

export const placePancakeV3Code = (node: Node): Effect.Effect<unknown, DevnetError> =>
  node.request("hardhat_setCode", [POOL_CODE, creationCode("pancakeV3Pool")]);

/** The factory's deployer owns it. Fees stay as the factory starts with them. */
export function deployPancakeV3({ create }: Deployment): PancakeV3Contracts {
  const poolDeployer = create(creationCode("pancakeV3PoolDeployer"), "address", [POOL_CODE]);
  const factory = create(creationCode("pancakeV3Factory"), "address", [poolDeployer]);
  return { factory, poolDeployer, initCodeHash: creationCodeHash("pancakeV3Pool") };
}
