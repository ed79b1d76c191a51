import type { Address } from "viem";
import { creationCode } from "./artifacts.ts";
import type { Deployment } from "./Deployment.ts";

/** Contracts of our own with the interfaces of Curve's. */
export interface CurveContracts {
  readonly stableNgFactory: Address;
}

/** The deployer is the admin of all pools. */
export function deployCurve({ create }: Deployment): CurveContracts {
  const stableNg = create(creationCode("curveStableNg"));
  const stableNgFactory = create(creationCode("curveStableNgFactory"), "address", [stableNg]);
  return { stableNgFactory };
}
