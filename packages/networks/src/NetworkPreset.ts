/** Lower-case hexadecimal digits behind `0x`. */
type Hex = `0x${string}`;

/** What is known of a network on a real chain: all that following it needs but its endpoints. */
export interface NetworkPreset {
  readonly id: PresetId;
  readonly chainId: number;
  readonly name: string;
  readonly nativeSymbol: string;
  readonly nativeName: string;
  readonly wrappedNative: Hex;
  /** Tokens whose price is given. */
  readonly anchors: ReadonlyArray<{ readonly address: Hex; readonly priceUsd: number }>;
  /** Tokens known to transfer exactly what is asked. */
  readonly plainTokens: ReadonlyArray<Hex>;
  /** Tokens left out of the market: their transfers are not plain. */
  readonly excludedTokens: ReadonlyArray<Hex>;
  /** Tokens that refuse a new allowance before the old one is zero. */
  readonly approvalResetTokens?: ReadonlyArray<Hex>;
  /** What a transaction pays beside its gas, for its data on the chain below. */
  readonly dataFee?: "op-stack";
  /** A head older than this is not to be relied on, where that is no multiple of the block time. */
  readonly headAgeLimitMs?: number;
  readonly routers: { readonly universalRouter: UniversalRouterPreset };
  readonly source: ChainPreset;
}

export type PresetId = "ETH" | "BASE" | "ARBITRUM" | "OPTIMISM" | "BNB" | "POLYGON";

/** See `chainSource` of `@millrace/chain`, which takes the same. */
export interface ChainPreset {
  readonly kind: "chain";
  readonly blockTimeMs: number;
  readonly multicall: Hex;
  readonly dexes: ReadonlyArray<DexPreset>;
  readonly admission: {
    readonly anchors: ReadonlyArray<{
      readonly address: Hex;
      readonly decimals: number;
      readonly priceUsd: number;
    }>;
    readonly depthFloorUsd: number;
    readonly pools: ReadonlyArray<Hex>;
  };
}

export interface DexPreset {
  readonly id: string;
  readonly name: string;
  /** The kind of its pools, such as `constant-product`. */
  readonly protocol: string;
  /** Of what tells of new pools: where one contract holds them all, that one. */
  readonly factory: Hex;
  /** No pool is older. */
  readonly startBlock: number;
  readonly initCodeHash?: Hex;
  /** What else its protocol is configured with. */
  readonly [setting: string]: unknown;
}

export interface UniversalRouterPreset {
  readonly address: Hex;
  readonly version: "2.0";
  readonly permit2: Hex;
  /** The DEXes of the factories, and of the pool manager, that it was made with. */
  readonly v2DexId?: string;
  readonly v3DexId?: string;
  readonly v4DexId?: string;
}
