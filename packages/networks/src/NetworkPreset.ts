/** Lower-case hexadecimal digits behind `0x`. */
type Hex = `0x${string}`;

/** A network on a real chain: everything needed to follow it except endpoints. */
export interface NetworkPreset {
  readonly id: PresetId;
  readonly chainId: number;
  readonly name: string;
  readonly nativeSymbol: string;
  readonly nativeName: string;
  readonly wrappedNative: Hex;
  /** Tokens whose dollar price is given. */
  readonly anchors: ReadonlyArray<{ readonly address: Hex; readonly priceUsd: number }>;
  /** Tokens known to transfer exactly what is asked. */
  readonly plainTokens: ReadonlyArray<Hex>;
  /** Tokens left out of the market: their transfers are not plain. */
  readonly excludedTokens: ReadonlyArray<Hex>;
  /** Tokens that refuse a new allowance before the old one is zero. */
  readonly approvalResetTokens?: ReadonlyArray<Hex>;
  /** What a transaction pays beside its gas, for its data on the L1. */
  readonly dataFee?: "op-stack";
  /**
   * A head older than this cannot be relied on. Without it the limit is a multiple of the block
   * time.
   */
  readonly headAgeLimitMs?: number;
  readonly routers: { readonly universalRouter: UniversalRouterPreset };
  readonly source: ChainPreset;
}

export type PresetId = "ETH" | "BASE" | "ARBITRUM" | "OPTIMISM" | "BNB" | "POLYGON";

/** See `chainSource` of `@millrace/chain`, which takes the same options. */
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
  /** The kind of the DEX's pools, such as `constant-product`. */
  readonly protocol: string;
  /** The contract that logs new pools; where one contract holds all pools, that one. */
  readonly factory: Hex;
  /** No pool of the DEX is older than this block. */
  readonly startBlock: number;
  readonly initCodeHash?: Hex;
  /** Further settings of its protocol. */
  readonly [setting: string]: unknown;
}

export interface UniversalRouterPreset {
  readonly address: Hex;
  readonly version: "2.0";
  readonly permit2: Hex;
  /** The DEXes whose factories, and whose pool manager, the router was deployed with. */
  readonly v2DexId?: string;
  readonly v3DexId?: string;
  readonly v4DexId?: string;
}
