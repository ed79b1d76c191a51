import type { Address } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import type { PoolReading } from "./readPools.ts";
import type { Position } from "./readPositions.ts";

/** One thing that a trader does: as many transactions as it takes, none when it cannot. */
export type Act = (scene: TradingState) => ReadonlyArray<Sending>;

/** A transaction that a trader of the devnet sends. */
export interface Sending {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
}

/** What traders decide from: the chain as it stood when the block was begun. */
export interface TradingState {
  readonly devnet: Devnet;
  readonly pools: ReadonlyArray<PoolReading>;
  readonly positions: ReadonlyArray<Position>;
  readonly random: RandomSource;
}

/** What traders may do, and how often relative to the rest. */
export interface Choice {
  readonly weight: number;
  readonly act: Act;
}
