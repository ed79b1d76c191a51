/** A swap through one pool. Addresses are lower case; the native token is 0x000…0. */
export interface CalldataLeg {
  /** By which the graph knows the pool: its address, or the first bytes of a longer id. */
  readonly pool: `0x${string}`;
  readonly tokenOut: `0x${string}`;
  /** It sells the pool's token0. */
  readonly zeroForOne: boolean;
  /** In pools of more than two tokens: of what goes in, and of what comes out. */
  readonly positionIn?: number;
  readonly positionOut?: number;
  readonly feePips: number;
  /** See `PoolShape.parameter`. */
  readonly parameter: number;
  /** Of pools that one contract holds. */
  readonly key?: PoolKey;
}

export type PoolKey = ManagedPoolKey | VaultPoolKey;

/** What a pool of one of Balancer's Vaults is known by there. */
export interface VaultPoolKey {
  /** The Vault. */
  readonly manager: `0x${string}`;
  /** 32 bytes in V2, where it begins with the pool's address; V3 knows a pool by that alone. */
  readonly poolId?: `0x${string}`;
}

/** What names a pool within its manager, beside its tokens; Uniswap V4's `PoolKey`. */
export interface ManagedPoolKey {
  readonly manager: `0x${string}`;
  /** As in the pool key, flags included. */
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: `0x${string}`;
}
