import type { Address, Hex } from "viem";
import type { Deployment } from "../contracts/Deployment.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import type { MarketToken } from "../market/MarketToken.ts";
import type { SeededRandom } from "../market/random.ts";
import type { ManyTokenKind, ManyTokenPool, PlacedSwap } from "./ManyTokenPool.ts";

/** How pools of many tokens of one kind are made and used, with what one pool's terms are. */
export interface ManyTokenHouse {
  readonly kind: ManyTokenKind;
  readonly nativeAt?: number;
  readonly version?: string;
  /** The pool has its tokens in the order of their addresses. */
  readonly isSorted?: boolean;
  /** Writes down what the governor sends to make the pool, and says where it will be. */
  readonly create: (
    ground: Ground,
    tokens: ReadonlyArray<MarketToken>,
  ) => Pick<ManyTokenPool, "address" | "id" | "weights" | "rates" | "hook">;
  /** The first liquidity, of a holder of the tokens; none where a pool needs none. */
  readonly fill: (
    pool: ManyTokenPool,
    amounts: ReadonlyArray<bigint>,
    contracts: FamilyContracts,
  ) => Errand | undefined;
  /** Undefined where nothing leads from the one token to the other. */
  readonly swap: (
    pool: ManyTokenPool,
    swap: PlacedSwap,
    contracts: FamilyContracts,
  ) => Errand | undefined;
  /** Asks what a swap would give, within a few units; who trades goes by it. */
  readonly quote: (pool: ManyTokenPool, swap: PlacedSwap, contracts: FamilyContracts) => Question;
  /** What people do beside swaps: liquidity that comes and goes. */
  readonly change: (
    pool: ManyTokenPool,
    situation: ChangeSituation,
    contracts: FamilyContracts,
  ) => Errand | undefined;
}

/** What a pool is made of and on: `families` has the contracts that make them. */
export interface Ground {
  readonly chainId: number;
  readonly deployment: Deployment;
  readonly families: FamilyContracts;
  /** Where the next contract will be that a factory makes, which makes nothing beside pools. */
  readonly nextOf: (factory: Address) => Address;
}

/**
 * What the devnet's router does for somebody: see `perform` of `DevnetRouter.sol`. The caller pays
 * these amounts of these tokens, and gets what there is of them then; the native one is 0.
 */
export interface Errand {
  readonly target: Address;
  readonly data: Hex;
  readonly tokens: ReadonlyArray<Address>;
  readonly amounts: ReadonlyArray<bigint>;
}

export interface Question {
  readonly to: Address;
  readonly data: Hex;
  /** The output in the answer. */
  readonly amountOut: (answer: Hex) => bigint;
}

export interface ChangeSituation {
  readonly random: SeededRandom;
  /** Of the pool's own shares that the router has; 0 where the pool's address is no token. */
  readonly shares: bigint;
  /** By place: as much as the pool was made for, at prices of now. */
  readonly depths: ReadonlyArray<bigint>;
}
