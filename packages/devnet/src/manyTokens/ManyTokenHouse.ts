import type { Address, Hex } from "viem";
import type { Deployment } from "../contracts/Deployment.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import type { MarketToken } from "../market/MarketToken.ts";
import type { SeededRandom } from "../market/random.ts";
import type { ManyTokenKind, ManyTokenPool, PlacedSwap } from "./ManyTokenPool.ts";

/** How to make and use pools of one kind with many tokens, with the parameters of one pool. */
export interface ManyTokenHouse {
  readonly kind: ManyTokenKind;
  readonly nativeAt?: number;
  readonly version?: string;
  /** The pool orders its tokens by address. */
  readonly isSorted?: boolean;
  /** Adds the governor's transactions that make the pool. Returns its address. */
  readonly create: (
    ground: Ground,
    tokens: ReadonlyArray<MarketToken>,
  ) => Pick<ManyTokenPool, "address" | "id" | "weights" | "rates" | "hook">;
  /** Adds the first liquidity, from a holder of the tokens; undefined where a pool needs none. */
  readonly fill: (
    pool: ManyTokenPool,
    amounts: ReadonlyArray<bigint>,
    contracts: FamilyContracts,
  ) => Errand | undefined;
  /** Undefined where the pool cannot swap the one token for the other. */
  readonly swap: (
    pool: ManyTokenPool,
    swap: PlacedSwap,
    contracts: FamilyContracts,
  ) => Errand | undefined;
  /** Asks what a swap would give, within a few units; traders decide by it. */
  readonly quote: (pool: ManyTokenPool, swap: PlacedSwap, contracts: FamilyContracts) => Question;
  /** Actions beside swaps: liquidity that is added and removed. */
  readonly change: (
    pool: ManyTokenPool,
    situation: ChangeSituation,
    contracts: FamilyContracts,
  ) => Errand | undefined;
}

/** The surroundings of a new pool: `families` has the contracts that make pools. */
export interface Ground {
  readonly chainId: number;
  readonly deployment: Deployment;
  readonly families: FamilyContracts;
  /** The address of the next contract that a factory makes, if it makes only pools. */
  readonly nextOf: (factory: Address) => Address;
}

/**
 * A call that the devnet's router makes for a caller: see `perform` of `DevnetRouter.sol`. The
 * caller pays these amounts of these tokens, and gets the router's balances of them afterwards. The
 * native token is 0.
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
  /** Extracts the output from the answer. */
  readonly amountOut: (answer: Hex) => bigint;
}

export interface ChangeSituation {
  readonly random: SeededRandom;
  /** The pool's own shares that the router holds; 0 where the pool's address is no token. */
  readonly shares: bigint;
  /** By position: the amount that the pool was made for, at current prices. */
  readonly depths: ReadonlyArray<bigint>;
}
