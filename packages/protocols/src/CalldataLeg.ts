/** A swap through one pool. Addresses are lower case; the native token is 0x000…0. */
export interface CalldataLeg {
  /** The pool's key in the graph: its address, or the first 20 bytes of a longer id. */
  readonly pool: `0x${string}`;
  readonly tokenOut: `0x${string}`;
  /** The leg sells the pool's token0. */
  readonly zeroForOne: boolean;
  /** In pools of more than two tokens: positions of the input and of the output. */
  readonly positionIn?: number;
  readonly positionOut?: number;
  readonly feePips: number;
  /** See `PoolShape.parameter`. */
  readonly parameter: number;
  /** For pools that one contract holds. */
  readonly key?: PoolKey;
}

export type PoolKey = ManagedPoolKey | VaultPoolKey;

/** The key of a pool in one of Balancer's Vaults. */
export interface VaultPoolKey {
  /** The Vault. */
  readonly manager: `0x${string}`;
  /** V2: 32 bytes that begin with the pool's address. V3 knows a pool by its address alone. */
  readonly poolId?: `0x${string}`;
}

/** The key of a pool within its manager, without the tokens; Uniswap V4's `PoolKey`. */
export interface ManagedPoolKey {
  readonly manager: `0x${string}`;
  /** As in the pool key, flags included. */
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: `0x${string}`;
}
