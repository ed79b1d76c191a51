import type { Address } from "viem";

/** Where the contracts of a devnet are. */
export interface Contracts {
  /** Multicall3 and Permit2 are where they are on real chains. */
  readonly multicall3: Address;
  readonly permit2: Address;
  readonly wrappedNative: Address;
  readonly v2Factory: Address;
  readonly v2Router: Address;
  /** A second DEX of the same code, with a Router02 of its own. */
  readonly v2SisterFactory: Address;
  readonly v2SisterRouter: Address;
  /** The fork that keeps 0.20 %; no router reaches its pairs. */
  readonly v2ForkFactory: Address;
  readonly v3Factory: Address;
  readonly positionManager: Address;
  readonly quoterV2: Address;
  readonly tickLens: Address;
  /** SwapRouter02 and the Universal Router (2.0.0) reach `v2Factory` and `v3Factory`. */
  readonly swapRouter02: Address;
  readonly universalRouter: Address;
}
