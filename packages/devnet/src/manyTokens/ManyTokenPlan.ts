import type { Address } from "viem";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import type { MarketToken } from "../market/MarketToken.ts";
import type { ManyTokenHouse } from "./ManyTokenHouse.ts";
import type { ManyTokenPool } from "./ManyTokenPool.ts";

/** A devnet's pools of many tokens. */
export interface ManyTokenPlan {
  readonly dexes: ReadonlyArray<ManyTokenDex>;
  readonly pools: ReadonlyArray<{
    readonly dexId: string;
    readonly house: ManyTokenHouse;
    /** Symbols, in the pool's order. */
    readonly tokens: ReadonlyArray<string>;
    /** Worth of all tokens together; for a wrapper, of what is swapped there. */
    readonly depthUsd: number;
  }>;
}

export interface ManyTokenDex {
  readonly id: string;
  readonly name: string;
  /** Settings of a chain source beside those that every DEX has. */
  readonly settings: (
    market: { readonly families: FamilyContracts; readonly deployer: Address },
    pools: ReadonlyArray<ManyTokenMarketPool>,
  ) => ManyTokenSettings;
}

interface ManyTokenSettings {
  readonly protocol: string;
  readonly factory: Address;
  readonly [setting: string]: unknown;
}

/** A pool of a plan once it stands. */
export interface ManyTokenMarketPool {
  readonly pool: ManyTokenPool;
  readonly house: ManyTokenHouse;
  readonly tokens: ReadonlyArray<MarketToken>;
  readonly depthUsd: number;
}
