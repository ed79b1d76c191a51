import { Effect } from "effect";
import type { Address } from "viem";
import type { DevnetError } from "../DevnetError.ts";
import type { Node } from "../node/Node.ts";
import { type AerodromeContracts, deployAerodrome } from "./aerodrome.ts";
import { type AlgebraContracts, deployAlgebra } from "./algebra.ts";
import { creationCode } from "./artifacts.ts";
import { type BalancerV2Contracts, deployBalancerV2 } from "./balancerV2.ts";
import { type BalancerV3Contracts, deployBalancerV3 } from "./balancerV3.ts";
import type { Contracts } from "./Contracts.ts";
import { type CurveContracts, deployCurve } from "./curve.ts";
import { type Deployment, makeDeployment } from "./Deployment.ts";
import { deployPancakeV3, type PancakeV3Contracts, placePancakeV3Code } from "./pancakeV3.ts";
import { deploySlipstream, type SlipstreamContracts } from "./slipstream.ts";
import { deployUniswapV4, placeHooks, type UniswapV4Contracts } from "./uniswapV4.ts";

/** Addresses of the contracts of a devnet's further families. */
export interface FamilyContracts extends FirstFamilies {
  readonly balancerV2: BalancerV2Contracts;
  readonly balancerV3: BalancerV3Contracts;
}

/** All families but Balancer, whose deployment takes longest. */
export interface FirstFamilies {
  /**
   * Owns every contract that has an owner: may set fees, pause, replace modules. The node signs for
   * it, and traffic never uses it.
   */
  readonly governor: Address;
  /** See `DevnetRouter.sol` and `SwapQuoter.sol`. */
  readonly router: Address;
  readonly swapQuoter: Address;
  readonly uniswapV4: UniswapV4Contracts;
  readonly pancakeV3: PancakeV3Contracts;
  readonly algebra: AlgebraContracts;
  readonly aerodrome: AerodromeContracts;
  readonly slipstream: SlipstreamContracts;
  readonly curve: CurveContracts;
}

/** The transactions of a governor without history that deploy all families; more may follow. */
export function deployFamilies(governor: Address): {
  readonly contracts: FirstFamilies;
  readonly deployment: Deployment;
} {
  const deployment = makeDeployment(governor);
  const { create } = deployment;
  const uniswapV4 = deployUniswapV4(deployment);
  const router = create(creationCode("devnetRouter"), "address", [uniswapV4.poolManager]);
  const swapQuoter = create(creationCode("swapQuoter"));
  const families = {
    uniswapV4,
    pancakeV3: deployPancakeV3(deployment),
    algebra: deployAlgebra(deployment),
    aerodrome: deployAerodrome(deployment),
    slipstream: deploySlipstream(deployment),
    curve: deployCurve(deployment),
  };
  return { contracts: { governor, router, swapQuoter, ...families }, deployment };
}

/** Adds Balancer. The devnet's router may do what pool managers may. */
export function deployBalancer(
  deployment: Deployment,
  surroundings: Pick<Contracts, "wrappedNative" | "permit2" | "multicall3">,
  { router: manager }: FirstFamilies,
): Pick<FamilyContracts, "balancerV2" | "balancerV3"> {
  const balancerV2 = deployBalancerV2(deployment, surroundings, manager);
  const { authorizer } = balancerV2;
  const balancerV3 = deployBalancerV3(deployment, { ...surroundings, authorizer, manager });
  return { balancerV2, balancerV3 };
}

/** Places code that no transaction could deploy; the families' transactions depend on it. */
export const placeFamilyCode = (node: Node): Effect.Effect<void, DevnetError> =>
  Effect.all([placeHooks(node), placePancakeV3Code(node)], { discard: true });
