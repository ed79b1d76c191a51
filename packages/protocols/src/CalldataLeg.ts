/** A swap through one pool. Addresses are lower case; the native token is 0x000…0. */
export interface CalldataLeg {
  /** By which the graph knows the pool: its address, or the first bytes of a longer id. */
  readonly pool: `0x${string}`;
  readonly tokenOut: `0x${string}`;
  /** It sells the pool's token0. */
  readonly zeroForOne: boolean;
  readonly feePips: number;
  /** See `PoolShape.parameter`. */
  readonly parameter: number;
  /** Of pools of more than two tokens: which of them goes in, and which comes out. */
  readonly positions?: readonly [positionIn: number, positionOut: number];
  /** Of pools that one contract holds. */
  readonly key?: ManagedPoolKey;
}

/** What names a pool within its manager, beside its tokens; Uniswap V4's `PoolKey`. */
export interface ManagedPoolKey {
  readonly manager: `0x${string}`;
  /** As in the pool key, flags included. */
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: `0x${string}`;
}
