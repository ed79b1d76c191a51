import type { Address } from "viem";

/** Addresses of a devnet's contracts. */
export interface Contracts {
  /** Multicall3 and Permit2 have the addresses of real chains. */
  readonly multicall3: Address;
  readonly permit2: Address;
  readonly wrappedNative: Address;
  readonly v2Factory: Address;
  readonly v2Router: Address;
  /** A second DEX with the same code, and a Router02 of its own. */
  readonly v2SisterFactory: Address;
  readonly v2SisterRouter: Address;
  /** The fork with a fee of 0.20 %; no router reaches its pairs. */
  readonly v2ForkFactory: Address;
  readonly v3Factory: Address;
  readonly positionManager: Address;
  readonly quoterV2: Address;
  readonly tickLens: Address;
  /** SwapRouter02 and the Universal Router (2.0.0) use `v2Factory` and `v3Factory`. */
  readonly swapRouter02: Address;
  readonly universalRouter: Address;
}
