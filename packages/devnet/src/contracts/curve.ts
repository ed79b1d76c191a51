import type { Address } from "viem";
import { creationCode } from "./artifacts.ts";
import type { Deployment } from "./Deployment.ts";

/** Our own contracts with Curve's interfaces. */
export interface CurveContracts {
  readonly stableNgFactory: Address;
  /**
   * Factories of Twocrypto-NG 2.0.0, of Twocrypto-NG 2.1.0 with donations, and of Tricrypto-NG
   * 2.0.0.
   */
  readonly twocryptoFactory: Address;
  readonly newTwocryptoFactory: Address;
  readonly tricryptoFactory: Address;
}

/** The deployer is the admin of all pools. */
export function deployCurve({ create }: Deployment): CurveContracts {
  const stableNg = create(creationCode("curveStableNg"));
  const stableNgFactory = create(creationCode("curveStableNgFactory"), "address", [stableNg]);
  const [two, three] = [
    create(creationCode("curveTwocrypto")),
    create(creationCode("curveTricrypto")),
  ];
  const math = (version: string, isNewer: boolean) =>
    create(creationCode("curveCryptoMath"), "string, bool", [version, isNewer]);
  const [older, newer] = [math("v2.0.0", false), math("v2.1.0", true)];
  const factory = (pool: Address, library: Address, isNewer: boolean) =>
    create(creationCode("curveCryptoFactory"), "address, address, bool", [pool, library, isNewer]);
  return {
    stableNgFactory,
    twocryptoFactory: factory(two, older, false),
    newTwocryptoFactory: factory(two, newer, true),
    tricryptoFactory: factory(three, older, false),
  };
}
