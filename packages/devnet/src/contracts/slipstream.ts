import type { Address, Hex } from "viem";
import { cloneHash } from "./aerodrome.ts";
import { creationCode } from "./artifacts.ts";
import type { Deployment } from "./Deployment.ts";
import { slipstreamFactoryAbi } from "./familyAbis.ts";

/** Our own contracts with Slipstream's interface: see `SlipstreamPool.sol`. */
export interface SlipstreamContracts {
  readonly factory: Address;
  /** Determines the current fees; the factory may be given another. */
  readonly swapFeeModule: Address;
  /** Hash of the clones' creation code. */
  readonly initCodeHash: Hex;
}

/** Each tick from the average adds 25 pips, up to 2 %, as on Base. */
const SCALING_FACTOR = 25_000_000n;
const FEE_CAP = 20_000n;

/** The deployer may change fees, and the module that determines them. */
export function deploySlipstream({ create, call }: Deployment): SlipstreamContracts {
  const implementation = create(creationCode("slipstreamPool"));
  const factory = create(creationCode("slipstreamFactory"), "address", [implementation]);
  const swapFeeModule = create(creationCode("slipstreamFeeModule"), "address, uint256, uint256", [
    factory,
    SCALING_FACTOR,
    FEE_CAP,
  ]);
  call(factory, {
    ...{ abi: slipstreamFactoryAbi, functionName: "setSwapFeeModule", args: [swapFeeModule] },
  });
  return { factory, swapFeeModule, initCodeHash: cloneHash(implementation) };
}
