import { type Address, concat, type Hex, keccak256, padHex } from "viem";
import { toFunctionSelector } from "viem/utils";
import { creationCode } from "./artifacts.ts";
import { balancerV2AuthorizerAbi } from "./balancerAbis.ts";
import type { Contracts } from "./Contracts.ts";
import type { Deployment } from "./Deployment.ts";

/** Balancer V2 as published: one Vault, and the factories of its pools. */
export interface BalancerV2Contracts {
  readonly authorizer: Address;
  readonly vault: Address;
  readonly weightedFactory: Address;
  readonly stableFactory: Address;
  readonly composableFactory: Address;
  /** Tells the block's time, on which the expiry of cached rates depends. */
  readonly clock: Address;
}

const DAY = 86_400n;
/** The longest pause window that is allowed. */
const PAUSE_WINDOW = 90n * DAY;
const PAUSE_BUFFER = 30n * DAY;
const FEE_MAX_E18 = 5n * 10n ** 17n;
const VERSION = "1";

/** Pool functions that need the authorizer's permission. */
const POOL_ACTIONS = ["pause()", "unpause()", "enableRecoveryMode()", "disableRecoveryMode()"];

/** The deployer manages permissions, and lets `manager` pause pools and the Vault. */
export function deployBalancerV2(
  { deployer, create, call }: Deployment,
  { wrappedNative, multicall3: clock }: Pick<Contracts, "wrappedNative" | "multicall3">,
  manager: Address,
): BalancerV2Contracts {
  const authorizer = create(creationCode("balancerV2Authorizer"), "address", [deployer]);
  const vault = create(creationCode("balancerV2Vault"), "address, address, uint256, uint256", [
    authorizer,
    wrappedNative,
    PAUSE_WINDOW,
    PAUSE_BUFFER,
  ]);
  const feesProvider = create(creationCode("balancerV2FeesProvider"), "address, uint256, uint256", [
    vault,
    FEE_MAX_E18,
    FEE_MAX_E18,
  ]);
  const factory = (code: "balancerV2WeightedFactory" | "balancerV2ComposableFactory") =>
    create(creationCode(code), "address, address, string, string", [
      ...[vault, feesProvider, VERSION, VERSION],
    ]);
  const weightedFactory = factory("balancerV2WeightedFactory");
  const composableFactory = factory("balancerV2ComposableFactory");
  const stableFactory = create(creationCode("balancerV2StableFactory"), "address", [vault]);
  const grant = (role: Hex) =>
    call(authorizer, {
      ...{ abi: balancerV2AuthorizerAbi, functionName: "grantRole", args: [role, manager] },
    });
  grant(actionId(vault, "setPaused(bool)"));
  for (const made of [weightedFactory, composableFactory, stableFactory])
    for (const action of POOL_ACTIONS) grant(actionId(made, action));
  return { authorizer, vault, weightedFactory, stableFactory, composableFactory, clock };
}

/** The action id of a function of the Vault, or of all pools of a factory. */
const actionId = (of: Address, action: string): Hex =>
  keccak256(concat([padHex(of, { size: 32 }), toFunctionSelector(action)]));
